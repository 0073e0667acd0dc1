/**
 * A primary and its replicas. Each is asked for its role and position four times a second; what they answer decides where a
 * batch runs.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionError } from '../errors'
import { Host, type ReaderLimits } from './host'
import { HostStates, type Role } from './host-states'

/** Events on a host, counted since the start. */
export interface HostCounts {
  /** Batches that it has run, whatever their result. */
  batches: number
  /** The batches among these that only the primary may run: those of the feed, and with keys that a replica does not know. */
  primaryOnly: number
  /** Batches that it refused because it had not replayed enough. */
  stale: number
  /** Batches that it cancelled because they conflicted with what it had to replay. */
  conflicts: number
  /** Batches that were repeated elsewhere. */
  retries: number
}

export interface HostReport extends HostCounts {
  /** Host and port. */
  name: string
  role: Role
  /** Undefined while it is unknown. */
  bytesBehind: number | undefined
  /** The time for which it could not serve reads; 0 while it can. */
  secondsBehind: number
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
  readonly counts: HostCounts[]
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
    this.counts = urls.map(() => ({ batches: 0, primaryOnly: 0, stale: 0, conflicts: 0, retries: 0 }))
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
    const now = performance.now()
    return this.hosts.map(({ name }, host) => ({
      name,
      role: this.states.role(host, now),
      bytesBehind: this.states.bytesBehind(host),
      secondsBehind: this.states.msBehind(host, now) / 1000,
      ...this.counts[host]!,
    }))
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

  /** Returns a sentence that describes an outage of all hosts from which the service does not recover by itself. */
  describeOutage(): string | undefined {
    const outages = this.hosts.map(({ outage }) => outage.describe())
    return outages.every(Boolean) ? outages[0] : undefined
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
      const now = performance.now()
      if (this.counts.some((_, other) => ['primary', 'standby'].includes(this.states.role(other, now)))) {
        this.host(index).cut()
      }
    }
  }
}
