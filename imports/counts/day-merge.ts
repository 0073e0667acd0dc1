/** Merges what a file has of one sensor-day with each other, and then with what is stored of it. */
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { type Day, dayNumber, listStarts } from '../../db/calendar/local-days'
import { MAX_COUNT, MISSING, packDay, unpack } from '../../db/calendar/packed-counts'
import { lastAtMost } from '../../db/calendar/zone-rules'
import { CountedDay, type SetAside } from '../../db/counts/set-aside-day'
import type { StagedDay } from '../../db/counts/staged-days'
import type { StoredFigures } from '../../db/figures'
import type { RowCounter } from '../row-sink'
import { ABSENT, SILENT } from './count-buffer'
import type { Parts } from './parts'

/** A staged part, with the stored counts of its day. */
export interface StagedPart {
  asset: number
  company: number
  sensor: number
  native_minutes: number
  date: string
  zone: string
  /** The period with which the part is set aside. */
  set_aside: number | null
  counts: Buffer
  row_values: Buffer | null
  stored: Buffer | null
  set_asides: SetAside[] | null
}

export interface MergeOptions {
  days: LocalDayCache
  counter: RowCounter
  /** Given where the counts of an interval are added up. The sum must be the stored count, if there is one. */
  parts?: Parts | undefined
  /** Whether an interval that gets a count must have none, neither stored nor staged, be it the same number. */
  addOnly?: boolean
  /** The period that takes stored counts, too; others take only those that arrive. */
  divertTo?: number
  /** Receives the sums of each day, by native interval; negative where there is none. */
  observe?: (sensor: number, counts: ArrayLike<number>) => void
}

interface FoundParts {
  /** The rows with a value. */
  values: number[]
  isFaulty: boolean
  /** The number of all rows. */
  size: number
}

export class DayMerge {
  private readonly day: Day
  private readonly starts: readonly number[]
  /** The rows in the order of the file, by the position of the interval, or the second if they are added up. */
  private readonly rows = { positions: [] as number[], counts: [] as number[], lines: [] as number[] }
  private readonly counted: CountedDay

  constructor(
    private readonly first: StagedPart,
    private readonly options: MergeOptions,
    private readonly figures: Required<StoredFigures>,
  ) {
    this.day = options.days.day(first.zone, dayNumber(first.date))
    this.starts = listStarts(this.day, first.native_minutes)
    const takes = (period: number, isCounted: boolean) => (isCounted ? period === options.divertTo : !options.addOnly)
    this.counted = new CountedDay(first.stored, first.set_asides ?? [], this.day, this.starts, takes)
  }

  isOfSameDay({ asset, date, sensor }: StagedPart): boolean {
    return this.first.sensor === sensor && this.first.date === date && this.first.asset === asset
  }

