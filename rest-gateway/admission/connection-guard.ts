/** Limits the open connections, in total and per address, and closes those whose clients do not read. */
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Connection, lowestRanked, Rank } from './connection'
import { type Proxies, readAddress } from './proxies'

export interface ConnectionLimits {
  maxConnections: number
  maxConnectionsPerAddress: number
  /** They have no limit per address, since they connect for many clients. */
  proxies: Proxies
}

/** Connections beyond the limits, on which only health checks are answered. */
const HEALTH_RESERVE = 16

/** The interval of the checks whether clients read their responses. Checks, unlike time, do not pass while the machine is suspended. */
const CHECK_INTERVAL_MS = 1_000

export class ConnectionGuard {
  /** In the order in which they were opened. */
  private readonly open = new Map<Socket, Connection>()
  private readonly byAddress = new Map<string, number>()
  private reserved = 0

  constructor(private readonly limits: ConnectionLimits) {
    setInterval(() => {
      for (const connection of this.open.values()) connection.checkProgress()
    }, CHECK_INTERVAL_MS).unref()
  }

  /** Passes the requests of a server to a listener, within the limits. */
  protect(server: Server, listener: RequestListener): void {
    server.on('connection', socket => this.accept(socket))
    // Whether a body is to be sent is decided once the key is known; an expectation other than 100-continue is ignored.
    for (const event of ['request', 'checkContinue', 'checkExpectation'])
      server.on(event, (request, response) => this.open.get(request.socket)?.handle(listener, request, response))
  }

  /** Returns whether a request must be refused, and the connection closed behind it. */
  refuses(request: IncomingMessage): boolean {
    const connection = this.open.get(request.socket)
    return !connection || connection.isReserved || connection.excess === request
  }

  /** The client of this connection has presented a valid key. */
  authenticate(socket: Socket): void {
    const connection = this.open.get(socket)
    if (connection) connection.isAuthenticated = true
  }

  /** Returns the order in which connections are dropped. */
  rankOf(socket: Socket): Rank {
    return this.open.get(socket)?.rank ?? Rank.Protected
  }

  private accept(socket: Socket): void {
    const address = readAddress(socket)
    const { maxConnectionsPerAddress, proxies } = this.limits
    const isAddressFull = (this.byAddress.get(address) ?? 0) >= maxConnectionsPerAddress && !proxies.includes(address)
    const isFull = isAddressFull || this.open.size - this.reserved >= this.limits.maxConnections
    const isReserved = isFull && !this.drop(other => !other.isReserved && (!isAddressFull || other.address === address))
    if (isReserved && this.reserved >= HEALTH_RESERVE && !this.drop(other => other.isReserved))
      return void socket.destroy()
    const connection = new Connection(socket, address, isReserved)
    this.open.set(socket, connection)
    this.count(connection, 1)
    socket.once('close', () => this.forget(connection))
  }

  /** Drops the candidate of the lowest rank, the oldest of several. Returns false where all are protected. */
  private drop(isCandidate: (connection: Connection) => boolean): boolean {
    const found = lowestRanked(this.open.values(), each => (isCandidate(each) ? each.rank : Rank.Protected))
    found?.socket.destroy()
    if (found) this.forget(found)
    return found !== undefined
  }

  private forget(connection: Connection): void {
    if (this.open.delete(connection.socket)) this.count(connection, -1)
  }

  private count({ address, isReserved }: Connection, change: 1 | -1): void {
    if (isReserved) this.reserved += change
    const number = (this.byAddress.get(address) ?? 0) + change
    if (number > 0) this.byAddress.set(address, number)
    else this.byAddress.delete(address)
  }
}
