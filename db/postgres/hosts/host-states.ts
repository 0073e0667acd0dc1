/**
 * Chooses hosts by what they last answered, without input or output of its own. Lag is bounded by positions in the write-ahead
 * log: what the primary had written when it answered at most `maxLagMs` ago, a replica must have replayed. All times are
 * milliseconds of a clock that never goes back.
 */

/**
 * `behind`: a standby that lags too much to serve reads. `away`: it does not answer. `retired`: a former primary, which a failover has
 * replaced. `diverged`: a standby that follows another primary.
 */
export const ROLES = ['primary', 'standby', 'behind', 'away', 'retired', 'diverged'] as const

export type Role = (typeof ROLES)[number]

export interface HostAnswer {
  isStandby: boolean
  /** The position that a primary has written, or a standby has replayed: bytes of the log. */
  lsn: number
  timeline: number | null
  /** Differs after a restart. */
  startedAt: string
}

interface HostState {
  role: Exclude<Role, 'behind' | 'diverged'>
  lsn: number | undefined
  answeredAt: number
  startedAt: string
  /** Whether it lags too much, or did so and has not caught up since. */
  isBehind: boolean
  /** Whether it has replayed what the primary never wrote, because it follows another one. */
  hasDiverged: boolean
}

interface Written {
  sentAt: number
  lsn: number
}

const NEVER = Number.NEGATIVE_INFINITY

export class HostStates {
  private readonly states: HostState[]
  /** The latest primary, whether it answers now or not. */
  private primary: number | undefined
  private timeline = 0
  private primaryAnsweredAt = NEVER
  /** The least position that the primary has written, by the time at which it was asked, ascending. */
  private written: Written[] = []

  /** @param maxLagMs the longest that a committed change may be missing in a read */
  constructor(
    hosts: number,
    private readonly maxLagMs: number,
  ) {
    this.states = Array.from({ length: hosts }, () => ({
      role: 'away',
      lsn: undefined,
      answeredAt: NEVER,
      startedAt: '',
      isBehind: false,
      hasDiverged: false,
    }))
  }

  /** @param sentAt when the host was asked: its answer covers everything that was committed before */
  answered(host: number, answer: HostAnswer, sentAt: number, now: number): void {
    const state = this.state(host)
    if (state.startedAt !== answer.startedAt) state.hasDiverged = false
    Object.assign(state, { lsn: answer.lsn, answeredAt: now, startedAt: answer.startedAt })
    if (answer.isStandby) this.standbyAnswered(host, answer.lsn, sentAt, now)
    else this.primaryAnswered(host, answer.lsn, answer.timeline ?? 0, sentAt, now)
  }

  failed(host: number): void {
    Object.assign(this.state(host), { role: 'away', isBehind: true })
  }

  /** The host has refused a read because it has not replayed enough. */
  refused(host: number): void {
    this.state(host).isBehind = true
  }

  /** Returns what a read that begins now must see; undefined before any host has answered. */
  required(now: number): number | undefined {
    return this.writtenSince(now - this.maxLagMs)?.lsn
  }

  /** Returns whether the primary has answered recently enough to bound the lag. */
  isBounded(now: number): boolean {
    return this.primaryAnsweredAt >= now - this.maxLagMs
  }

  /**
   * Returns the hosts for a read, best first: standbys that have replayed enough, the primary, and last those that did not answer
   * but may do so again. The same rank gets the same order while the hosts are in the same state.
   *
   * @param rank a whole number, by which readers are spread over the standbys
   * @param last the host of the reader's last read, which comes first while it can be used
   */
  order(rank: number, last: number | undefined, now: number): number[] {
    const required = this.required(now)
    const isCurrent = (state: HostState) =>
      isUsable(state) && state.lsn !== undefined && (required === undefined || state.lsn >= required)
    const replicas = this.states.flatMap((_, host) => (host === this.primary ? [] : host))
    const start = replicas.length === 0 ? 0 : rank % replicas.length
    const ranked = [...replicas.slice(start), ...replicas.slice(0, start)]
    const current = ranked.filter(host => isCurrent(this.state(host)))
    const primary = this.availablePrimary()
    const usable = primary === undefined ? current : [...current, primary]
    const others = [...ranked, ...(this.primary === undefined ? [] : [this.primary])].filter(
      host => !usable.includes(host) && this.state(host).role === 'away' && !this.state(host).hasDiverged,
    )
    const first = last !== undefined && usable.includes(last) ? [last] : []
    return [...first, ...usable.filter(host => host !== last), ...others]
  }

