/** Imports counts: buffers them, stages them as sensor-days, and merges these into what is stored. */
import type { ClientBase } from 'pg'
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { MISSING } from '../../db/calendar/packed-counts'
import { packDay } from '../../db/counts/sensor-day'
import { createStagingTables, type DayPart, type StagedDay, stageDays } from '../../db/counts/staged-days'
import type { StoredFigures } from '../../db/figures'
import type { RowCounter } from '../row-counter'
import { ABSENT, type BufferedCounts, type BufferedDay, CountBuffer } from './count-buffer'
import type { CountOptions } from './count-options'
import type { ExtendedBounds } from './extended-bounds'
import { Guard } from './guard/guard'
import { extendInstallations } from './installations'
import { mergeDays, storeDays } from './merge-days'
import type { Merging } from './merging/day-merge'
import type { RowSpacing } from './spacing/row-spacing'

/** Counts in memory before they are staged, at 20 bytes each. */
const MAX_BUFFERED_COUNTS = 2_000_000

/** The minutes of 48 hours, more than any day has. */
const MAX_INTERVALS = 2880

export class CountImporter {
  readonly buffer: CountBuffer
  /** Rows that change nothing, and rows that are left out, without those that were buffered. */
  unchanged = 0
  dropped = 0
  /** Count and line by interval, reused from day to day. */
  private readonly counts = new Float64Array(MAX_INTERVALS)
  private readonly lines = new Uint32Array(MAX_INTERVALS)
  private readonly guard: Guard | undefined
  private stagedDays = 0
  /** Whether counts of one day may be staged in several parts. */
  private inParts = false
  private merged: Required<StoredFigures> = { stored: 0, unchanged: 0, erased: 0, dropped: 0 }

  /**
   * @param bounds what the counts extend; undefined if installations are not extended
   * @param spacing undefined if the interval of the rows is known
   */
  constructor(
    private readonly client: ClientBase,
    readonly days: LocalDayCache,
    private readonly counter: RowCounter,
    readonly options: CountOptions = {},
    private readonly bounds?: ExtendedBounds,
    private readonly spacing?: RowSpacing,
  ) {
    this.buffer = new CountBuffer(options.maxBufferedCounts ?? MAX_BUFFERED_COUNTS)
    if (options.onImplausible || options.refuseImplausible) this.guard = new Guard(client, days, options)
  }

  /**
   * Adds the value of a row.
   *
   * @param count INVALID for a row that is rejected: no other value of its interval is added up
   */
  add(day: BufferedDay, interval: number, count: number, line: number): void {
    if (count >= 0) this.buffer.add(day, interval, count, line)
    else if (this.isSilent(count)) this.unchanged++
    else if (count === MISSING || this.options.sumToGrain) this.buffer.add(day, interval, count, line)
  }

  /** Returns whether a value is empty and therefore changes nothing. */
  isSilent(count: number): boolean {
    return count === MISSING && !this.options.erase
  }

  /**
   * Leaves out a row that belongs nowhere, if that is allowed.
   *
   * @returns whether it is
   */
  leaveOut(kind: 'skipped' | 'outside', count: number): boolean {
    if (kind === 'skipped' && this.options.skippedHour === 'drop') this.dropped++
    else if (count === MISSING) this.unchanged++
    else return false
    return true
  }

  async flushIfFull(): Promise<void> {
    if (!this.buffer.isFull) return
    this.inParts = true
    await this.stage(false)
  }

  /** Compares the counts with each other and with what is stored; rejects those that conflict. */
  async validate(): Promise<void> {
    await this.stage(true)
    const { client, days, counter, observe } = this
    this.merged = await mergeDays(client, { days, counter, observe, sum: this.options.sumToGrain === true })
    await this.spacing?.check(client)
    await this.guard?.check()
  }

  async store(): Promise<StoredFigures> {
    const bounds = this.bounds?.all() ?? []
    if (bounds.length > 0) await extendInstallations(this.client, bounds)
    await storeDays(this.client)
    return { ...this.merged, unchanged: this.merged.unchanged + this.unchanged, dropped: this.dropped }
  }

  private async stage(all: boolean): Promise<void> {
    if (this.stagedDays === 0) await createStagingTables(this.client)
    this.stagedDays = await stageDays(this.client, 'staged_days', this.drain(all), this.stagedDays)
  }

  private *drain(all: boolean): Generator<StagedDay> {
    for (const [day, counts] of this.buffer.drain(all)) {
      const staged = this.options.sumToGrain ? stageSummands(day, counts) : this.stageIntervals(day, counts)
      const rowStarts = this.spacing?.findDoubtful(day, counts)
      yield rowStarts ? { ...staged, part: { ...staged.part, rowStarts } } : staged
    }
  }

  /** Returns a day with the first value of each interval. Further ones are compared with it when days are merged. */
  private stageIntervals(buffered: BufferedDay, given: BufferedCounts): StagedDay {
    const { sensor, day, starts } = buffered
    const counts = this.counts.subarray(0, starts.length).fill(ABSENT)
    const lines = this.lines.subarray(0, starts.length)
    const duplicates: number[] = []
    let [counted, emptied] = [0, 0]
    for (let i = 0; i < given.intervals.length; i++) {
      const interval = given.intervals[i] as number
      const count = given.counts[i] as number
      const line = given.lines[i] as number
      if (counts[interval] !== ABSENT) {
        duplicates.push(interval, count, line)
        continue
      }
      counts[interval] = count
      lines[interval] = line
      if (count === MISSING) emptied++
      else counted++
    }
    const hasLines = this.inParts || duplicates.length > 0
    const present: number[] = []
    const empty: number[] = []
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) empty.push(i)
      else if (counts[i] === ABSENT) counts[i] = MISSING
      else if (hasLines) present.push(i)
    }
    this.observe(sensor.number, day, starts, counts)
    const collectLines = (intervals: number[]) => Uint32Array.from(intervals, interval => lines[interval] as number)
    return stagedDay(buffered, counts, {
      counted,
      emptied,
      emptyIntervals: toBytes(Uint16Array.from(empty)),
      lines: hasLines ? toBytes(collectLines([...present, ...empty])) : null,
      duplicates: toBytes(Float64Array.from(duplicates)),
    })
  }

  /** Receives the counts of a day, negative where there is none, before they are stored. */
  private readonly observe: NonNullable<Merging['observe']> = (sensor, day, starts, counts) => {
    this.bounds?.include(sensor, day, starts, counts)
    this.guard?.include(sensor, counts)
  }
}

/** Returns a day with its counts one by one, which are added up when days are merged. */
function stageSummands(buffered: BufferedDay, { intervals: seconds, counts, lines }: BufferedCounts): StagedDay {
  const summands = new Uint32Array(seconds.length * 3)
  for (let i = 0; i < seconds.length; i++) {
    summands.set([seconds[i] as number, counts[i] as number, lines[i] as number], i * 3)
  }
  const nothing = new Float64Array(buffered.starts.length).fill(MISSING)
  return stagedDay(buffered, nothing, { summands: toBytes(summands) })
}

function stagedDay({ sensor, installation, day, starts }: BufferedDay, counts: Float64Array, part: DayPart): StagedDay {
  const { asset, company, nativeMinutes } = installation
  const packed = packDay(day, starts, counts)
  return { asset, company, sensor: sensor.number, nativeMinutes, day: day.number, packed, part }
}

const toBytes = ({ length, buffer }: Uint16Array | Uint32Array | Float64Array): Buffer | null =>
  length > 0 ? Buffer.from(buffer as ArrayBuffer) : null