  add({ counts: packed, row_values: values, set_aside }: StagedPart): void {
    if (values) {
      for (let at = 0; at < values.length; at += 12) {
        this.addRow(values.readUInt32LE(at), values.readInt32LE(at + 4), values.readUInt32LE(at + 8))
      }
      return
    }
    // Without values no row of the part contradicts another, so that no line is named.
    const counts = unpack(packed, this.starts.length)
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) continue
      if (set_aside !== null) this.counted.setAside(i, set_aside)
      this.addRow(i, counts[i]!, 0)
    }
  }

  /** Returns what differs from the stored day: its counts, and those that are set aside with each period. */
  finish(): StagedDay[] {
    const { first, day, starts, counted } = this
    const stored = Float64Array.from(starts, (_, i) => counted.countAt(i))
    const given = new Float64Array(starts.length).fill(ABSENT)
    if (this.options.parts) this.addUp(given, stored, this.options.parts)
    else this.compare(given, stored)
    const merged = stored.map((count, i) => (given[i] === ABSENT ? count : given[i]!))
    const { asset, company, sensor, native_minutes: nativeMinutes } = first
    return counted.split(merged).map(([setAside, counts]) => ({
      ...{ asset, company, sensor, nativeMinutes, day: day.number, setAside },
      packed: packDay(day, starts, counts),
    }))
  }

  private addRow(position: number, count: number, line: number): void {
    this.rows.positions.push(position)
    this.rows.counts.push(count)
    this.rows.lines.push(line)
  }

  /** Fills in the count of each interval. A row that repeats another changes nothing; two that differ are rejected. */
  private compare(given: Float64Array, stored: ArrayLike<number>): void {
    const { options, figures } = this
    const { positions: intervals, counts, lines } = this.rows
    const findOther = this.compareRows((row, other) => counts[row] !== counts[other])
    for (let i = 0; i < intervals.length; i++) {
      const [interval, count] = [intervals[i]!, counts[i]!]
      const isGiven = given[interval] !== ABSENT
      const other = findOther(i)
      if (options.addOnly && (isGiven || (count >= 0 && stored[interval] !== MISSING))) {
        const met = isGiven ? given[interval]! : stored[interval]!
        options.counter.reject({ line: lines[i]!, reason: this.otherReason(interval, met) })
      } else if (!options.addOnly && other !== undefined) {
        options.counter.reject({ line: lines[i]!, reason: conflictReason(count, counts[other]!, lines[other]!) })
      } else if (isGiven) figures.unchanged++
      else {
        given[interval] = count
        this.countRows(interval, count, stored, 1)
      }
    }
  }

  /** Returns what finds the first row that contradicts another one at its position; undefined if none does. */
  private compareRows(contradicts: (row: number, other: number) => boolean): (row: number) => number | undefined {
    const { positions, counts } = this.rows
    const firsts = new Map<number, number>()
    const others = new Map<number, number>()
    for (let i = 0; i < positions.length; i++) {
      // Rows that are empty or rejected contradict none.
      if (counts[i]! < MISSING) continue
      const position = positions[i]!
      const first = firsts.get(position)
      if (first === undefined) firsts.set(position, i)
      else if (contradicts(i, first) && !others.has(position)) others.set(position, i)
    }
    return row => {
      const first = firsts.get(positions[row]!)!
      return contradicts(row, first) ? first : others.get(positions[row]!)
    }
  }

  /** Fills in the sum of each interval that has all parts. */
  private addUp(given: Float64Array, stored: ArrayLike<number>, parts: Parts): void {
    const { first, day, starts, options, figures } = this
    const { positions, counts, lines } = this.rows
    for (const [interval, { values, isFaulty, size }] of this.findParts()) {
      if (values.length === 0) continue
      values.sort((a, b) => positions[a]! - positions[b]!)
      const sum = values.reduce((sum, i) => addCount(sum, counts[i]!), ABSENT)
      const seconds = values.map(i => positions[i]!)
      const isWhole = () =>
        !isFaulty &&
        values.every(i => counts[i] !== MISSING || sum === MISSING) &&
        parts.areWhole(day, starts, first.native_minutes, interval, seconds)
      const isStored = sum >= 0 && stored[interval] !== MISSING
      parts.hasWhole ||= sum === stored[interval]
      if (sum === stored[interval] || (!isStored && sum <= MAX_COUNT && isWhole())) {
        given[interval] = sum
        this.countRows(interval, sum, stored, values.length)
      } else if (isStored || sum > MAX_COUNT) {
        const hasEmpty = values.some(i => counts[i] === MISSING)
        const reason = !isStored ? EXCESS : hasEmpty ? ERASED_IN_PART : sumReason(sum, stored[interval]!)
        for (const i of values) options.counter.reject({ line: lines[i]!, reason })
      } else {
        figures.dropped += values.length
        const start = options.days.format(day.zone, day.start + starts[interval]!)
        const present = values.filter(i => counts[i] !== MISSING).length
        const seconds = (starts[interval + 1] ?? day.end - day.start) - starts[interval]!
        parts.addIncomplete(first.sensor, start, present, seconds, size)
      }
    }
    options.observe?.(first.sensor, given)
  }

  /** Returns the parts by interval, and rejects all rows that have one start. */
  private findParts(): Map<number, FoundParts> {
    const { positions, counts, lines } = this.rows
    const found = new Map<number, FoundParts>()
    const findOther = this.compareRows((row, other) => row !== other)
    for (let i = 0; i < positions.length; i++) {
      const interval = lastAtMost(this.starts, positions[i]!)
      const parts = found.get(interval) ?? { values: [], isFaulty: false, size: 0 }
      found.set(interval, parts)
      parts.size++
      // Without any value, its part is missing.
      if (counts[i] === SILENT) continue
      const isRejected = counts[i]! < MISSING
      const other = isRejected ? undefined : findOther(i)
      if (other !== undefined) this.options.counter.reject({ line: lines[i]!, reason: repeatedReason(lines[other]!) })
      if (isRejected || other !== undefined) parts.isFaulty = true
      else parts.values.push(i)
    }
    return found
  }

  private otherReason(interval: number, count: number): string {
    return `${count} is stored at ${this.options.days.format(this.day.zone, this.day.start + this.starts[interval]!)}`
  }

  private countRows(interval: number, count: number, stored: ArrayLike<number>, rows: number): void {
    if (count === stored[interval]) this.figures.unchanged += rows
    else this.figures[count === MISSING ? 'erased' : this.counted.isSetAside(interval) ? 'set_aside' : 'stored'] += rows
  }
}

/** Adds a count to a sum, which is MISSING if all its parts are empty and ABSENT without any. */
const addCount = (sum: number, count: number): number =>
  count === MISSING ? Math.max(sum, MISSING) : Math.max(sum, 0) + count

function conflictReason(count: number, other: number, line: number): string {
  const text = (value: number) => (value === MISSING ? 'empty' : String(value))
  const hint = count === MISSING || other === MISSING ? ': without --erase an empty value changes nothing' : ''
  return `impressions is ${text(count)}, but line ${line} has ${text(other)} for the same interval${hint}`
}

const repeatedReason = (line: number): string =>
  `start is that of line ${line} too: with --sum-to-grain each row is another part of an interval (a row for each event is no count)`

const sumReason = (sum: number, stored: number): string =>
  `impressions is part of an interval that adds up to ${sum}, but ${stored} is stored: all parts of an interval must be in one file (to replace the stored count, delete it first)`

const ERASED_IN_PART =
  'impressions is part of an interval that is stored, of which some parts are empty and others are not: it is erased by empty values in all its parts (--erase), and never in part'

const EXCESS = `impressions is part of an interval that adds up to more than ${MAX_COUNT}`
