/**
 * A primary and its replicas. Each is asked for its role and position four times a second; what they answer decides where a
 * batch runs.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Batch } from '../batch'
import { ConnectionError, isRetriable, ReplayConflictError } from '../errors'
import type { Transport } from '../scoped-reader'
import { AUTHENTICATE_ON_HOST, type PresentedKey } from '../scoped-reader'
import { Host, type ReaderLimits } from './host'
import { HostStates, type Role } from './host-states'

export interface HostReport {
  /** Host and port. */
  name: string
  role: Role
  batches: number
}

const INTERVAL_MS = 250

/** The time between two questions of a response that waits for the replicas. */
const REPLAY_INTERVAL_MS = 20

/** A host that is silent for this part of the statement timeout is left. */
const SILENT_PART = 1 / 4

const MIN_SILENCE_MS = 500

/** A timer that is later than this shows that the event loop was blocked. */
const MAX_TIMER_DELAY_MS = 20

export class Hosts {
  readonly states: HostStates
  /** Resolves when each host has answered, or failed to. */
  readonly asked: Promise<unknown>
  private readonly hosts: Host[]
  private readonly inquiries: (Promise<void> | undefined)[] = []
  private readonly silenceMs: number
  private readonly timer: NodeJS.Timeout

  /** @param maxLagMs the longest that a committed change, such as the revocation of a key, may be missing in a read */
  constructor(
    urls: readonly string[],
    limits: ReaderLimits,
    private readonly maxLagMs: number,
  ) {
    this.silenceMs = Math.max(MIN_SILENCE_MS, limits.statementTimeoutMs * SILENT_PART)
    this.hosts = urls.map(url => new Host(url, limits, this.silenceMs))
    this.states = new HostStates(urls.length, maxLagMs)
    this.asked = this.inquireAll()
    this.timer = setInterval(() => void this.inquireAll(), INTERVAL_MS).unref()
  }

  host(index: number): Host {
    return this.hosts[index]!
  }

  /** Asks a host for its state, unless a question is under way. Never rejects. */
  inquire(index: number): Promise<void> {
    const inquiry =
      this.inquiries[index] ??
      this.ask(index).finally(() => {
        this.inquiries[index] = undefined
      })
    this.inquiries[index] = inquiry
    return inquiry
  }

  /** Returns the hosts that a read would use now, best first. */
  async usable(): Promise<Host[]> {
    await this.asked
    return this.states.order(0, undefined, performance.now()).map(index => this.host(index))
  }

  get isBounded(): boolean {
    return this.states.isBounded(performance.now())
  }

  /**
   * Resolves when every host that may serve a read, here or in another process, has replayed what the primary has written by
   * now; at the latest when those that have not are left for their lag.
   *
   * @throws ApiError UNAVAILABLE when the primary does not answer
   */
  async replicated(): Promise<void> {
    const start = performance.now()
    const primary = this.states.availablePrimary()
    if (primary === undefined) throw new ConnectionError('UNAVAILABLE')
    const { lsn } = await this.host(primary)
      .readState()
      .catch(() => {
        throw new ConnectionError('UNAVAILABLE')
      })
    for (;;) {
      const now = performance.now()
      const missing = this.hosts.flatMap((_, host) => (this.states.mayMiss(lsn, host, now) ? host : []))
      const left = start + this.maxLagMs - now
      if (missing.length === 0 || left <= 0) return
      const asked = Promise.all(missing.map(host => this.inquire(host)))
      await Promise.race([asked, sleep(left, undefined, { ref: false })])
      await sleep(Math.min(left, REPLAY_INTERVAL_MS))
    }
  }

  get reports(): HostReport[] {
    return this.hosts.map(({ name, batches }, host) => ({ name, role: this.states.role(host), batches }))
  }

  get connections(): Host['connections'] {
    const sum = { total: 0, idle: 0, waiting: 0 }
    for (const { connections } of this.hosts) {
      sum.total += connections.total
      sum.idle += connections.idle
      sum.waiting += connections.waiting
    }
    return sum
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await Promise.all(this.hosts.map(host => host.close()))
  }