  /** Returns the primary, if it answers. */
  availablePrimary(): number | undefined {
    return this.primary !== undefined && this.state(this.primary).role === 'primary' ? this.primary : undefined
  }

  /** Returns whether this process, or another one that has asked at other moments, may read on a host without this position. */
  mayMiss(lsn: number, host: number, now: number): boolean {
    const state = this.state(host)
    if (state.role === 'primary' || state.role === 'retired' || state.hasDiverged || state.lsn === undefined)
      return false
    if (state.lsn >= lsn || state.answeredAt < now - 2 * this.maxLagMs) return false
    const [oldest] = this.written
    return !oldest || oldest.sentAt > now - 2 * this.maxLagMs || state.lsn >= oldest.lsn
  }

  role(host: number): Role {
    const { role, hasDiverged, isBehind } = this.state(host)
    if (role !== 'standby') return role
    return hasDiverged ? 'diverged' : isBehind ? 'behind' : role
  }

  private standbyAnswered(host: number, lsn: number, sentAt: number, now: number): void {
    const state = this.state(host)
    state.role = 'standby'
    // Without a primary, a position that one replica has replayed shows what was written.
    if (!this.isBounded(now) && !state.hasDiverged) this.record(sentAt, lsn, now)
    const required = this.required(now) ?? 0
    // A host that was left returns only when it is clearly within the bound: it would otherwise come and go.
    const caughtUp = this.writtenSince(now - this.maxLagMs / 2)?.lsn ?? 0
    if (lsn < required) state.isBehind = true
    else if (lsn >= caughtUp) state.isBehind = false
  }

  private primaryAnswered(host: number, lsn: number, timeline: number, sentAt: number, now: number): void {
    const state = this.state(host)
    const isReplaced = host !== this.primary && timeline === this.timeline && this.availablePrimary() !== undefined
    if (timeline < this.timeline || isReplaced) {
      state.role = 'retired'
      return
    }
    if (host !== this.primary) {
      const former = this.primary === undefined ? undefined : this.state(this.primary)
      if (former?.role === 'primary') former.role = 'retired'
      this.primary = host
    }
    // A failover may have lost positions that others had replayed.
    if (timeline > this.timeline || lsn < (this.written.at(-1)?.lsn ?? 0)) this.written = []
    this.timeline = timeline
    Object.assign(state, { role: 'primary', isBehind: false, hasDiverged: false })
    this.primaryAnsweredAt = sentAt
    this.record(sentAt, lsn, now)
    for (const other of this.states) {
      if (other.role === 'standby' && other.answeredAt < sentAt && (other.lsn ?? 0) > lsn) other.hasDiverged = true
    }
  }

  private record(sentAt: number, lsn: number, now: number): void {
    const latest = this.written.at(-1)
    if (latest && lsn < latest.lsn) return
    this.written.push({ sentAt, lsn })
    // The first one is kept until the next one is as old as that.
    while (this.written[1] && this.written[1].sentAt <= now - 2 * this.maxLagMs) this.written.shift()
  }

  /** Returns the first position since a time, or else the last one. */
  private writtenSince(time: number): Written | undefined {
    return this.written.find(({ sentAt }) => sentAt >= time) ?? this.written.at(-1)
  }

  private state(host: number): HostState {
    return this.states[host]!
  }
}

const isUsable = ({ role, isBehind, hasDiverged }: HostState): boolean =>
  role === 'primary' || (role === 'standby' && !isBehind && !hasDiverged)
