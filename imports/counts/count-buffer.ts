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
  /** Index in the list of buffered days; -1 after the day was drained. */
  index: number
  /** Number of buffered counts. */
  size: number
}

/** The counts of a day, in the order of the file. */
export interface BufferedCounts {
  intervals: Uint32Array
  /** MISSING for an empty value, INVALID, or SILENT. */
  counts: Int32Array
  lines: Uint32Array
}

/** Instead of a count: an interval that the file does not mention, a count that cannot be read, an empty one that says nothing. */
export const ABSENT = -2
export const INVALID = -3
export const SILENT = -4

/** Days in the buffer from which on it is full. Days may be without counts, when the file has only empty values. */
const MAX_DAYS = 100_000

/** Capacity at first. It doubles, so that a small file takes little memory. */
const INITIAL_CAPACITY = 1_024

export class CountBuffer {
  private dayIndexes = new Int32Array(INITIAL_CAPACITY)
  private intervals = new Uint32Array(INITIAL_CAPACITY)
  private counts = new Int32Array(INITIAL_CAPACITY)
  private lines = new Uint32Array(INITIAL_CAPACITY)
  private days: BufferedDay[] = []
  private readonly daysByKey = new Map<string, BufferedDay>()
  private size = 0

  /** @param limit number of counts from which on the buffer is full; it is drained between chunks of the file */
  constructor(private readonly limit: number) {}

  get isFull(): boolean {
    return this.size >= this.limit || this.days.length >= MAX_DAYS
  }

  /** Returns the buffered day of a sensor at one of its assets, without counts at first. */
  openDay(sensor: Sensor, installation: Installation, day: Day): BufferedDay {
    const key = buildKey(sensor, installation, day)
    let buffered = this.daysByKey.get(key)
    if (!buffered) {
      const starts = listStarts(day, installation.nativeMinutes)
      buffered = { sensor, installation, day, starts, index: this.days.length, size: 0 }
      this.days.push(buffered)
      this.daysByKey.set(key, buffered)
    }
    return buffered
  }

  /** @param day a day that was not drained */
  add(day: BufferedDay, interval: number, count: number, line: number): void {
    const position = this.size++
    if (position === this.counts.length) this.grow()
    this.dayIndexes[position] = day.index
    this.intervals[position] = interval
    this.counts[position] = count
    this.lines[position] = line
    day.size++
  }

  /** Removes all days and yields them by asset and date. */
  *drain(): Generator<[BufferedDay, BufferedCounts]> {
    const { order, offsets } = this.sortByDay()
    const days = this.days.toSorted(byAssetAndDate)
    for (const day of days) {
      const offset = offsets[day.index]!
      if (day.size > 0) yield [day, this.takeCounts(order.subarray(offset, offset + day.size))]
    }
    for (const day of days) day.index = -1
    this.days = []
    this.daysByKey.clear()
    this.size = 0
  }

  private grow(): void {
    const capacity = 2 * this.counts.length
    const extend = <Column extends Int32Array | Uint32Array>(column: Column, longer: Column): Column => {
      longer.set(column)
      return longer
    }
    this.dayIndexes = extend(this.dayIndexes, new Int32Array(capacity))
    this.intervals = extend(this.intervals, new Uint32Array(capacity))
    this.counts = extend(this.counts, new Int32Array(capacity))
    this.lines = extend(this.lines, new Uint32Array(capacity))
  }

  /** Returns the positions by day, in the order of the file within a day, and the offset of each day in them. */
  private sortByDay(): { order: Int32Array; offsets: Int32Array } {
    const order = new Int32Array(this.size)
    const offsets = new Int32Array(this.days.length)
    let sum = 0
    this.days.forEach((day, i) => {
      offsets[i] = sum
      sum += day.size
    })
    const next = offsets.slice()
    for (let position = 0; position < this.size; position++) {
      const day = this.dayIndexes[position]!
      order[next[day]!] = position
      next[day] = next[day]! + 1
    }
    return { order, offsets }
  }

  private takeCounts(positions: Int32Array): BufferedCounts {
    const size = positions.length
    const intervals = new Uint32Array(size)
    const counts = new Int32Array(size)
    const lines = new Uint32Array(size)
    for (let i = 0; i < size; i++) {
      const position = positions[i]!
      intervals[i] = this.intervals[position]!
      counts[i] = this.counts[position]!
      lines[i] = this.lines[position]!
    }
    return { intervals, counts, lines }
  }
}

const buildKey = (sensor: Sensor, installation: Installation, day: Day): string =>
  `${sensor.number} ${installation.asset} ${installation.nativeMinutes} ${day.number}`

const byAssetAndDate = (a: BufferedDay, b: BufferedDay): number =>
  a.installation.asset - b.installation.asset || a.day.number - b.day.number || a.sensor.number - b.sensor.number
