/**
 * A database and what it has to have: runs commands on both, and compares their outcomes. What a command changes of days that were over
 * goes to the ledger here, too.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readNodeRules, ZoneRules } from '../../db/calendar/zone-rules'
import { storeRules } from '../../db/zones/rules-in-force'
import { setClock } from '../support/clock'
import { createDatabase, settingsOf } from '../support/databases'
import { type Ended, run } from '../support/in-process'
import { World } from '../support/world'
import { OVER_AFTER } from './answers'
import { Calendar, dateOf, type Shift } from './calendar'
import { changedDays, KINDS, type Kind, Refusal, State, type Total } from './state'

/** The service and the model disagree. */
export class Difference extends Error {}

/** A step of a day's total. */
export interface Entry {
  kind: Kind
  asset: string
  day: number
  old: Total | undefined
  new: Total | undefined
  reason: string
  note: string | null
  isPublic: boolean
  final: boolean
  /** The place of the command in the order of commits, and when it ran by the clock of commits, in seconds. */
  commit: number
  from: number
  to: number
  /** Whether it is a restatement; else only intervals changed, or it is a first value. */
  isListed: boolean
  /** Whether the contract leaves open that it is listed, because it was over by another time zone, or by a clock that was ahead. */
  isOptional: boolean
}

/** A state with the instant by the clock of commits, in microseconds, until which it was there. */
export interface Moment {
  at: number
  step: number
  state: State
}

export interface Said {
  note?: string | null
  isPublic?: boolean
  restate?: boolean
}

export interface Change extends Said {
  args: string[]
  input?: string
  /** Changes the state, or throws a Refusal. */
  effect: (state: State) => void
  reason?: string
  /** Whether closed months refuse it; retention and offboarding are not bound by them. */
  isBound?: boolean
  /** Whether it removes entries of the ledger instead of adding some. */
  forgets?: { entry: (entry: Entry) => boolean; state: (state: State) => void }
}

/** The keys of a history, with the companies that they read. `observer` reads a company that no command names. */
export const KEYS = {
  one: ['companyone01'],
  both: ['companyone01', 'companytwo01'],
  observer: ['companyobs01'],
} as const

export type KeyName = keyof typeof KEYS

export const VENDORS = { minute: 'Own', quarter_hour: 'Quarter', hour: 'Hourly', day: 'Daily' }

export class History {
  state = new State()
  step = 0
  entries: Entry[] = []
  moments: Moment[] = []
  readonly moved = new Set<string>()
  /** Commands, to repeat a history by hand. */
  readonly script: string[] = []
  readonly keys: Record<KeyName, string> = { one: '', both: '', observer: '' }
  private readonly doubtful = new Set<string>()
  private commits = 0
  /** By how many seconds the clock of commits is ahead. */
  private ahead = 0
  /** The latest time that it has shown. */
  private latest = 0
  /** The number of times that it was set back. */
  setBacks = 0
  /** The present of the service in milliseconds, instead of its clock: that of commits, while it is ahead. */
  present: number | undefined
  world!: World

  private constructor(
    /** By zone, the rules that were in force before those of this Node. */
    private readonly shifts: ReadonlyMap<string, Shift>,
  ) {}

  private openWorld = async (): Promise<World> =>
    World.open({
      database: await createDatabase(),
      // A second later: an instant of the last second is the present.
      now: () => this.present ?? Date.now() + 1000 * (1 + Math.max(0, this.ahead)),
    })

  /** Returns the time by the clock of commits, in seconds. */
  private clock = (): number => Date.now() / 1000 + this.ahead

  static async open(shifts: ReadonlyMap<string, Shift> = new Map()): Promise<History> {
    const history = new History(shifts)
    history.world = await history.openWorld()
    await history.begin()
    return history
  }

  private async begin(): Promise<void> {
    for (const [zone, shift] of this.shifts) {
      await storeRules(this.world.owner, [shifted(zone, shift)])
      this.state.shifts.set(zone, shift)
    }
    const companies = [...new Set(Object.values(KEYS).flat())]
    await this.must(['import', 'companies', '-'], ['id,name', ...companies.map(id => `${id},${id}`)].join('\n'))
    for (const id of companies) this.state.companies.set(id, { id, name: id, closed: [] })
    const vendors = Object.entries(VENDORS).map(([grain, name]) => `${name},${grain === 'minute'},${grain}`)
    await this.must(['import', 'vendors', '-'], ['name,own,finest_grain', ...vendors].join('\n'))
    for (const [name, ids] of Object.entries(KEYS)) {
      const { stdout } = await this.must(['keys', 'issue', '--company', ...ids, '--json'])
      this.keys[name as KeyName] = JSON.parse(stdout).key
    }
  }

