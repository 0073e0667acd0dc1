/**
 * Limits the requests that run or whose responses are being sent, and the bytes of large responses. One caller may have half of
 * each. At a limit, responses that their clients do not read make room: those of clients without a valid key first.
 */
import type { Socket } from 'node:net'
import { lowestRanked, Rank } from './connection'
import type { ConnectionGuard } from './connection-guard'

export interface InFlightLimits {
  /** Requests that run or whose responses are being sent. */
  maxInFlight: number
  /** Bytes of large responses that are being sent. */
  maxUnsentBytes: number
}

/** Smaller responses do not count: there are no more of them than connections. */
const LARGE_BYTES = 65_536

interface Usage {
  requests: number
  bytes: number
}

interface InFlightRequest extends Usage {
  readonly caller: string
  readonly socket: Socket
}

export class InFlight {
  /** The oldest first. */
  private readonly requests = new Set<InFlightRequest>()
  private readonly total: Usage = { requests: 0, bytes: 0 }
  private readonly byCaller = new Map<string, Usage>()

  constructor(
    private readonly limits: InFlightLimits,
    private readonly connections: Pick<ConnectionGuard, 'rankOf'>,
  ) {}

  /** Returns undefined when the limit is reached. */
  start(caller: string, socket: Socket): InFlightRequest | undefined {
    if (!this.makeRoom(caller, 'requests', 1, this.limits.maxInFlight)) return undefined
    const request = { caller, socket, requests: 1, bytes: 0 }
    this.requests.add(request)
    this.count(caller, 'requests', 1)
    return request
  }

  /** Counts the bytes of a response. Returns false when the limit is reached. */
  send(request: InFlightRequest, bytes: number): boolean {
    if (bytes < LARGE_BYTES || !this.requests.has(request)) return true
    if (!this.makeRoom(request.caller, 'bytes', bytes, this.limits.maxUnsentBytes)) return false
    request.bytes = bytes
    this.count(request.caller, 'bytes', bytes)
    return true
  }

  finish(request: InFlightRequest): void {
    if (!this.requests.delete(request)) return
    this.count(request.caller, 'bytes', -request.bytes)
    this.count(request.caller, 'requests', -1)
  }

  /** Drops responses until there is room. Returns false without room; a single one of any size always has. */
  private makeRoom(caller: string, unit: keyof Usage, amount: number, max: number): boolean {
    const isFull = (used: number, limit: number) => used > 0 && used + amount > limit
    const own = () => this.byCaller.get(caller)?.[unit] ?? 0
    while (isFull(own(), Math.ceil(max / 2)))
      if (!this.drop(other => other.caller === caller && other[unit] > 0)) return false
    while (isFull(this.total[unit], max)) if (!this.drop(other => other[unit] > 0)) return false
    return true
  }

  /** Drops the candidate of the lowest rank, the oldest of several. Returns false where all are protected. */
  private drop(isCandidate: (request: InFlightRequest) => boolean): boolean {
    const rankOf = (request: InFlightRequest) =>
      isCandidate(request) ? this.connections.rankOf(request.socket) : Rank.Protected
    const found = lowestRanked(this.requests, rankOf)
    found?.socket.destroy()
    if (found) this.finish(found)
    return found !== undefined
  }

  private count(caller: string, unit: keyof Usage, change: number): void {
    this.total[unit] += change
    const own = this.byCaller.get(caller) ?? { requests: 0, bytes: 0 }
    own[unit] += change
    if (own.requests > 0) this.byCaller.set(caller, own)
    else this.byCaller.delete(caller)
  }
}
