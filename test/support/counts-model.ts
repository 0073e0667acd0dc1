/**
 * Reference implementation of the import of impressions, slow and independent of the service: what a file of counts stores,
 * row by row, with the options of the import.
 */
import { Temporal } from 'temporal-polyfill'
import type { CountOptions } from '../../imports/counts/count-options'
import { Calendar, type Grain } from '../world/calendar'

export interface CountedSensor {
  zone: string
  grain: Grain
  minutes: number
}

/** A row of a file. */
export interface CountRow {
  serial: string
  /** `YYYY-MM-DDTHH:MM` */
  local: string
  /** With an offset from UTC, that of the first or second pass; without one if undefined. */
  pass: 'earlier' | 'later' | undefined
  impressions: string
}

export interface ModelFigures {
  read: number
  stored: number
  unchanged: number
  erased: number
  dropped: number
  rejected: number
}

/** A row with the seconds at which it may start. */
interface Placed {
  row: CountRow
  line: number
  instants: number[]
}

const instantsCache = new Map<string, number[]>()

const isCount = (text: string): boolean => /^\d*$/.test(text)

export class CountsModel {
  /** By serial and second of the start. */
  readonly counts = new Map<string, number>()
  private figures: ModelFigures = { read: 0, stored: 0, unchanged: 0, erased: 0, dropped: 0, rejected: 0 }
  private rejected = new Set<number>()

  constructor(private readonly sensors: Record<string, CountedSensor>) {}

  /** Imports the valid rows of a file. @returns its figures and the lines of the rejected rows */
  import(rows: readonly CountRow[], options: CountOptions): ModelFigures & { lines: number[] } {
    this.figures = { read: rows.length, stored: 0, unchanged: 0, erased: 0, dropped: 0, rejected: 0 }
    this.rejected = new Set()
    const placed = rows.map((row, i): Placed => ({ row, line: i + 2, instants: this.instantsOf(row, options) }))
    const single: Placed[] = []
    const repeated: Placed[] = []
    for (const each of placed) {
      const { row, line, instants } = each
      if (instants.length === 2) repeated.push(each)
      else if (instants.length === 1) {
        if (!options.sumToGrain && !this.starts(row.serial, instants[0] as number)) this.rejected.add(line)
        else single.push(each)
      } else if (!isCount(row.impressions)) this.rejected.add(line)
      else if (options.skippedHour === 'drop') this.figures.dropped++
      else if (row.impressions === '') this.figures.unchanged++
      else this.rejected.add(line)
    }
    const resolved = repeated.flatMap(each => this.resolve(each, placed, options))
    if (options.sumToGrain) this.sum([...single, ...resolved], options)
    else this.give([...single, ...resolved], options)
    const lines = [...this.rejected].sort((a, b) => a - b)
    return { ...this.figures, rejected: lines.length, lines }
  }

  /** Returns a row of a repeated hour with the instants of its pass; nothing if it has none. */
  private resolve(each: Placed, file: readonly Placed[], { repeatedHour, erase, sumToGrain }: CountOptions): Placed[] {
    const { row, line } = each
    const date = row.local.slice(0, 10)
    const isInHour = (other: Placed) =>
      other.instants.length === 2 ||
      this.instantsOf({ ...other.row, pass: undefined }, { sumToGrain: true }).length === 2
    const all = file.filter(
      other => other.row.serial === row.serial && other.row.local.startsWith(date) && other.instants.length > 0,
    )
    const inHour = all.filter(({ instants }) => instants.length === 2)
    const outside = all.filter(other => !isInHour(other)).map(({ instants }) => instants[0] as number)
    const originals = originalsOf(inHour, outside)
    const original = originals.get(each)
    const group = inHour.filter(other => originals.get(other) === other)
    // A row of a start that was there before says nothing of the order.
    const seen = new Set<number>()
    const copies = new Set(
      all.filter(other => {
        const [instant = 0] = other.instants
        if (isInHour(other) || instant % 900 !== 0) return false
        return seen.size === seen.add(instant).size
      }),
    )
    const ofDay = all
    const steps = ofDay.slice(1).flatMap((next, i) => {
      const before = ofDay[i] as Placed
      if (copies.has(next) || (isInHour(next) && isInHour(before))) return []
      return [Math.sign((next.instants[0] as number) - (before.instants[0] as number))]
    })
    const directions = new Set(steps.filter(step => step !== 0))
    const runsIn = (sign: number) => {
      const runs: Placed[][] = []
      for (const other of group) {
        const last = runs.at(-1)?.at(-1)
        if (last && (last.row.local < other.row.local ? 1 : last.row.local > other.row.local ? -1 : 0) === sign) {
          runs.at(-1)?.push(other)
        } else runs.push([other])
      }
      return runs
    }
    const known = directions.size === 1 ? [...directions] : directions.size === 0 ? [1, -1] : []
    const sign = known.find(each => runsIn(each).length <= 2) ?? known[0]
    const runs = sign === undefined ? [] : runsIn(sign)
    const isOnce =
      sign === undefined ? new Set(group.map(({ row }) => row.local)).size === group.length : runs.length === 1
    let pass: 'first' | 'second' | undefined
    if (!original) pass = undefined
    else if (isOnce) {
      const second = Temporal.Instant.fromEpochMilliseconds((each.instants[1] as number) * 1000)
      const isNamed =
        second.toZonedDateTimeISO(this.sensor(row).zone).toPlainDateTime().toString().slice(0, 16) !== row.local
      pass = isNamed ? 'first' : repeatedHour
    } else if (runs.length === 2) pass = (runs[0] as Placed[]).includes(original) === (sign === 1) ? 'first' : 'second'
    if (row.impressions === '' && !erase) {
      this.figures.unchanged++
      return []
    }
    const [first, second] = each.instants as [number, number]
    const isStart = sumToGrain || (this.starts(row.serial, first) && this.starts(row.serial, second))
    if (pass && isStart) return [{ ...each, instants: [pass === 'first' ? first : second] }]
    this.rejected.add(line)
    return sumToGrain ? [{ ...each, row: { ...row, impressions: 'x' } }] : []
  }

