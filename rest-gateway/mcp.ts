/** /mcp, for partners' assistants: the Model Context Protocol by its library. The partner routes are the tools. */
import type { AuthInfo, CallToolResult, JSONRPCRequest, ProtocolError } from '@modelcontextprotocol/server'
import { ApiError } from '../schema/errors'
import { errorBody } from './edge/errors'
import type { Gateway } from './gateway'
import { listTools, MAX_RESULT, readArguments, tooLong, toolsOf } from './mcp-tools'
import { parseBody } from './read/request-body'
import { acceptedFormat, authenticate, RequestInput, readKey } from './read/request-input'
import type { Route } from './record'
import { readRoute } from './request'
import { JSON_TYPE } from './shape/write-rows'
import type { KoaContext } from './state'

export const MCP_METHODS = ['POST', 'OPTIONS']

const MAX_ERROR_TEXT = 1_000

/** Statuses of errors that the assistant can correct. All others end the request, as on other routes. */
const CORRECTABLE = [400, 403, 404, 410]

const SERVER = { name: 'partner-metrics', title: 'Partner metrics', version: 'v1' }

const INSTRUCTIONS = [
  'People counted at physical advertising assets (billboards, screens), limited to the companies of the API key.',
  'Find assets with list_assets, for example by name_contains, city or country; its ids are the `id` of other tools.',
  'Dates are YYYY-MM-DD, inclusive, and local days of each asset in its own time zone, the `time_zone` of list_assets.',
  'Impressions are people who passed an asset; null means that no sensor reported, 0 that nobody passed.',
  '`coverage` is the observed fraction of the expected intervals, `share` a fraction of the total, both from 0 to 1.',
  'A parameter is described where the list of tools has it first. Filters such as country take alternatives, separated by commas.',
  `A result has at most ${MAX_RESULT} characters: ask for a smaller limit, a shorter range or a coarser grain.`,
].join(' ')

export function mcpEndpoint(gateway: Gateway, routes: readonly Route[]): (ctx: KoaContext) => Promise<void> {
  const { database, environment, rates } = gateway
  const tools = toolsOf(routes)
  let handler: Promise<Handler> | undefined
  return async ctx => {
    const { stages, received = {} } = ctx.state
    stages.begin('read')
    if (isForeign(ctx)) return refuse(ctx)
    const keyHash = readKey(ctx, environment)
    await authenticate(ctx, database.readerFor(keyHash, ctx.state.reads), rates, keyHash)
    acceptedFormat(['json'], ctx)
    const message = parseBody(received)
    // A list would be several requests.
    if (typeof message !== 'object' || message === null || Array.isArray(message)) throw noMessage()
    handler ??= createHandler(tools)
    const answer = await handler
    const request = new Request(`http://localhost${ctx.path}`, { method: 'POST', headers: readHeaders(ctx) })
    const call = new ToolCall(gateway, ctx, keyHash)
    const response = await answer(request, message as Message, call)
    if (call.failure) throw call.failure
    stages.begin('send')
    ctx.set('Cache-Control', 'no-store')
    ctx.vary('X-API-Key, Accept, Accept-Encoding')
    ctx.body = (await response.text()) || null
    ctx.status = response.status
    const type = response.headers.get('Content-Type')
    if (type !== null) ctx.type = type
  }
}

/** The key is checked before a message is handled. */
const NO_AUTH: AuthInfo = { token: '', clientId: '', scopes: [] }

/** The revision of the protocol whose requests need no handshake, which the library does not export. */
const WITHOUT_HANDSHAKE = '2026-07-28'

/** An object, of which nothing was checked. */
type Message = { [field in keyof JSONRPCRequest]?: unknown }

type Handler = (request: Request, message: Message, call: ToolCall) => Promise<Response>

