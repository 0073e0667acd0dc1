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
  /** Whether a valid key was presented. */
  hasKey: boolean
  unanswered: number
  /** The last request that arrived, with its response. */
  last?: { request: IncomingMessage; response: ServerResponse }
}

export class Connections {
  /** In the order in which they were opened. */
  private readonly open = new Map<Socket, Connection>()
  private readonly byAddress = new Map<string, number>()

  constructor(private readonly limits: ConnectionLimits) {}

  /** Passes the requests of a server to a listener, within the limits. */
  protect(server: Server, listener: RequestListener): void {
    server.on('connection', socket => this.accept(socket))
    // Whether a body is to be sent is decided once the key is known; an expectation other than 100-continue is ignored.
    for (const event of ['request', 'checkContinue', 'checkExpectation'])
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
    const isAddressFull = (this.byAddress.get(address) ?? 0) >= maxConnectionsPerAddress && !proxies.includes(address)
    const isFull = isAddressFull || this.open.size >= maxConnections
    if (isFull && !this.drop(isAddressFull ? address : undefined)) return void socket.destroy()
    const connection = { socket, address, hasKey: false, unanswered: 0 }
    this.open.set(socket, connection)
    this.count(address, 1)
    socket.once('close', () => this.forget(connection))
  }

  private handle(listener: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    const connection = this.open.get(request.socket)
    if (!connection) return
    if (connection.unanswered === MAX_PIPELINED) {
      this.forget(connection)
      return void request.socket.destroy()
    }
    connection.unanswered++
    connection.last = { request, response }
    response.once('close', () => connection.unanswered--)
    listener(request, response)
  }

  /** Closes a connection, of one address or of any. Returns false where all have requests in progress. */
  private drop(address: string | undefined): boolean {
    let found: Connection | undefined
    for (const connection of this.open.values()) {
      if ((address !== undefined && connection.address !== address) || isInProgress(connection)) continue
      found ??= connection
      if (connection.hasKey) continue
      found = connection
      break
    }
    if (!found) return false
    this.forget(found)
    found.socket.destroy()
    return true
  }

  private forget({ socket, address }: Connection): void {
    if (this.open.delete(socket)) this.count(address, -1)
  }

  private count(address: string, change: 1 | -1): void {
    const number = (this.byAddress.get(address) ?? 0) + change
    if (number > 0) this.byAddress.set(address, number)
    else this.byAddress.delete(address)
  }
}

/** Returns whether a request arrived as a whole and has no response yet. Clients with a key may also take their time to read it. */
const isInProgress = ({ hasKey, unanswered, last }: Connection): boolean =>
  unanswered > 0 && last!.request.complete && (hasKey || !last!.response.writableEnded)
