/**
 * Limits the open connections, in total and per address. At a limit, a new connection takes the place of one on which no request is
 * in progress: the oldest whose client has presented no valid key, else the oldest.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Proxies, readAddress } from './proxies'

export interface ConnectionLimits {
  maxConnections: number
  maxConnectionsPerAddress: number
  /** They have no limit per address, since they connect for many clients. */
  proxies: Proxies
}

/** Requests without a response on one connection. Clients that send more before they read are cut off. */
const MAX_PIPELINED = 32

interface Connection {
  readonly socket: Socket
  readonly address: string
  hasKey: boolean
  unanswered: number
  /** The last request that arrived, with its response. */
  last?: { request: IncomingMessage; response: ServerResponse }
}

export class Connections {
  /** In the order in which they were opened. */
  private readonly open = new Map<Socket, Connection>()

  constructor(private readonly limits: ConnectionLimits) {}

  /** Passes the requests of a server to a listener, within the limits. */
  protect(server: Server, listener: RequestListener): void {
    server.on('connection', socket => this.accept(socket))
    // An expectation other than 100-continue is ignored.
    for (const event of ['request', 'checkExpectation'])
      server.on(event, (request, response) => this.handle(listener, request, response))
  }

  /** The client of this connection has presented a valid key. */
  authenticate(socket: Socket): void {
    const connection = this.open.get(socket)
    if (connection) connection.hasKey = true
  }

  private accept(socket: Socket): void {
    const address = readAddress(socket)
    const { maxConnections, maxConnectionsPerAddress, proxies } = this.limits
    const all = [...this.open.values()]
    const same = proxies.includes(address) ? [] : all.filter(other => other.address === address)
    const full = same.length >= maxConnectionsPerAddress ? same : all.length >= maxConnections ? all : undefined
    if (full && !this.drop(full)) return void socket.destroy()
    this.open.set(socket, { socket, address, hasKey: false, unanswered: 0 })
    socket.once('close', () => this.open.delete(socket))
  }

  private handle(listener: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    const connection = this.open.get(request.socket)
    if (!connection) return
    if (connection.unanswered === MAX_PIPELINED) return void this.close(connection)
    connection.unanswered++
    connection.last = { request, response }
    response.once('close', () => connection.unanswered--)
    listener(request, response)
  }

  /** Closes one of these connections. Returns false where all have requests in progress. */
  private drop(connections: Connection[]): boolean {
    const idle = connections.filter(connection => !isInProgress(connection))
    const found = idle.find(({ hasKey }) => !hasKey) ?? idle[0]
    if (found) this.close(found)
    return found !== undefined
  }

  private close({ socket }: Connection): void {
    this.open.delete(socket)
    socket.destroy()
  }
}

/** Returns whether a request arrived as a whole and has no response yet. Clients with a key may also take their time to read it. */
const isInProgress = ({ hasKey, unanswered, last }: Connection): boolean =>
  unanswered > 0 && last!.request.complete && (hasKey || !last!.response.writableEnded)
