/**
 * Gathers counts as they come, in any order, until many belong together by sensor and day. What is gathered stands in
 * one block of memory of fixed size; when it is full, the days that were left alone longest are handed on.
 */

import type { Installation, Sensor } from '../entities/installations'
import type { ClockDay } from './clock'

/** A sensor's day at an asset that is being gathered. */
export interface OpenDay {
  key: string
  sensor: Sensor
  installation: Installation
  day: ClockDay
  /** Seconds from the day's start at which its intervals begin. */
  starts: readonly number[]
  /** Its place among the open days. */
  index: number
  size: number
  /** When it was last added to, as a place in the block. */
  touched: number
}

/** What was said about one day, in the order of the file. */
export interface Said {
  intervals: Uint16Array
  /** MISSING for an interval that was said to be missing. */
  counts: Int32Array
  lines: Uint32Array
}

/** So many mentions fit in beyond the bound: what one piece of a file may hold. */
const SLACK = 65_536

export class Gathering {
  private readonly days32: Int32Array
  private readonly intervals: Uint16Array
  private readonly counts: Int32Array
  private readonly lines: Uint32Array
  private readonly order: Int32Array
  private days: OpenDay[] = []
  private size = 0

  /** @param bound mentions that may be held before room has to be made */
  constructor(private readonly bound: number) {
    const capacity = bound + SLACK
    this.days32 = new Int32Array(capacity)
    this.intervals = new Uint16Array(capacity)
    this.counts = new Int32Array(capacity)
    this.lines = new Uint32Array(capacity)
    this.order = new Int32Array(capacity)
  }

  get full(): boolean {
    return this.size >= this.bound
  }

  /** The open day of this key, opened by `make` when it is not. */
  open(sensor: Sensor, key: string, make: () => Pick<OpenDay, 'installation' | 'day' | 'starts'>): OpenDay {
    let open = sensor.days.get(key)
    if (!open) {
      open = { ...make(), key, sensor, index: this.days.length, size: 0, touched: 0 }
      this.days.push(open)
      sensor.days.set(key, open)
    }
    return open
  }

  add(day: OpenDay, interval: number, count: number, line: number): void {
    const at = this.size++
    this.days32[at] = day.index
    this.intervals[at] = interval
    this.counts[at] = count
    this.lines[at] = line
    day.size++
    day.touched = at
  }

  /** Takes out the days that were left alone longest (`all`: every day), by asset and date. */
  *takeDays(all: boolean): Generator<[OpenDay, Said]> {
    const fresh = all ? this.size : this.size * 0.75
    let kept = this.days.filter(day => day.touched >= fresh)
    if (kept.reduce((sum, day) => sum + day.size, 0) > this.size / 2) kept = []
    const keeping = new Set(kept)
    const taken = this.days.filter(day => !keeping.has(day))
    const begins = this.sort()
    for (const day of taken.sort(byAssetAndDate)) yield [day, this.said(day, begins[day.index] as number)]
    for (const { sensor, key } of taken) {
      sensor.days.delete(key)
      if (sensor.current?.key === key) sensor.current = undefined
    }
    this.compact(keeping)
  }

  /** Puts the places of each day behind each other in `order`, each day's in the order of the file. */
  private sort(): Int32Array {
    const begins = new Int32Array(this.days.length)
    let sum = 0
    this.days.forEach((day, i) => {
      begins[i] = sum
      sum += day.size
    })
    const next = begins.slice()
    for (let at = 0; at < this.size; at++) {
      const day = this.days32[at] as number
      this.order[next[day] as number] = at
      next[day] = (next[day] as number) + 1
    }
    return begins
  }

  private said(day: OpenDay, begin: number): Said {
    const said = {
      intervals: new Uint16Array(day.size),
      counts: new Int32Array(day.size),
      lines: new Uint32Array(day.size),
    }
    for (let i = 0; i < day.size; i++) {
      const at = this.order[begin + i] as number
      said.intervals[i] = this.intervals[at] as number
      said.counts[i] = this.counts[at] as number
      said.lines[i] = this.lines[at] as number
    }
    return said
  }

  private compact(keeping: Set<OpenDay>): void {
    const before = this.days
    this.days = [...keeping]
    let size = 0
    for (let at = 0; keeping.size > 0 && at < this.size; at++) {
      if (!keeping.has(before[this.days32[at] as number] as OpenDay)) continue
      for (const column of [this.days32, this.intervals, this.counts, this.lines]) column[size] = column[at] as number
      size++
    }
    const moved = new Int32Array(before.length)
    this.days.forEach((day, index) => {
      moved[day.index] = index
      day.index = index
    })
    for (let at = 0; at < size; at++) {
      const index = moved[this.days32[at] as number] as number
      this.days32[at] = index
      ;(this.days[index] as OpenDay).touched = at
    }
    this.size = size
  }
}

const byAssetAndDate = (a: OpenDay, b: OpenDay): number =>
  a.installation.asset - b.installation.asset || a.day.number - b.day.number || a.sensor.number - b.sensor.number
