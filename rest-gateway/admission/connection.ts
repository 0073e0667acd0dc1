/** A client's connection: handles its requests one after the other, and observes whether its client reads the responses. */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** The order in which connections are dropped to make room for others. Protected ones are not. */
export enum Rank {
  Unfinished,
  Stalled,
  Idle,
  Sending,
  UnfinishedAuthenticated,
  StalledAuthenticated,
  Protected,
}

/** Unanswered requests of one connection. */
const MAX_PIPELINED = 32

/** Checks without progress after which a response counts as stalled. */
const STALLED_CHECKS = 5

/** Checks without progress after which a connection is closed. */
const MAX_STALLED_CHECKS = 30
const MAX_STALLED_CHECKS_AUTHENTICATED = 60

export class Connection {
  /** Whether a valid key was presented. */
  isAuthenticated = false
  /** The request beyond MAX_PIPELINED. Its response is the last one on this connection. */
  excess: IncomingMessage | undefined
  private readonly pipeline: Parameters<RequestListener>[] = []
  /** The bytes that had arrived when the connection became idle. */
  private bytesReadIdle = -1
  /** The bytes that the client's system had received at the last check. */
  private bytesSent = 0
  private stalledChecks = 0

  constructor(
    readonly socket: Socket,
    readonly address: string,
    /** Whether it is one of the reserve for health checks. */
    readonly isReserved: boolean,
  ) {}

  get rank(): Rank {
    const { isAuthenticated, socket } = this
    const [request] = this.pipeline.at(-1) ?? []
    // More bytes without a request are the beginning of its head.
    const isUnfinished = request ? !request.complete : socket.bytesRead > this.bytesReadIdle
    if (isUnfinished) return isAuthenticated ? Rank.UnfinishedAuthenticated : Rank.Unfinished
    if (this.stalledChecks >= STALLED_CHECKS) return isAuthenticated ? Rank.StalledAuthenticated : Rank.Stalled
    if (isAuthenticated) return Rank.Protected
    if (socket.writableLength > 0) return Rank.Sending
    return request ? Rank.Protected : Rank.Idle
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

  /** Closes the connection when its client has not read for too long. Called at regular intervals. */
  checkProgress(): void {
    const { bytesWritten, writableLength } = this.socket
    const bytesSent = bytesWritten - writableLength
    this.stalledChecks = writableLength > 0 && bytesSent === this.bytesSent ? this.stalledChecks + 1 : 0
    this.bytesSent = bytesSent
    const max = this.isAuthenticated ? MAX_STALLED_CHECKS_AUTHENTICATED : MAX_STALLED_CHECKS
    if (this.stalledChecks >= max) this.socket.destroy()
  }
}

/** Returns the first item of the lowest rank; undefined where all are protected. */
export function lowestRanked<Item>(items: Iterable<Item>, rankOf: (item: Item) => Rank): Item | undefined {
  let found: Item | undefined
  let lowest = Rank.Protected
  for (const item of items) {
    const rank = rankOf(item)
    if (rank >= lowest) continue
    found = item
    lowest = rank
    if (lowest === Rank.Unfinished) break
  }
  return found
}