/** Loads the library, which takes longer than the start of the service may. */
async function createHandler(tools: ReadonlyMap<string, Route>): Promise<Handler> {
  const mcp = await import('@modelcontextprotocol/server')
  const { ProtocolError, ProtocolErrorCode: codes, specTypeSchemas: schemas } = mcp
  const known = [WITHOUT_HANDSHAKE, ...mcp.SUPPORTED_PROTOCOL_VERSIONS]
  const list = listTools(tools)
  const createServer = (call: ToolCall) => {
    const server = new mcp.Server(SERVER, { capabilities: { tools: {} }, instructions: INSTRUCTIONS })
    server.setRequestHandler('tools/list', () => ({ tools: list }))
    server.setRequestHandler('tools/call', ({ params: { name, arguments: values } }) => {
      const route = tools.get(name)
      if (route) return call.run(name, route, values)
      throw new ProtocolError(codes.InvalidParams, 'There is no tool of this name: tools/list has all.')
    })
    return server
  }
  const { fetch: answerWithoutHandshake } = mcp.createMcpHandler(
    ({ authInfo }) => createServer((authInfo!.extra as { call: ToolCall }).call),
    { legacy: 'reject', maxSubscriptions: 0 },
  )
  /** The library reports parameters of these methods that do not fit as errors of its own. */
  const requests = new Map<unknown, typeof schemas.InitializeRequest | typeof schemas.ListToolsRequest>([
    ['initialize', schemas.InitializeRequest],
    ['tools/list', schemas.ListToolsRequest],
  ])
  return async (request, message, call) => {
    const requested = request.headers.get('MCP-Protocol-Version') ?? WITHOUT_HANDSHAKE
    if (!known.includes(requested)) {
      const text = `Unknown MCP-Protocol-Version: known are ${known.join(', ')}.`
      const error = new mcp.UnsupportedProtocolVersionError({ supported: known, requested }, text)
      return answerError(message, error, 400)
    }
    const { issues: [issue] = [] } = (await requests.get(message.method)?.['~standard'].validate(message)) ?? {}
    if (issue && message.id !== undefined) {
      const text = `${issue.path?.join('.')}: ${issue.message}`
      return answerError(message, new ProtocolError(codes.InvalidParams, text), 200)
    }
    if (!(await mcp.isLegacyRequest(request, message))) {
      return answerWithoutHandshake(request, { parsedBody: message, authInfo: { ...NO_AUTH, extra: { call } } })
    }
    const transport = new mcp.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    const server = createServer(call)
    await server.connect(transport)
    const response = await transport.handleRequest(request, { parsedBody: message })
    await server.close()
    return response
  }
}

function answerError({ id }: Message, { code, message, data }: ProtocolError, status: number): Response {
  const known = ['string', 'number'].includes(typeof id) ? id : null
  return Response.json({ jsonrpc: '2.0', id: known, error: { code, message, data } }, { status })
}

class ToolCall {
  /** The error that ends the request. */
  failure: unknown

  constructor(
    private readonly gateway: Gateway,
    private readonly ctx: KoaContext,
    private readonly keyHash: Buffer,
  ) {}

  async run(name: string, route: Route, values: unknown): Promise<CallToolResult> {
    const { state } = this.ctx
    state.tool = name
    try {
      const text = await this.read(route, values)
      if (text.length > MAX_RESULT) throw tooLong(route, text.length)
      return { content: [{ type: 'text', text }] }
    } catch (error) {
      if (!(error instanceof ApiError && CORRECTABLE.includes(error.status))) {
        this.failure = error
        throw error
      }
      state.errorCode = error.code
      const text = JSON.stringify(errorBody(route.path, error), (_, value) =>
        typeof value === 'string' && value.length > MAX_ERROR_TEXT ? `${value.slice(0, MAX_ERROR_TEXT)}…` : value,
      )
      return { content: [{ type: 'text', text }], isError: true }
    }
  }

  /** Returns the body of the route as JSON. @throws ApiError */
  private async read(route: Route, values: unknown): Promise<string> {
    const { gateway, ctx, keyHash } = this
    const { path, query } = readArguments(route, values)
    const input = new RequestInput(route, gateway.cursors, path, query.toString())
    return JSON.stringify(await readRoute(route, gateway, ctx, keyHash, input))
  }
}

const noMessage = (): ApiError =>
  new ApiError('BAD_REQUEST', {}, 'The body must be one message of JSON-RPC 2.0, with Content-Type: application/json.')

/** The library wants both types of a client, whose Accept has been checked. */
function readHeaders({ headers }: KoaContext): Headers {
  const read = new Headers()
  for (const [name, value] of Object.entries(headers)) read.set(name, [value].flat().join(', '))
  read.set('Accept', `${JSON_TYPE}, text/event-stream`)
  return read
}

/** Returns whether a page of another origin sent the request. The protocol requires this check, against DNS rebinding. */
function isForeign(ctx: KoaContext): boolean {
  const origin = ctx.get('Origin')
  return origin !== '' && !(URL.canParse(origin) && new URL(origin).host === ctx.host)
}

/** The protocol asks for 403, which here no code of the partner interface has but that of a missing scope. */
function refuse(ctx: KoaContext): void {
  ctx.status = 403
  ctx.type = JSON_TYPE
  ctx.body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message: 'Pages of other origins are refused.' } })
}
