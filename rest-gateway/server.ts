/** The HTTP server with its limits, and the order of the middleware. Requests that Node's parser refuses get the same JSON errors as all others. */
import { randomUUID } from 'node:crypto'
import { createServer, type Server, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import Koa from 'koa'
import { ApiError, type ErrorCode } from '../schema/errors'
import { compression } from './edge/compression'
import { Connections } from './edge/connections'
import { deprecation, deprecationHeaders } from './edge/deprecation'
import { errorBody, errorHandler, errorHeaders } from './edge/errors'
import { overload } from './edge/overload'
import { requestLog, SECURITY_HEADERS } from './edge/request-log'
import { MAX_HEADERS, requestTarget } from './edge/request-target'
import type { Gateway } from './gateway'
import { GRAPHQL, MCP } from './paths'
import { requestBody } from './read/request-body'
import { METHODS, router } from './router'
import type { RequestState } from './state'

/** Larger than the longest URL allowed, so that the application can tell a long URL from other large headers. */
const MAX_HEADER_BYTES = 32_768

interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
}

export function createGatewayServer(gateway: Gateway): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    // Node's default is 30 s, which would make 10 s up to 40.
    connectionsCheckingInterval: 1_000,
  })
  // Node ignores further headers silently: a request that has one more than the maximum is refused.
  server.maxHeadersCount = MAX_HEADERS + 1
  // Closes connections whose clients do not read their responses.
  server.timeout = 60_000
  const connections = new Connections(gateway.limits)
  connections.protect(server, createApp(gateway, connections).callback())
  server.on('connect', (_, socket) => refuse(gateway, socket, new ApiError('METHOD_NOT_ALLOWED', { allowed: METHODS })))
  server.on('clientError', (error: ParserError, socket) => {
    // Browsers open connections ahead. A response to no request would be taken for that to the next one.
    const isUnused = socket instanceof Socket && socket.bytesRead === 0
    if (error.code === 'ECONNRESET' || !socket.writable || isUnused) return void socket.destroy()
    const head = error.rawPacket?.toString('latin1', 0, MAX_HEADER_BYTES) ?? ''
    const [, path] = /^\S+ (?:https?:\/\/[^/\s]*)?([^\s?]+)/i.exec(head) ?? []
    refuse(gateway, socket, new ApiError(parserErrorCode(error, head)), path)
  })
  return server
}

function parserErrorCode({ code }: ParserError, head: string): ErrorCode {
  if (code !== 'HPE_HEADER_OVERFLOW') return 'BAD_REQUEST'
  const isRequestLine = /^[A-Z]+ /.test(head) && !head.includes('\r\n')
  return isRequestLine ? 'URI_TOO_LONG' : 'HEADERS_TOO_LARGE'
}

/** Writes an error response to a bare socket and closes it. */
function refuse(gateway: Gateway, socket: Duplex, error: ApiError, path = '/'): void {
  const body = JSON.stringify(errorBody(path, error))
  const headers = {
    ...errorHeaders(path, error),
    ...SECURITY_HEADERS,
    ...deprecationHeaders(gateway, path),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': randomUUID(),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', body].join('\r\n'))
}

function createApp(gateway: Gateway, connections: Connections): Koa<RequestState> {
  const app = new Koa<RequestState>()
  app.silent = true
  app.use(requestLog(gateway))
  app.use(deprecation(gateway))
  app.use(errorHandler(gateway.log))
  app.use(requestTarget)
  app.use(requestBody(gateway.environment, [GRAPHQL, MCP]))
  app.use(compression)
  app.use(overload(gateway, connections))
  app.use(router(gateway))
  return app
}