  /** Stores counts of whole intervals. */
  private give(rows: readonly Placed[], { erase }: CountOptions): void {
    const given = new Map<string, string>()
    for (const { row, line, instants } of rows) {
      const key = `${row.serial} ${instants[0]}`
      const earlier = given.get(key)
      if (!isCount(row.impressions)) this.rejected.add(line)
      else if (row.impressions === '' && !erase) this.figures.unchanged++
      else if (earlier !== undefined && earlier !== row.impressions) this.rejected.add(line)
      else {
        given.set(key, row.impressions)
        this.figures[this.write(key, row.impressions)]++
      }
    }
  }

  /** Stores the sums of parts, of the intervals that have all of them. */
  private sum(rows: readonly Placed[], { erase }: CountOptions): void {
    const intervals = new Map<string, { parts: Map<number, { value: string; line: number }>; bad: Set<number> }>()
    const minutes = new Set<number>()
    const lengths = { elapsed: [] as number[], clock: [] as number[] }
    for (const { row, line, instants } of rows) {
      const value = row.impressions
      const isSilent = value === '' && !erase
      if (isSilent) this.figures.unchanged++
      // A row without a pass is an error in both.
      for (const instant of instants) {
        const start = this.intervalStart(row.serial, instant)
        minutes.add(this.sensor(row).minutes)
        lengths.elapsed.push((instant - start) / 60)
        lengths.clock.push(Math.abs(this.minuteShown(row.serial, instant) - this.minuteShown(row.serial, start)))
        const key = `${row.serial} ${start}`
        const interval = intervals.get(key) ?? { parts: new Map(), bad: new Set() }
        intervals.set(key, interval)
        if (isSilent) continue
        const isTaken = interval.parts.has(instant) || interval.bad.has(instant)
        if (isCount(value) && !isTaken) interval.parts.set(instant, { value, line })
        else {
          this.rejected.add(line)
          interval.bad.add(instant)
        }
      }
    }
    const longest = (distances: readonly number[]): number => {
      for (let length = 60; ; length--)
        if ([...minutes, ...distances].every(distance => distance % length === 0)) return length
    }
    const length = intervals.size === 0 ? 60 : Math.max(longest(lengths.elapsed), longest(lengths.clock))
    for (const [key, { parts, bad }] of intervals) {
      if (parts.size === 0) continue
      const [serial = '', start] = key.split(' ')
      const values = [...parts.values()].map(({ value }) => value)
      const counts = values.filter(Boolean)
      const sum = counts.length === 0 ? undefined : counts.reduce((total, value) => total + Number(value), 0)
      const stored = this.counts.get(key)
      const isWhole =
        bad.size === 0 &&
        [0, values.length].includes(counts.length) &&
        this.isWhole(serial, Number(start), length, parts)
      if (sum === stored) this.figures.unchanged += parts.size
      else if (sum !== undefined && stored !== undefined) for (const { line } of parts.values()) this.rejected.add(line)
      else if (isWhole) this.figures[this.write(key, String(sum ?? ''))] += parts.size
      else this.figures.dropped += parts.size
    }
  }

  /** Returns whether each part of a length that an interval has is there. */
  private isWhole(serial: string, start: number, length: number, parts: ReadonlyMap<number, unknown>): boolean {
    const { minutes } = this.sensors[serial] as CountedSensor
    if (length === minutes) return parts.size === 1 && parts.has(start)
    let expected = 0
    for (let at = start; at === start || !this.starts(serial, at); at += 60) {
      if ((at - start) % (length * 60) !== 0) continue
      if (!parts.has(at)) return false
      expected++
    }
    return parts.size === expected
  }

