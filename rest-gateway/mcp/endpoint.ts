/**
 * /mcp, for partners' assistants: the Model Context Protocol over streamable HTTP, without sessions. The path, method, key
 * and rate limit are checked as on every other route. Each request is one message and gets one response in JSON.
 */
import type { Environment } from '../../db/api-keys/key-format'
import { ApiError } from '../../schema/errors'
import { readKey } from '../auth/api-key-header'
import { JSON_CONTENT_TYPE, JSON_TYPE } from '../formats/formats'
import type { Gateway } from '../gateway'
import { ANY_ORIGIN } from '../middleware/cors'
import { parseBody } from '../middleware/request-body'
import type { Route } from '../routes/record'
import type { Context } from '../state'
import { INVALID_PARAMS, METHOD_NOT_FOUND, type Message, MessageError, readMessage, resultMessage } from './messages'
import { cacheable, complete, discover, initialize, isStateless } from './revisions'
import { Tools } from './tools'

export const MCP_METHODS = ['POST', 'OPTIONS']

const INSTRUCTIONS = [
  'Measured audience of physical advertising assets (billboards, screens), limited to the companies of the API key.',
  'Find assets with list_assets, for example by name_contains, city or country; its ids are the `id` of other tools.',
  'Dates are YYYY-MM-DD, inclusive, and local days of each asset in its own time zone.',
  'Impressions are people who passed an asset; null means that no sensor reported, 0 that nobody passed.',
  'A parameter is described where the list of tools has it first. Filters such as country take alternatives, separated by commas.',
  'A long result is cut: `meta.truncated.next` has the arguments to call the tool again with, besides the same others.',
].join(' ')

/** Returns the handler of /mcp. */
export function mcpEndpoint(gateway: Gateway, routes: readonly Route[]): (ctx: Context) => Promise<void> {
  const { database, environment, rates } = gateway
  const tools = new Tools(gateway, routes)
  const hosts = gateway.mcpHosts ?? DEFAULT_HOSTS[environment]
  return async ctx => {
    const { stages, received = {} } = ctx.state
    stages.begin('read')
    if (!isAllowedHost(ctx, hosts)) return refuse(ctx, 'This host is not in MCP_HOSTS.')
    if (isForeign(ctx, gateway.origins)) return refuse(ctx, 'This origin is not in CORS_ORIGINS.')
    const keyHash = readKey(ctx, environment)
    const isExhausted = rates.isExhausted(keyHash)
    const key = await database.readerFor(keyHash, ctx.state.reads).authenticate()
    if (!key) throw new ApiError('INVALID_API_KEY')
    ctx.state.keyId = key.id
    if (isExhausted) await rates.refuse(ctx, key)
    await rates.count(ctx, key, keyHash)
    if (!ctx.accepts(JSON_CONTENT_TYPE)) throw new ApiError('NOT_ACCEPTABLE', { available: [JSON_TYPE] })
    const response = await answer(readMessage(parseBody(received)), ctx, keyHash)
    stages.begin('send')
    ctx.set('Cache-Control', 'no-store')
    ctx.vary('X-API-Key, Accept, Accept-Encoding')
    if (response === undefined) {
      ctx.body = null
      ctx.status = 202
    } else {
      ctx.type = JSON_TYPE
      ctx.body = response
    }
  }

  async function answer(message: Message, ctx: Context, keyHash: Buffer): Promise<string | undefined> {
    try {
      return await respond(
        message,
        isStateless(message, ctx),
        (name, values) => tools.call(name, values, ctx, keyHash),
        tools,
      )
    } catch (error) {
      if (!(error instanceof MessageError)) throw error
      ctx.status = error.status
      return error.response
    }
  }
}

type Call = (name: unknown, values: unknown) => Promise<string | undefined>

/** Returns the response to a message as JSON; undefined for a notification. @throws MessageError */
async function respond(
  { id, method, params }: Message,
  stateless: boolean,
  call: Call,
  tools: Tools,
): Promise<string | undefined> {
  if (id === undefined) return undefined
  const result = await produceResult()
  return resultMessage(id, stateless ? complete(result) : result)

  async function produceResult(): Promise<string> {
    if (method === 'tools/list') return stateless ? cacheable(tools.list) : tools.list
    if (method === 'tools/call') {
      const result = await call(params.name, params.arguments)
      if (result !== undefined) return result
      throw new MessageError(id, INVALID_PARAMS, 'There is no tool of this name: tools/list has all.', undefined, 200)
    }
    if (stateless && method === 'server/discover') return cacheable(discover(INSTRUCTIONS))
    if (!stateless && method === 'initialize') return initialize(params.protocolVersion, INSTRUCTIONS)
    if (!stateless && method === 'ping') return '{}'
    const unknown = `The method ${method.slice(0, 100)} is unknown.`
    throw new MessageError(id, METHOD_NOT_FOUND, unknown, undefined, stateless ? 404 : 200)
  }
}

/** A proxy stands before the service in production, and forwards the hosts that it serves. */
const DEFAULT_HOSTS: Record<Environment, readonly string[]> = {
  dev: ['localhost', '127.0.0.1', '[::1]'],
  production: ['*'],
}

/** Returns whether the Host header is allowed: a page whose name was made to resolve to this machine sends its own. */
const isAllowedHost = ({ host }: Context, allowed: readonly string[]): boolean =>
  allowed.includes('*') || allowed.includes(host.toLowerCase().replace(/:\d*$/, ''))

/** Returns whether a page of another origin sent the request. The protocol requires this check, against DNS rebinding. */
function isForeign(ctx: Context, allowed: readonly string[]): boolean {
  const origin = ctx.get('Origin')
  if (origin === '' || allowed.includes(ANY_ORIGIN) || allowed.includes(origin)) return false
  return URL.canParse(origin) ? new URL(origin).host !== ctx.host : true
}

/** The protocol asks for 403, which here no code of the partner interface has but that of a missing scope. */
function refuse(ctx: Context, message: string): void {
  ctx.status = 403
  ctx.type = JSON_TYPE
  ctx.body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message } })
}
