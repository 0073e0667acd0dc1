/** The connections that requests read through: to one host, or to a primary and its replicas. */
import { ApiError } from '../../schema/errors'
import type { ZoneRules } from '../calendar/zone-rules'
import { batchesOf } from './batch'
import { FairQueue, type Lease } from './fair-queue'
import { DirectTransport, Host, type ReaderLimits } from './hosts/host'
import { type HostReport, HostSession, Hosts } from './hosts/hosts'
import { AUTHENTICATE_KEY, type ReadCounts, ScopedReader } from './scoped-reader'

const NO_KEY = Buffer.alloc(32)

/** A reader has the time of this many statements that barely meet their timeout. */
const MAX_SLOW_STATEMENTS = 3

/** The time after the timeout of a statement in which PostgreSQL has to cancel it. */
export const GRACE_MS = 1_000

const DEFAULT_REPLICA_LAG_MS = 1_000

/** The time for which the result of a ping holds. */
const PING_MS = 1_000

export class ReaderPool {
  /** In front of the connections. Whoever reads for a caller acquires one here first. */
  readonly queue: FairQueue
  private readonly host: Host | undefined
  private readonly hosts: Hosts | undefined
  private readonly zoneRules = new Map<number, ZoneRules>()
  private pinged: Promise<void> | undefined
  private readonly timeout: string

  /** @param urls of one host, or of several, of which one is the primary */
  constructor(
    urls: string | readonly string[],
    private readonly limits: ReaderLimits,
    private readonly createBatch = batchesOf('reader'),
    maxReplicaLagMs = DEFAULT_REPLICA_LAG_MS,
  ) {
    this.timeout = String(limits.statementTimeoutMs)
    this.queue = new FairQueue(limits.connections, limits.connectTimeoutMs)
    const [first = '', ...others] = [urls].flat()
    if (others.length > 0) this.hosts = new Hosts([first, ...others], limits, maxReplicaLagMs)
    else this.host = new Host(first, limits)
  }

  /**
   * Returns a reader for one request.
   *
   * @param keyHash SHA-256 of the presented key
   * @param counts to which what it reads is added
   * @param nextTurn awaited after each read, so that what uses its rows does not run at the same time as all others
   * @param lease of the connection that it reads on
   */
  readerFor(keyHash: Buffer, counts?: ReadCounts, nextTurn?: () => Promise<void>, lease?: Lease): ScopedReader {
    const timeLeft = this.startTimer()
    const transport = this.hosts
      ? new HostSession(this.hosts, keyHash, this.timeout, timeLeft)
      : new DirectTransport(this.host!, AUTHENTICATE_KEY, [keyHash, this.timeout], timeLeft)
    return new ScopedReader(transport, this.createBatch, this.zoneRules, counts, nextTurn, lease)
  }

  /** Checks that the database answers, at most once a second for all who ask. @throws ApiError UNAVAILABLE */
  ping(): Promise<void> {
    this.pinged ??= this.sendPing().finally(() => {
      const forget = () => {
        this.pinged = undefined
      }
      setTimeout(forget, PING_MS).unref()
    })
    return this.pinged
  }

  /** Whether the primary answers, so that a revoked key is refused in time. Always true with one host. */
  get isBounded(): boolean {
    return this.hosts?.isBounded ?? true
  }

  /** The state of each host; empty with one host. */
  get reports(): HostReport[] {
    return this.hosts?.reports ?? []
  }

  /** The number of connections, how many of them are idle, and how many requests wait for one. */
  get connections(): Host['connections'] {
    const { total, idle, waiting } = (this.host ?? this.hosts!).connections
    return { total, idle, waiting: waiting + this.queue.waiting }
  }

  async close(): Promise<void> {
    await (this.host ?? this.hosts!).close()
  }

  private async sendPing(): Promise<void> {
    for (const host of this.host ? [this.host] : await this.hosts!.usable()) {
      const batch = this.createBatch()
      const answered = batch.add(AUTHENTICATE_KEY, [NO_KEY, this.timeout])
      await host.send(batch, this.limits.connectTimeoutMs)
      batch.deliver()
      const isUp = await answered.then(
        () => true,
        () => false,
      )
      if (isUp) return
    }
    throw new ApiError('UNAVAILABLE')
  }

  /** Returns a function that returns how long the next batch of a reader may take. */
  private startTimer(): () => number {
    const { statementTimeoutMs } = this.limits
    const deadline = performance.now() + statementTimeoutMs * MAX_SLOW_STATEMENTS
    return () => Math.min(statementTimeoutMs + GRACE_MS, deadline - performance.now())
  }
}
