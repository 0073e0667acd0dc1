/**
 * Buffers the counts of a file, in any order, until many of the same sensor-day are together. The memory grows up to a
 * limit; when it is full, all days are drained, and the next counts of one are another part of it.
 */
import { type Day, listStarts } from '../../db/calendar/local-days'
import type { Installation, Sensor } from './installations'

/** A sensor-day with counts in the buffer. */
export interface BufferedDay {
  sensor: Sensor
  installation: Installation
  day: Day
  /** Seconds from the start of the day to the start of each native interval. */
  starts: readonly number[]
  rows: BufferedRows
  /** Whether its rows were taken out of the buffer, which takes no more of it. */
  isDrained: boolean
}

/** The rows of a day, in the order of the file. */
export interface BufferedRows {
  intervals: number[]
  /** MISSING for an empty value, INVALID, or SILENT. */
  counts: number[]
  lines: number[]
}

/** Instead of a count: an interval that the file does not have, an unreadable count, an empty one without meaning. */
export const ABSENT = -2
export const INVALID = -3
export const SILENT = -4

/** Days in the buffer from which on it is full. Days may be without counts, when the file has only empty values. */
const MAX_DAYS = 100_000

export class CountBuffer {
  private readonly days = new Map<string, BufferedDay>()
  private size = 0

  /** @param limit number of counts from which on the buffer is full; it is drained between chunks of the file */
  constructor(private readonly limit: number) {}

  get isFull(): boolean {
    return this.size >= this.limit || this.days.size >= MAX_DAYS
  }

  /** Returns the buffered day of a sensor at one of its assets, without counts at first. */
  openDay(sensor: Sensor, installation: Installation, day: Day): BufferedDay {
    const key = buildKey(sensor, installation, day)
    const known = this.days.get(key)
    if (known) return known
    const starts = listStarts(day, installation.nativeMinutes)
    const rows = { intervals: [], counts: [], lines: [] }
    const buffered = { sensor, installation, day, starts, rows, isDrained: false }
    this.days.set(key, buffered)
    return buffered
  }

  /** @param day a day that was not drained */
  add({ rows }: BufferedDay, interval: number, count: number, line: number): void {
    this.size++
    rows.intervals.push(interval)
    rows.counts.push(count)
    rows.lines.push(line)
  }

  /** Removes all days and yields those with rows, by asset and date. */
  *drain(): Generator<BufferedDay> {
    for (const day of [...this.days.values()].sort(byAssetAndDate)) {
      day.isDrained = true
      if (day.rows.counts.length > 0) yield day
    }
    this.days.clear()
    this.size = 0
  }
}

const buildKey = (sensor: Sensor, installation: Installation, day: Day): string =>
  `${sensor.number} ${installation.asset} ${installation.nativeMinutes} ${day.number}`

const byAssetAndDate = (a: BufferedDay, b: BufferedDay): number =>
  a.installation.asset - b.installation.asset || a.day.number - b.day.number || a.sensor.number - b.sensor.number
