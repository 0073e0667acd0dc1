/** Imports counts: buffers them, stages them as sensor-days, and merges these into what is stored. */
import type { ClientBase } from 'pg'
import { LocalDayCache } from '../../calendar/local-day-cache'
import { MISSING } from '../../calendar/packed-counts'
import type { StoredFigures } from '../figures'
import type { RowCounter } from '../row-counter'
import { ABSENT, type BufferedCounts, type BufferedDay, CountBuffer, HALF } from './count-buffer'
import type { CountOptions } from './count-options'
import type { ExtendedBounds } from './extended-bounds'
import { extendInstallations } from './installations'
import { mergeDays, storeDays } from './merge-days'
import { conflictReason } from './merging/conflicts'
import { SummedDay } from './merging/summed-day'
import type { RowSpacing } from './row-spacing'
import { packDay } from './sensor-day'
import { createStagingTables, type DayPart, NO_INTERVAL, type StagedDay, stageDays } from './staged-days'

/** Counts in memory before they are staged, at 20 bytes each. */
const MAX_BUFFERED_COUNTS = 2_000_000

/** The minutes of 48 hours, more than any day has. */
const MAX_INTERVALS = 2880

export class CountImporter {
  readonly days = new LocalDayCache()
  readonly buffer: CountBuffer
  /** Rows that change nothing, and rows that are left out, without those that were buffered. */
  unchanged = 0
  dropped = 0
  /** Count and line by interval, reused from day to day. */
  private readonly counts = new Float64Array(MAX_INTERVALS)
  private readonly lines = new Uint32Array(MAX_INTERVALS)
  private stagedDays = 0
  /** Whether counts of one day may be staged in several parts, so that duplicates show only when they are merged. */
  private inParts = false
  private merged: Required<StoredFigures> = { stored: 0, unchanged: 0, erased: 0, dropped: 0 }

  /**
   * @param bounds what the counts extend; undefined if installations are not extended
   * @param spacing undefined if the interval of the rows is known
   */
  constructor(
    private readonly client: ClientBase,
    private readonly counter: RowCounter,
    readonly options: CountOptions = {},
    private readonly bounds?: ExtendedBounds,
    private readonly spacing?: RowSpacing,
  ) {
    this.buffer = new CountBuffer(options.maxBufferedCounts ?? MAX_BUFFERED_COUNTS)
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
  leaveOut(place: 'skipped' | 'outside', count: number): boolean {
    if (place === 'skipped' && this.options.skippedHour === 'drop') this.dropped++
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
    this.spacing?.check()
    const { client, days, counter, bounds, inParts } = this
    this.merged = await mergeDays(client, { days, counter, bounds, inParts, sum: this.options.sumToGrain === true })
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
      yield this.options.sumToGrain ? this.buildSummedDay(day, counts) : this.buildStagedDay(day, counts)
    }
  }

  private buildStagedDay(buffered: BufferedDay, given: BufferedCounts): StagedDay {
    const counts = this.counts.subarray(0, buffered.starts.length).fill(ABSENT)
    const lines = this.lines.subarray(0, buffered.starts.length)
    const duplicates: number[] = []
    const halves: number[] = []
    let [counted, emptied] = [0, 0]
    for (let i = 0; i < given.intervals.length; i++) {
      const isHalf = (given.intervals[i] as number) >= HALF
      const interval = (given.intervals[i] as number) % HALF
      const count = given.counts[i] as number
      const line = given.lines[i] as number
      const earlier = counts[interval] as number
      if (earlier === ABSENT) {
        counts[interval] = count
        lines[interval] = line
        if (isHalf)
          halves.push(line === given.lines[i - 1] ? (given.intervals[i - 1] as number) : NO_INTERVAL, interval)
        else if (count === MISSING) emptied++
        else counted++
      } else if (this.inParts) duplicates.push(interval, count, line)
      else if (earlier === count) this.unchanged++
      else this.counter.reject({ line, reason: conflictReason(count, earlier, lines[interval] as number) })
    }
    const present: number[] = []
    const empty: number[] = []
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) empty.push(i)
      else if (counts[i] === ABSENT) counts[i] = MISSING
      else if (this.inParts) present.push(i)
    }
    this.spacing?.include(buffered, counts)
    const collectLines = (intervals: number[]) => Uint32Array.from(intervals, interval => lines[interval] as number)
    return this.stagedDay(buffered, counts, {
      counted,
      emptied,
      emptyIntervals: empty.length > 0 ? Buffer.from(Uint16Array.from(empty).buffer) : null,
      lines: this.inParts ? Buffer.from(collectLines([...present, ...empty]).buffer) : null,
      duplicates: duplicates.length > 0 ? Buffer.from(Float64Array.from(duplicates).buffer) : null,
      halves: halves.length > 0 ? Buffer.from(Uint32Array.from(halves).buffer) : null,
      summands: null,
    })
  }

  /** Returns a day of counts that are added up. If there may be further parts of it, only the merge can do that. */
  private buildSummedDay(buffered: BufferedDay, { intervals: seconds, counts, lines }: BufferedCounts): StagedDay {
    const summed = new SummedDay(buffered.starts, { seconds, counts, lines }, (line, reason) => {
      if (!this.inParts) this.counter.reject({ line, reason })
    })
    summed.finish()
    this.spacing?.include(buffered, summed.sums)
    let [counted, emptied] = [0, 0]
    for (const { empty } of summed.rows()) {
      if (empty) emptied++
      else counted++
    }
    if (!this.inParts) this.unchanged += summed.repeated
    const summands: number[] = []
    for (let i = 0; i < seconds.length; i++) {
      if (!this.inParts && !summed.isGood(i)) continue
      summands.push(seconds[i] as number, counts[i] as number, lines[i] as number)
    }
    return this.stagedDay(
      buffered,
      this.inParts ? summed.sums.fill(MISSING) : summed.sums.map(sum => Math.max(sum, MISSING)),
      {
        counted,
        emptied,
        emptyIntervals: null,
        lines: null,
        duplicates: null,
        halves: null,
        summands: Buffer.from(Uint32Array.from(summands).buffer),
      },
    )
  }

  private stagedDay(
    { sensor, installation, day, starts }: BufferedDay,
    counts: Float64Array,
    part: DayPart,
  ): StagedDay {
    this.bounds?.include(sensor.number, day, starts, counts)
    const { asset, company, nativeMinutes } = installation
    return {
      asset,
      company,
      sensor: sensor.number,
      nativeMinutes,
      day: day.number,
      packed: packDay(day, starts, counts),
      part,
    }
  }
}
