/** Imports counts: buffers them, stages them as sensor-days, and merges these into what is stored. */
import type { ClientBase } from 'pg'
import { LocalDayCache } from '../../calendar/local-day-cache'
import { MISSING } from '../../calendar/packed-counts'
import type { StoredFigures } from '../figures'
import type { RowCounter } from '../row-counter'
import { type BufferedCounts, type BufferedDay, CountBuffer } from './count-buffer'
import type { CountOptions } from './count-options'
import { conflictReason, mergeDays, storeDays } from './merge-days'
import { packDay } from './sensor-day'
import { createStagingTables, type StagedDay, stageDays } from './staged-days'

/** Counts in memory before they are staged, at 18 bytes each. */
const MAX_BUFFERED_COUNTS = 2_000_000

/** The minutes of 48 hours, more than any day has. */
const MAX_INTERVALS = 2880

/** Marks an interval that the file does not mention. */
const ABSENT = -2

export class CountImporter {
  readonly days = new LocalDayCache()
  readonly buffer: CountBuffer
  /** Count and line by interval, reused from day to day. */
  private readonly counts = new Float64Array(MAX_INTERVALS)
  private readonly lines = new Uint32Array(MAX_INTERVALS)
  private stagedDays = 0
  /** Whether counts of one day may be staged in several parts, so that duplicates show only when they are merged. */
  private inParts = false
  private duplicates = 0
  private merged: StoredFigures = { stored: 0, unchanged: 0 }

  constructor(
    private readonly client: ClientBase,
    private readonly counter: RowCounter,
    options: CountOptions = {},
  ) {
    this.buffer = new CountBuffer(options.maxBufferedCounts ?? MAX_BUFFERED_COUNTS)
  }

  add(day: BufferedDay, interval: number, count: number, line: number): void {
    this.buffer.add(day, interval, count, line)
  }

  async flushIfFull(): Promise<void> {
    if (!this.buffer.isFull) return
    this.inParts = true
    await this.stage(false)
  }

  /** Compares the counts with each other and with what is stored; rejects those that conflict. */
  async validate(): Promise<void> {
    await this.stage(true)
    this.merged = await mergeDays(this.client, this.days, this.counter)
  }

  async store(): Promise<StoredFigures> {
    await storeDays(this.client)
    const { stored, unchanged } = this.merged
    return { stored, unchanged: unchanged + this.duplicates }
  }

  private async stage(all: boolean): Promise<void> {
    if (this.stagedDays === 0) await createStagingTables(this.client)
    this.stagedDays = await stageDays(this.client, 'staged_days', this.drain(all), this.stagedDays)
  }

  private *drain(all: boolean): Generator<StagedDay> {
    for (const [day, counts] of this.buffer.drain(all)) yield this.stagedDayOf(day, counts)
  }

  private stagedDayOf({ sensor, installation, day, starts }: BufferedDay, buffered: BufferedCounts): StagedDay {
    const counts = this.counts.subarray(0, starts.length).fill(ABSENT)
    const lines = this.lines.subarray(0, starts.length)
    const duplicates: number[] = []
    for (let i = 0; i < buffered.intervals.length; i++) {
      const interval = buffered.intervals[i] as number
      const count = buffered.counts[i] as number
      const line = buffered.lines[i] as number
      const earlier = counts[interval] as number
      if (earlier === ABSENT) {
        counts[interval] = count
        lines[interval] = line
      } else if (this.inParts) duplicates.push(interval, count, line)
      else if (earlier === count) this.duplicates++
      else this.counter.reject({ line, reason: conflictReason(count, earlier, lines[interval] as number) })
    }
    const present: number[] = []
    const empty: number[] = []
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) empty.push(i)
      else if (counts[i] === ABSENT) counts[i] = MISSING
      else if (this.inParts) present.push(i)
    }
    const linesOf = (intervals: number[]) => Uint32Array.from(intervals, interval => lines[interval] as number)
    return {
      asset: installation.asset,
      company: installation.company,
      sensor: sensor.number,
      nativeMinutes: installation.nativeMinutes,
      day: day.number,
      packed: packDay(day, starts, counts),
      emptyIntervals: empty.length > 0 ? Buffer.from(Uint16Array.from(empty).buffer) : null,
      lines: this.inParts ? Buffer.from(linesOf([...present, ...empty]).buffer) : null,
      duplicates: duplicates.length > 0 ? Buffer.from(Float64Array.from(duplicates).buffer) : null,
    }
  }
}
