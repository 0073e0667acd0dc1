/** Imports counts: buffers them, stages them as sensor-days, and merges these into what is stored. */
import type { ClientBase } from 'pg'
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { MISSING, packDay } from '../../db/calendar/packed-counts'
import { createStagingTables, type StagedDay, stageDays } from '../../db/counts/staged-days'
import { readBatches } from '../../db/cursor'
import type { StoredFigures } from '../../db/figures'
import type { RowCounter } from '../row-sink'
import { ABSENT, type BufferedDay, type BufferedRows, CountBuffer, INVALID, SILENT } from './count-buffer'
import type { CountOptions } from './count-options'
import type { MergeOptions } from './day-merge'
import type { ExtendedBounds } from './extended-bounds'
import { Guard } from './guard'
import { mergeDays, storeDays } from './merge-days'
import { Parts } from './parts'
import type { RowSpacing } from './spacing/row-spacing'

/** Counts in memory before they are staged, at some 30 bytes each. */
const MAX_BUFFERED_COUNTS = 2_000_000

/** The minutes of 48 hours, more than any day has. */
const MAX_INTERVALS = 2880

export class CountImporter {
  readonly buffer: CountBuffer
  /** Rows that change nothing, and rows that are left out, without those that were buffered. */
  unchanged = 0
  dropped = 0
  /** The counts of a day by interval, reused from day to day. */
  private readonly counts = new Float64Array(MAX_INTERVALS)
  private readonly guard: Guard | undefined
  /** Undefined unless counts are added up. */
  readonly parts: Parts | undefined
  private stagedDays = 0
  /** Whether counts of one day may be staged in several parts. */
  private inParts = false
  private merged: Required<StoredFigures> = { stored: 0, unchanged: 0, set_aside: 0, erased: 0, dropped: 0 }

  /** @param bounds given if installations are extended @param spacing given unless the interval of the rows is known */
  constructor(
    private readonly client: ClientBase,
    readonly days: LocalDayCache,
    private readonly counter: RowCounter,
    readonly options: CountOptions = {},
    private readonly bounds?: ExtendedBounds,
    private readonly spacing?: RowSpacing,
  ) {
    this.buffer = new CountBuffer(options.maxBufferedCounts ?? MAX_BUFFERED_COUNTS)
    this.parts = options.sumToGrain ? new Parts(options) : undefined
    if (options.onImplausible || options.refuseImplausible) this.guard = new Guard(client, days, options)
  }

  /** Adds the value of a row. @param count INVALID if it is rejected: no other value of its interval is added up */
  add(day: BufferedDay, interval: number, count: number, line: number): void {
    const isSilent = this.isSilent(count)
    if (isSilent) this.unchanged++
    this.parts?.add(day.day, day.starts, day.installation.nativeMinutes, interval)
    if (this.parts) this.buffer.add(day, interval, isSilent ? SILENT : count, line)
    else if (count >= 0 || (count === MISSING && !isSilent)) this.buffer.add(day, interval, count, line)
  }

  /** Returns whether a value is empty and therefore changes nothing. */
  isSilent(count: number): boolean {
    return count === MISSING && !this.options.erase
  }

  /** Leaves out a row that belongs nowhere, if that is allowed. Returns whether it is. */
  leaveOut(kind: 'skipped' | 'outside', count: number): boolean {
    if (kind === 'skipped' && this.options.skippedHour === 'drop') this.dropped++
    else if (count === MISSING) this.unchanged++
    else return false
    return true
  }

  async flushIfFull(): Promise<void> {
    if (!this.buffer.isFull) return
    this.inParts = true
    await this.stage()
  }

  /** Stages the buffered counts. Returns whether the file repeats rows. Later ones are of days whose clock changes. */
  async findCopies(): Promise<boolean> {
    this.inParts ||= this.options.timeZone !== undefined || this.options.stamps === 'end'
    await this.stage()
    return hasCopies(this.client)
  }

