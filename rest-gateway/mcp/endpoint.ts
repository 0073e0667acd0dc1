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
import { errorMessage, INVALID_PARAMS, METHOD_NOT_FOUND, type Message, readMessage, resultMessage } from './messages'
import { Tools } from './tools'

export const MCP_METHODS = ['POST', 'OPTIONS']

/** Revisions of the protocol, the latest first. They differ in what this server doesn't have. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26']

const INSTRUCTIONS = [
  'Measured audience of physical advertising assets (billboards, screens), limited to the companies of the API key.',
  'Find assets with list_assets, for example by name_contains, city or country; its ids are the `id` of other tools.',
  'Dates are YYYY-MM-DD, inclusive, and local days of each asset in its own time zone.',
  'Impressions are people who passed an asset; null means that no sensor reported, 0 that nobody passed.',
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
    checkVersion(ctx.get('MCP-Protocol-Version'))
    const message = readMessage(parseBody(received))
    const response = await respond(message, (name, values) => tools.call(name, values, ctx, keyHash), tools)
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
}

type Call = (name: unknown, values: unknown) => Promise<string | undefined>

/** Returns the response to a message as JSON; undefined for a notification. */
async function respond({ id, method, params }: Message, call: Call, tools: Tools): Promise<string | undefined> {
  if (id === undefined) return undefined
  if (method === 'initialize') return resultMessage(id, JSON.stringify(initialize(params.protocolVersion)))
  if (method === 'ping') return resultMessage(id, '{}')
  if (method === 'tools/list') return resultMessage(id, tools.list)
  if (method !== 'tools/call')
    return errorMessage(id, METHOD_NOT_FOUND, `The method ${method.slice(0, 100)} is unknown.`)
  const result = await call(params.name, params.arguments)
  return result === undefined
    ? errorMessage(id, INVALID_PARAMS, 'There is no tool of this name: tools/list has all.')
    : resultMessage(id, result)
}

const initialize = (requested: unknown): object => ({
  protocolVersion: VERSIONS.find(version => version === requested) ?? VERSIONS[0],
  capabilities: { tools: {} },
  serverInfo: { name: 'partner-metrics', title: 'Partner metrics', version: 'v1' },
  instructions: INSTRUCTIONS,
})

/** A client that sends no version has one of before there was the header. */
function checkVersion(version: string): void {
  if (version === '' || VERSIONS.includes(version)) return
  throw new ApiError('BAD_REQUEST', {}, `MCP-Protocol-Version must be one of ${VERSIONS.join(', ')}.`)
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
