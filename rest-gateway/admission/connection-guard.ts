/** Limits the open connections, in total and per address, and handles the requests of a connection one after the other. */
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressOf } from './callers'
import type { Proxies } from './proxies'

export interface ConnectionLimits {
  maxConnections: number
  maxConnectionsPerAddress: number
  /** They have no limit per address, since they connect for many clients. */
  proxies: Proxies
}

/** Connections beyond the limits, on which only health checks are answered. */
const HEALTH_RESERVE = 16

/** Unanswered requests of one connection. */
const MAX_PIPELINED = 32

/** The order in which connections are dropped to make room for others. Protected ones are not. */
enum Rank {
  Unfinished,
  Idle,
  UnfinishedAuthenticated,
  Protected,
}

class Connection {
  /** Whether a valid key was presented. */
  isAuthenticated = false
  /** The request beyond MAX_PIPELINED. Its response is the last one on this connection. */
  excess: IncomingMessage | undefined
  private readonly pipeline: Parameters<RequestListener>[] = []
  /** What had arrived when the connection became idle. */
  private bytesReadIdle = -1

  constructor(
    readonly socket: Socket,
    readonly address: string,
    /** Whether it is one of the reserve for health checks. */
    readonly isReserved: boolean,
  ) {}

  get rank(): Rank {
    const [request] = this.pipeline.at(-1) ?? []
    // More bytes without a request are the beginning of its head.
    const isUnfinished = request ? !request.complete : this.socket.bytesRead > this.bytesReadIdle
    if (isUnfinished) return this.isAuthenticated ? Rank.UnfinishedAuthenticated : Rank.Unfinished
    return request || this.isAuthenticated ? Rank.Protected : Rank.Idle
  }

  handle(listener: RequestListener, ...[request, response]: Parameters<RequestListener>): void {
    if (this.excess) return
    if (this.pipeline.length === MAX_PIPELINED) {
      this.excess = request
      // Node itself resumes after each response.
      this.socket.pause().on('resume', () => this.socket.pause())
    }
    this.pipeline.push([request, response])
    response.once('close', () => {
      this.pipeline.shift()
      this.bytesReadIdle = this.socket.bytesRead
      const [next] = this.pipeline
      if (next && this.socket.writable) listener(...next)
    })
    if (this.pipeline.length === 1) listener(request, response)
  }
}

export class ConnectionGuard {
  /** In the order in which they were opened. */
  private readonly open = new Map<Socket, Connection>()
  private readonly byAddress = new Map<string, number>()
  private reserved = 0

  constructor(private readonly limits: ConnectionLimits) {}

  /** Passes the requests of a server to a listener, within the limits. */
  protect(server: Server, listener: RequestListener): void {
    server.on('connection', socket => this.accept(socket))
    // An expectation other than 100-continue is ignored.
    for (const event of ['request', 'checkExpectation'])
      server.on(event, (request, response) => this.open.get(request.socket)?.handle(listener, request, response))
  }

  /** Whether a request must be refused, and the connection closed behind it. */
  refuses(request: IncomingMessage): boolean {
    const connection = this.open.get(request.socket)
    return !connection || connection.isReserved || connection.excess === request
  }

  /** The client of this connection has presented a valid key. */
  authenticate(socket: Socket): void {
    const connection = this.open.get(socket)
    if (connection) connection.isAuthenticated = true
  }

  private accept(socket: Socket): void {
    const address = addressOf(socket)
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
    let found: Connection | undefined
    for (const connection of this.open.values()) {
      if (!isCandidate(connection) || connection.rank >= (found?.rank ?? Rank.Protected)) continue
      found = connection
      if (found.rank === Rank.Unfinished) break
    }
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