  private inquireAll(): Promise<unknown> {
    return Promise.all(this.hosts.map((_, index) => this.inquire(index)))
  }

  private async ask(index: number, isRepeated = false): Promise<void> {
    const sentAt = performance.now()
    try {
      const answer = await this.host(index).readState()
      this.states.answered(index, answer, sentAt, performance.now())
    } catch {
      // This process was busy, at its start for example: the answer may have arrived meanwhile.
      const isLate = performance.now() - sentAt > this.silenceMs + MAX_TIMER_DELAY_MS
      if (isLate && !isRepeated) return this.ask(index, true)
      this.states.failed(index)
      // Whoever waits for it finds another one, unless none answers: then the reason may be this process.
      if (this.hosts.some((_, other) => this.states.role(other) !== 'away')) this.host(index).cut()
    }
  }
}

/** The row that a batch returns first. */
interface Authenticated {
  key: PresentedKey | null
  /** Whether the host had replayed what the batch requires; otherwise it has read nothing. */
  isCurrent: boolean
  isPrimary: boolean
}

/**
 * The way of one reader's batches to the hosts. They stay on one host while it can be used. A batch that fails there, or would
 * read too old a state, is repeated on another host as a new batch; nothing of the failed one is used.
 */
export class HostSession implements Transport {
  readonly authentication = AUTHENTICATE_ON_HOST
  /** The hash of the key, the position that a replica must have replayed (null admits the primary alone), and the timeout. */
  readonly credentials: [hash: Buffer, required: number | null, statementTimeout: string]
  private last: number | undefined
  private needsPrimary = false
  private readonly rank: number

  /** @param timeLeft returns how long a batch may take, in milliseconds */
  constructor(
    private readonly hosts: Hosts,
    keyHash: Buffer,
    statementTimeout: string,
    private readonly timeLeft: () => number,
  ) {
    this.credentials = [keyHash, null, statementTimeout]
    this.rank = keyHash.readUInt32BE()
  }

  requirePrimary(): void {
    this.needsPrimary = true
  }

  replicated(): Promise<void> {
    return this.hosts.replicated()
  }

  async send(batch: Batch): Promise<number> {
    await this.hosts.asked
    const tried = new Set<number>()
    // A replica may not know a new key yet: the result stands if the primary does not contradict it.
    let refusal: Batch | undefined
    let attempt = batch
    for (let host = this.choose(tried); host !== undefined; host = this.choose(tried, refusal !== undefined)) {
      if (tried.size > 0) attempt = attempt.again()
      tried.add(host)
      await this.hosts.host(host).send(attempt, this.timeLeft())
      const outcome = this.assess(host, attempt)
      if (outcome === 'final') {
        this.last = host
        return attempt.deliver()
      }
      if (outcome === 'unknown key') refusal = attempt
    }
    if (refusal) return refusal.deliver()
    if (!attempt.error) {
      attempt = attempt.again()
      attempt.abort(new ConnectionError('UNAVAILABLE'))
    }
    return attempt.deliver()
  }

  private choose(tried: ReadonlySet<number>, onPrimary = this.needsPrimary): number | undefined {
    const { states } = this.hosts
    const now = performance.now()
    const required = states.required(now)
    this.credentials[1] = onPrimary || required === undefined ? null : required
    const primary = states.availablePrimary()
    const hosts = onPrimary ? (primary === undefined ? [] : [primary]) : states.order(this.rank, this.last, now)
    return hosts.find(host => !tried.has(host))
  }

  private assess(host: number, { error, firstRow }: Batch): 'final' | 'unknown key' | 'retry' {
    if (error) {
      if (!isRetriable(error)) return 'final'
      if (!(error instanceof ReplayConflictError)) void this.hosts.inquire(host)
      return 'retry'
    }
    const { key, isCurrent, isPrimary } = firstRow as Authenticated
    if (isCurrent) return key || isPrimary ? 'final' : 'unknown key'
    this.hosts.states.refused(host)
    return 'retry'
  }
}
