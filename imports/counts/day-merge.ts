/** Merges what a file has of one sensor-day with each other, and then with what is stored of it. */
import { intervalStarts, type LocalDay, type LocalDayCache } from '../../db/calendar/local-day-cache'
import { dayNumber } from '../../db/calendar/local-days'
import { MAX_COUNT, MISSING, unpack } from '../../db/calendar/packed-counts'
import { lastAtMost } from '../../db/calendar/zone-rules'
import { packDay } from '../../db/counts/sensor-day'
import { type SetAside, type SetAsideCount, SetAsideDay } from '../../db/counts/set-aside-day'
import type { StagedDay } from '../../db/counts/staged-days'
import type { StoredFigures } from '../../db/figures'
import type { RowCounter } from '../row-counter'
import { ABSENT, INVALID } from './count-buffer'

/** A staged part, with the stored counts of its day. */
export interface StagedPart {
  asset: number
  company: number
  sensor: number
  native_minutes: number
  date: string
  zone: string
  counts: Buffer
  row_values: Buffer | null
  stored: Buffer | null
  set_asides: SetAside[] | null
}

export interface MergeOptions {
  days: LocalDayCache
  counter: RowCounter
  /** Whether the counts of an interval are added up. The sum must be the stored count, if there is one. */
  sum?: boolean
  /** Whether an interval that gets a count must have none, neither stored nor staged, be it the same number. */
  addOnly?: boolean
  /** Receives the sums of each day, by native interval; negative where there is none. */
  observe?: (sensor: number, day: LocalDay, starts: readonly number[], counts: ArrayLike<number>) => void
}

export class DayMerge {
  private readonly day: LocalDay
  private readonly starts: readonly number[]
  /** The rows in the order of the file; a position is that of the interval, or the second of the day if they are added up. */
  private readonly rows = { positions: [] as number[], counts: [] as number[], lines: [] as number[] }
  /** Why all rows of an interval are rejected. */
  private readonly refused = new Map<number, string>()
  private readonly setAside: SetAsideDay | undefined
  /** The counts of the merged day that are set aside, and change. */
  setAsideCounts: SetAsideCount[] = []

  constructor(
    private readonly first: StagedPart,
    private readonly options: MergeOptions,
    private readonly figures: Required<StoredFigures>,
  ) {
    this.day = options.days.day(first.zone, dayNumber(first.date))
    this.starts = intervalStarts(this.day, first.native_minutes)
    const { set_asides, native_minutes } = first
    if (set_asides) this.setAside = new SetAsideDay(set_asides, this.day, this.starts, native_minutes)
  }

  isOfSameDay({ asset, date, sensor }: StagedPart): boolean {
    return this.first.sensor === sensor && this.first.date === date && this.first.asset === asset
  }

  add({ counts: packed, row_values: values }: StagedPart): void {
    if (values) {
      for (let at = 0; at < values.length; at += 12) {
        this.addRow(values.readUInt32LE(at), values.readInt32LE(at + 4), values.readUInt32LE(at + 8))
      }
      return
    }
    // Without values no row of the part contradicts another, so that no line is named.
    const counts = unpack(packed, this.starts.length)
    for (let i = 0; i < counts.length; i++) if (counts[i] !== MISSING) this.addRow(i, counts[i]!, 0)
  }