  async close(): Promise<void> {
    await this.world.stop()
  }

  run(args: readonly string[], input?: string): Promise<Ended> {
    return run(args, { METRICS_ENV: 'dev', ...settingsOf(this.world.database) }, input)
  }

  async must(args: readonly string[], input?: string): Promise<Ended> {
    const ended = await this.run(args, input)
    if (ended.code !== 0) throw new Difference(`${args.join(' ')}: exit ${ended.code}: ${ended.stderr}`)
    return ended
  }

  /** Runs a command on the service and on the state. It is refused by both, and changes nothing then, or by none. */
  async change(change: Change): Promise<{ isDone: boolean; document: Record<string, unknown> }> {
    const { args, input, effect, isBound = true, reason = '', note = null, isPublic = false, restate = false } = change
    await this.settle()
    const [before, after] = [this.state, this.state.copy()]
    let refusal: string | undefined
    try {
      effect(after)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusal = error.message
    }
    const steps = refusal === undefined ? changedDays(before, after) : []
    const closed = steps.filter(step => step.old?.total !== step.new?.total && before.isFinal(step.asset, step.day))
    const isClosed = isBound && !restate && closed.length > 0
    const explained = note === null ? [] : ['--reason', note, ...(isPublic ? ['--public'] : [])]
    const options = [...args, ...explained, ...(restate ? ['--restate'] : []), '--json']
    const from = this.clock()
    const { code, stdout, stderr } = await this.run(options, input)
    const to = this.clock()
    this.latest = Math.max(this.latest, to)
    const isRefused = isClosed || refusal !== undefined
    this.script.push(`${this.step}: ${options.join(' ')}${input ? ` <<< ${JSON.stringify(input)}` : ''} -> ${code}`)
    const output = `${stderr}${stdout}`.slice(-800)
    if (code !== (isRefused ? 1 : 0)) {
      throw new Difference(`exit ${code}; ${refusal ?? (isClosed ? 'a closed month' : 'not to be refused')}: ${output}`)
    }
    const [first] = closed
    if (isClosed && !(output.includes('closed') && output.includes(first!.asset))) {
      throw new Difference(`the refusal names neither closed months nor ${first!.asset}: ${output}`)
    }
    if (isRefused || args.includes('--dry-run')) return { isDone: false, document: {} }
    this.state = after
    if (change.forgets) this.forget(change.forgets)
    else this.enter(before, after, steps, { reason, note, isPublic, commit: ++this.commits, from, to })
    return { isDone: true, document: stdout.trim() === '' ? {} : JSON.parse(stdout) }
  }

  /** Adds what a transaction changed to the ledger. */
  private enter(
    before: State,
    after: State,
    steps: ReturnType<typeof changedDays>,
    said: Pick<Entry, 'reason' | 'note' | 'isPublic' | 'commit' | 'from' | 'to'>,
  ): void {
    for (const step of steps) {
      const { kind, asset, day } = step
      const states = [before, after].filter(state => state.assets.has(asset))
      const isOver = (calendar: Calendar, at = said.from) => calendar.end(day) + OVER_AFTER <= at
      const over = states.map(state => isOver(state.calendar(asset)))
      // A day that was over by a zone or rules that were corrected since, or by a clock that was ahead, may count as over.
      const once = states
        .flatMap(state => [state, ...state.assets.get(asset)!.former])
        .map(each => (typeof each === 'string' ? each : each.assets.get(asset)!.zone))
        .flatMap(zone => [Calendar.of(zone), Calendar.of(zone, this.shifts.get(zone))])
        .map(calendar => isOver(calendar, this.latest))
      const key = `${kind} ${asset} ${day}`
      if (![...over, ...once].some(Boolean)) {
        if (!step.new) this.doubtful.add(key)
        continue
      }
      const earlier = this.entries.filter(each => each.kind === kind && each.asset === asset && each.day === day)
      const valued = earlier.filter(each => each.old !== undefined || each.new !== undefined)
      const had = step.old !== undefined || valued.length > 0
      const isDoubtful = valued.length > 0 ? valued.every(each => each.isOptional) : this.doubtful.has(key)
      this.entries.push({
        ...step,
        ...said,
        final: before.assets.has(asset) && before.isFinal(asset, day),
        isListed: had && step.old?.total !== step.new?.total,
        isOptional: !over.every(Boolean) || (step.old === undefined && isDoubtful),
      })
    }
  }