  private minuteShown(serial: string, instant: number): number {
    const shown = instant + this.calendarOf(serial).offset(instant)
    return (((shown % 86_400) + 86_400) % 86_400) / 60
  }

  private write(key: string, text: string): 'stored' | 'erased' | 'unchanged' {
    const value = text === '' ? undefined : Number(text)
    if (this.counts.get(key) === value) return 'unchanged'
    if (value === undefined) this.counts.delete(key)
    else this.counts.set(key, value)
    return value === undefined ? 'erased' : 'stored'
  }

  /** Returns the seconds at which the clock shows the start of a row: none, one or two. */
  private instantsOf(row: CountRow, { sumToGrain = false }: CountOptions): number[] {
    const { zone, minutes } = this.sensor(row)
    const key = `${zone} ${minutes} ${row.local} ${row.pass} ${sumToGrain}`
    const instants = instantsCache.get(key) ?? this.computeInstants(row, sumToGrain)
    instantsCache.set(key, instants)
    return instants
  }

  private computeInstants(row: CountRow, sumToGrain: boolean): number[] {
    const { zone, minutes } = this.sensor(row)
    const local = Temporal.PlainDateTime.from(row.local)
    if (row.pass) return [local.toZonedDateTime(zone, { disambiguation: row.pass }).epochMilliseconds / 1000]
    const exact = (['earlier', 'later'] as const)
      .map(disambiguation => local.toZonedDateTime(zone, { disambiguation }))
      .filter(zoned => zoned.toPlainDateTime().equals(local))
      .map(zoned => zoned.epochMilliseconds / 1000)
    const instants = [...new Set(exact)]
    if (minutes !== 60 || (sumToGrain && instants.length > 0)) return instants
    // An hourly sensor's rows are clock hours: a whole hour names those that begin within it.
    const around = local.toZonedDateTime('UTC').epochMilliseconds / 1000
    const named = []
    for (let instant = around - 86_400; instant < around + 86_400 && local.minute === 0; instant += 900) {
      if (!this.starts(row.serial, instant)) continue
      const shown = Temporal.Instant.fromEpochMilliseconds(instant * 1000)
        .toZonedDateTimeISO(zone)
        .toPlainDateTime()
      if (shown.with({ minute: 0 }).equals(local)) named.push(instant)
    }
    const all = [...new Set([...instants, ...named])].sort((a, b) => a - b)
    return all.length > 1 && !sumToGrain ? all.filter(instant => this.starts(row.serial, instant)) : all
  }

  /** Returns whether an interval of a sensor starts at a second. */
  private starts(serial: string, instant: number): boolean {
    return this.calendarOf(serial).isStart(instant, (this.sensors[serial] as CountedSensor).grain)
  }

  private calendarOf(serial: string): Calendar {
    return Calendar.of((this.sensors[serial] as CountedSensor).zone)
  }

  private intervalStart(serial: string, instant: number): number {
    let start = instant
    while (!this.starts(serial, start)) start -= 60
    return start
  }

  private sensor({ serial }: CountRow): CountedSensor {
    return this.sensors[serial] as CountedSensor
  }
}

/**
 * Returns for each row of a repeated hour the row of which it is a copy, or itself; nothing for rows that may be either.
 *
 * @param outside the instants of the sensor's other rows of the day
 */
function originalsOf(rows: readonly Placed[], outside: readonly number[]): Map<Placed, Placed | undefined> {
  const starts = outside.filter(instant => instant % 900 === 0)
  const copies = starts.length / new Set(starts).size
  const value = ({ impressions }: CountRow) => (isCount(impressions) ? impressions : 'x')
  const isSame = (a: Placed, b: Placed) => a.row.local === b.row.local && value(a.row) === value(b.row)
  const itself = new Map(rows.map(row => [row, row]))
  const first = new Map(rows.map(row => [row, rows.find(other => isSame(other, row)) as Placed]))
  const timesOf = (row: Placed) => rows.filter(({ row: { local } }) => local === row.row.local).length
  if (rows.every(row => first.get(row) === row)) return itself
  if (copies > 1 && Number.isInteger(copies) && rows.length % copies === 0) {
    const blocks = rows.map((_, i) => i - (i % copies))
    const parts = rows.map((_, i) => i % (rows.length / copies))
    const found = [blocks, parts].find(indexes =>
      rows.every((row, i) => isSame(row, rows[indexes[i] as number] as Placed)),
    )
    if (found) return new Map(rows.map((row, i) => [row, rows[found[i] as number] as Placed]))
  }
  const isClear = new Set(rows.map(row => first.get(row)?.row.local)).size === new Set(first.values()).size
  const isTwice = rows.every(row => timesOf(row) <= 2)
  if (copies === 1 && isTwice) return itself
  if (isClear) return first
  return starts.length === 0 && isTwice ? itself : new Map()
}