  /** Returns the merged day without what is set aside, if it differs from the stored one. */
  finish(): StagedDay | undefined {
    const { first, starts, refused, options, figures, setAside } = this
    const { counts, lines } = this.rows
    const inDays = first.stored ? unpack(first.stored, starts.length) : new Float64Array(starts.length).fill(MISSING)
    const stored = setAside ? inDays.map((count, i) => (setAside.has(i) ? setAside.counts[i]! : count)) : inDays
    const sums = new Float64Array(starts.length).fill(ABSENT)
    const intervals = this.findIntervals()
    for (let i = 0; i < intervals.length; i++) {
      const interval = intervals[i]!
      if (interval >= 0) sums[interval] = addCount(sums[interval]!, counts[i]!)
    }
    for (let i = 0; i < sums.length && options.sum; i++) {
      if (sums[i]! > MAX_COUNT) this.refuse(i, EXCESS)
      else if (sums[i]! >= 0 && stored[i] !== MISSING && stored[i] !== sums[i])
        this.refuse(i, sumReason(sums[i]!, stored[i]!))
    }
    for (let i = 0; i < sums.length && options.addOnly; i++) {
      if (sums[i]! >= 0 && stored[i] !== MISSING) this.refuse(i, this.otherReason(i, stored[i]!))
    }
    for (const interval of refused.keys()) sums[interval] = ABSENT
    for (let i = 0; i < intervals.length; i++) {
      const interval = intervals[i]!
      if (interval < 0) continue
      const reason = refused.get(interval)
      const sum = sums[interval]!
      if (reason !== undefined) options.counter.reject({ line: lines[i]!, reason })
      else if (sum === stored[interval] || (counts[i] === MISSING && sum !== MISSING)) figures.unchanged++
      else figures[sum === MISSING ? 'erased' : setAside?.has(interval) ? 'set_aside' : 'stored']++
    }
    if (options.sum) options.observe?.(first.sensor, this.day, starts, sums)
    const merged = stored.map((count, i) => (sums[i] === ABSENT ? count : sums[i]!))
    this.setAsideCounts = setAside?.changes(merged, first.asset) ?? []
    const remaining = setAside ? merged.map((count, i) => (setAside.has(i) ? MISSING : count)) : merged
    if (remaining.every((count, i) => count === inDays[i])) return undefined
    const { asset, company, sensor, native_minutes: nativeMinutes } = first
    return { asset, company, sensor, nativeMinutes, day: this.day.number, packed: packDay(this.day, starts, remaining) }
  }

  private otherReason(interval: number, stored: number): string {
    return `${stored} is stored at ${this.options.days.format(this.day.zone, this.day.start + this.starts[interval]!)}`
  }

  private addRow(position: number, count: number, line: number): void {
    this.rows.positions.push(position)
    this.rows.counts.push(count)
    this.rows.lines.push(line)
  }

  /** Returns the interval of each row; -1 for a row that repeats an earlier one, or is rejected. */
  private findIntervals(): Int32Array {
    const { starts, options, figures } = this
    const { positions, counts, lines } = this.rows
    const intervals = new Int32Array(positions.length).fill(-1)
    const earlier = new Map<number, number>()
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i]!
      const interval = options.sum ? lastAtMost(starts, position) : position
      const other = earlier.get(position)
      if (counts[i] === INVALID) this.refuse(interval, partReason(lines[i]!))
      else if (other === undefined) {
        earlier.set(position, i)
        intervals[i] = interval
      } else if (options.addOnly) this.refuse(interval, this.otherReason(interval, counts[other]!))
      else if (counts[other] === counts[i]) figures.unchanged++
      else {
        const reason = conflictReason(counts[i]!, counts[other]!, lines[other]!)
        options.counter.reject({ line: lines[i]!, reason })
        if (options.sum) this.refuse(interval, partReason(lines[i]!))
      }
    }
    return intervals
  }

  /** Refuses an interval with all its rows, for the first reason that is given. */
  private refuse(interval: number, reason: string): void {
    if (!this.refused.has(interval)) this.refused.set(interval, reason)
  }
}

/** Adds a count to a sum, which is MISSING if all its parts are empty and ABSENT without any. */
const addCount = (sum: number, count: number): number =>
  count === MISSING ? Math.max(sum, MISSING) : Math.max(sum, 0) + count

/** Another value was given on an earlier line. */
function conflictReason(count: number, earlier: number, line: number): string {
  const text = (value: number) => (value === MISSING ? 'empty' : String(value))
  const hint = count === MISSING || earlier === MISSING ? ': without --erase an empty value changes nothing' : ''
  return `impressions is ${text(count)}, but line ${line} has ${text(earlier)} for the same interval${hint}`
}

/** One of the counts that are added up is rejected. */
const partReason = (line: number): string =>
  `impressions is part of an interval that would be incomplete, because line ${line} has an error`

/** The counts that are added up contradict the stored count. */
const sumReason = (sum: number, stored: number): string =>
  `impressions is part of an interval that adds up to ${sum}, but ${stored} is stored: all parts of an interval must be in one file (to replace the stored count, delete it first)`

/** The sum of the parts is not a count. */
const EXCESS = `impressions is part of an interval that adds up to more than ${MAX_COUNT}`
