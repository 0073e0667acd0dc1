/** The HTTP server: its limits, and JSON answers even to what its parser refuses. */
import { randomUUID } from 'node:crypto'
import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '../schema/errors'
import { addressOf } from './admission/callers'
import { tellFinished } from './admission/finishing'
import { boundPipelines } from './admission/pipelines'
import { createApp } from './app'
import type { Gateway } from './gateway'
import { errorBody, errorHeaders } from './middleware/error-handler'
import { METHODS } from './routes/router'

/** Addresses of up to this size reach the application, which tells addresses that are too long from other headers. */
const LARGEST_HEAD = 32_768

export function createGatewayServer(gateway: Gateway): Server {
  const server = createServer(
    {
      maxHeaderSize: LARGEST_HEAD,
      requireHostHeader: false,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      // By default Node looks for what is overdue every half minute only.
      connectionsCheckingInterval: 1_000,
    },
    boundPipelines(tellFinished(createApp(gateway).callback())),
  )
  server.maxConnections = gateway.limits.maxConnections
  // Full: those who are not asking just now make room for others, and of those who ask too much the one who waited longest.
  server.on('drop', () => {
    server.closeIdleConnections()
    gateway.tarpit.makeRoom()
  })
  // By default Node drops headers beyond the two-thousandth without a word; their size is bounded as it is.
  server.maxHeadersCount = 0
  // An expectation other than 100-continue is none of ours: answer as if it had not been stated.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_, socket) => refuse(socket, new ApiError('METHOD_NOT_ALLOWED', { allowed: METHODS })))
  const refused = new WeakSet<Duplex>()
  server.on('clientError', async (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    // Whatever else comes is as bad.
    if (refused.has(socket)) return
    refused.add(socket)
    const head = error.rawPacket?.toString('latin1', 0, LARGEST_HEAD) ?? ''
    const code =
      error.code !== 'HPE_HEADER_OVERFLOW' ? 'BAD_REQUEST' : isLongAddress(head) ? 'URI_TOO_LONG' : 'HEADERS_TOO_LARGE'
    const [, path] = /^\S+ (\S+)/.exec(head) ?? []
    if (code !== 'BAD_REQUEST') {
      // It takes long to receive what is too large, over and over.
      socket.pause()
      await gateway.tarpit.hold(addressOf(socket as Socket))
      socket.resume()
    }
    refuse(socket, new ApiError(code), path)
  })
  return server
}

/** Whether the head that was too large was so by its first line already. */
const isLongAddress = (head: string): boolean => /^[A-Z]+ /.test(head) && !head.includes('\r\n')

/** Answers on the bare socket and closes it. */
function refuse(socket: Duplex, error: ApiError, path = '/'): void {
  const body = JSON.stringify(errorBody(path, error))
  const headers = {
    ...errorHeaders(error),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': randomUUID(),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', body].join('\r\n'))
}