  /** Compares the counts with each other and with what is stored; rejects those that conflict. */
  async validate(): Promise<void> {
    await this.stage()
    const { client, days, counter, options, parts } = this
    parts?.takeRanges()
    const observe: MergeOptions['observe'] = (sensor, counts) => this.guard?.include(sensor, counts)
    this.merged = await mergeDays(client, { days, counter, observe, parts })
    await this.spacing?.check(client, counter.rejected === 0 || options.skipFaulty === true, parts)
    await parts?.report(client, options)
    await this.guard?.check()
  }

  async store(): Promise<StoredFigures> {
    await this.bounds?.store(this.client, this.days)
    await storeDays(this.client)
    return {
      ...this.merged,
      unchanged: this.merged.unchanged + this.unchanged,
      dropped: this.merged.dropped + this.dropped,
    }
  }

  private async stage(): Promise<void> {
    if (this.stagedDays === 0) await createStagingTables(this.client)
    this.stagedDays = await stageDays(this.client, 'staged_days', this.drain(), this.stagedDays)
  }

  private *drain(): Generator<StagedDay> {
    for (const day of this.buffer.drain()) yield this.stageDay(day)
  }

  /** Returns a day with the first count of each interval, and all its rows where these are compared or added up. */
  private stageDay(buffered: BufferedDay): StagedDay {
    const { sensor, installation, day, starts, rows } = buffered
    const counts = this.counts.subarray(0, starts.length).fill(ABSENT)
    const sum = this.parts !== undefined
    let isCompared = sum
    let [counted, emptied] = [0, 0]
    for (let i = 0; i < rows.intervals.length && !sum; i++) {
      const interval = rows.intervals[i]!
      if (counts[interval] !== ABSENT) isCompared = true
      else {
        counts[interval] = rows.counts[i]!
        if (rows.counts[i] === MISSING) emptied++
        else counted++
      }
    }
    for (let i = 0; i < counts.length; i++) if (counts[i] === ABSENT) counts[i] = MISSING
    if (!sum) this.guard?.include(sensor.number, counts)
    const { asset, company, nativeMinutes } = installation
    const rowValues = isCompared || emptied > 0 || this.inParts || !day.regular ? packRows(rows) : null
    const rowStarts = this.spacing?.findDoubtful(buffered) ?? null
    const part = { counted, emptied, isCompared, rowValues, rowStarts }
    const packed = packDay(day, starts, counts)
    return { asset, company, sensor: sensor.number, nativeMinutes, day: day.number, packed, part }
  }
}

function packRows({ intervals, counts, lines }: BufferedRows): Buffer {
  const values = new Uint32Array(intervals.length * 3)
  for (let i = 0; i < intervals.length; i++) {
    values[3 * i] = intervals[i]!
    values[3 * i + 1] = counts[i]!
    values[3 * i + 2] = lines[i]!
  }
  return Buffer.from(values.buffer)
}

/** Parts that are fetched at once. */
const BATCH = 200

/** The parts of sensor-days that have several rows of an interval, or rows in several parts. */
const PARTS = `
  SELECT asset, date, sensor, row_values FROM staged_days
  WHERE row_values IS NOT NULL AND (asset, date, sensor) IN (
    SELECT asset, date, sensor FROM staged_days GROUP BY asset, date, sensor HAVING count(*) > 1 OR max(compared) > 0)
  ORDER BY asset, date, sensor`

/** Returns whether staged rows have the sensor, time and count of another one. */
async function hasCopies(client: ClientBase): Promise<boolean> {
  let day = ''
  let seen = new Set<number>()
  const parts = readBatches<{ asset: number; date: string; sensor: number; row_values: Buffer }>(client, PARTS, BATCH)
  for await (const batch of parts) {
    for (const { asset, date, sensor, row_values: values } of batch) {
      const key = `${asset} ${date} ${sensor}`
      if (key !== day) seen = new Set()
      day = key
      for (let at = 0; at < values.length; at += 12) {
        if (values.readInt32LE(at + 4) === INVALID) continue
        const row = values.readUInt32LE(at) * 2 ** 32 + values.readUInt32LE(at + 4)
        if (seen.has(row)) return true
        seen.add(row)
      }
    }
  }
  return false
}