  /** Removes what no longer can be read, from all that is remembered. */
  private forget({ entry, state }: NonNullable<Change['forgets']>): void {
    this.entries = this.entries.filter(each => !entry(each))
    for (const moment of this.moments) state(moment.state)
  }

  /** Remembers the state, with the latest instant at which it is what the database has. */
  async remember(): Promise<void> {
    const { rows } = await this.world.owner.query(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + $1::bigint * 1000000 AS at',
      [this.ahead],
    )
    this.moments.push({ at: Number(rows[0].at), step: this.step, state: this.state })
  }

  /**
   * Sets the clock of commits so many seconds ahead of the present, or behind it, and commits something: what was committed later by the
   * clock until now was committed then.
   */
  async setClock(seconds: number, commit: () => Promise<unknown>): Promise<void> {
    this.ahead = seconds
    await setClock(this.world.owner, seconds)
    this.script.push(`${this.step}: the clock of commits is ${seconds} s ahead`)
    const from = this.clock()
    await commit()
    const to = this.clock()
    if (this.moments.some(({ at }) => at / 1e6 >= from)) this.setBacks++
    this.moments = this.moments.filter(({ at }) => at / 1e6 < from)
    for (const entry of this.entries) {
      Object.assign(entry, { from: Math.min(entry.from, from), to: Math.min(entry.to, to) })
    }
  }

  /** Waits until no day ends its six hours within the next seconds, so that both agree on what is over. */
  private async settle(): Promise<void> {
    for (;;) {
      const times = [Date.now() / 1000, this.clock()]
      const zones = new Set([...this.state.assets.values()].flatMap(({ zone, former }) => [zone, ...former]))
      const ends = [...zones].flatMap(zone => {
        const calendars = [Calendar.of(zone), Calendar.of(zone, this.shifts.get(zone))]
        const days = times.map(now => calendars[0]!.day(now)).flatMap(today => [today - 2, today - 1, today])
        return calendars.flatMap(each => days.map(day => each.end(day) + OVER_AFTER))
      })
      if (!ends.some(end => times.some(now => end > now - 2 && end < now + 20))) return
      await sleep(1_000)
    }
  }

  /** Moves everything to a new database, as a backup does. */
  async transfer(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-world-'))
    try {
      await this.must(['export', 'all', '--output', join(folder, 'all')])
      const former = this.world
      this.world = await this.openWorld()
      await this.must(['import', 'all', join(folder, 'all')])
      await setClock(this.world.owner, this.ahead)
      await former.stop()
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  /** Returns the restatements that a key reads, in their order. */
  restatements(key: KeyName, first: number, last: number): Entry[] {
    const companies: readonly string[] = KEYS[key]
    const isVisible = ({ asset }: Entry) => companies.includes(this.state.assets.get(asset)?.company ?? '')
    return this.entries
      .filter(each => (each.isListed || each.isOptional) && isVisible(each) && each.day >= first && each.day <= last)
      .sort(
        (a, b) =>
          a.commit - b.commit ||
          (a.asset < b.asset ? -1 : a.asset > b.asset ? 1 : a.day - b.day) ||
          KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind),
      )
  }
}

/** Returns the rules of a zone under a shift, as an earlier version of Node would have them. */
function shifted(zone: string, { from, seconds }: Shift): ZoneRules {
  const { starts, offsets } = readNodeRules(zone)
  const before = starts.flatMap((at, i) => (at < from ? [{ at, offset: offsets[i]! }] : []))
  const after = starts.flatMap((at, i) => (at > from ? [{ at, offset: offsets[i]! + seconds }] : []))
  const all = [...before, { at: from, offset: before.at(-1)!.offset + seconds }, ...after]
  return new ZoneRules(
    zone,
    '2000a',
    all.map(({ at }) => at),
    all.map(({ offset }) => offset),
  )
}

export const rangeQuery = (first: number, last: number): string => `from_date=${dateOf(first)}&to_date=${dateOf(last)}`
