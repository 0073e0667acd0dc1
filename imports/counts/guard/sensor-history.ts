/** The latest days of one sensor, with which its next day is compared. */

import { nativeGrain } from '../../../db/calendar/grains'
import { intervalStarts, type LocalDayCache } from '../../../db/calendar/local-day-cache'
import { dayNumber } from '../../../db/calendar/local-days'
import { unpack } from '../../../db/calendar/packed-counts'
import { DAY_LIMIT, findUsual, HISTORY_DAYS, INTERVAL_LIMIT, isAbove } from '../../../db/counts/usual'
import type { NativeGrain } from '../../../schema/generated'

export interface ImplausibleDay {
  /** Serial. */
  sensor: string
  /** `YYYY-MM-DD` */
  day: string
  /** The greatest count of an interval, or the total of the day. */
  value: number
  /** The greatest value that is usual. */
  usual: number
  /** The grain of the value: the native one of an interval, or `day`. */
  grain: NativeGrain
}

export interface ImplausibleDays {
  /** By sensor and date, up to 1,000. */
  days: ImplausibleDay[]
  total: number
}

/** A day as it will be stored. */
export interface GuardedDay {
  sensor: number
  serial: string
  native_minutes: number
  date: string
  zone: string
  impressions: number
  counts: Buffer
  /** Whether the file adds or changes it. */
  is_changed: boolean
  stored_impressions: number | null
  stored_counts: Buffer | null
}

/** The greatest count; 0 without any, which is negative. */
export function greatestOf(counts: ArrayLike<number>): number {
  let greatest = 0
  for (let i = 0; i < counts.length; i++) if (counts[i]! > greatest) greatest = counts[i]!
  return greatest
}

export class SensorHistory {
  private sensor = 0
  private nativeMinutes = 0
  /** Day numbers, totals and greatest counts of the days before. */
  private numbers: number[] = []
  private totals: number[] = []
  private greatest: number[] = []

  constructor(private readonly days: LocalDayCache) {}

  /**
   * Adds a day, and judges it if the file changes it. Counts are compared with those of the same grain.
   *
   * @param day by sensor, grain and date
   */
  judge(day: GuardedDay): ImplausibleDay | undefined {
    const { sensor, native_minutes: nativeMinutes, impressions } = day
    const number = dayNumber(day.date)
    const isSame = sensor === this.sensor && nativeMinutes === this.nativeMinutes
    this.drop(isSame ? number - HISTORY_DAYS : Number.POSITIVE_INFINITY)
    Object.assign(this, { sensor, nativeMinutes })
    const { length } = intervalStarts(this.days.day(day.zone, number), nativeMinutes)
    const counts = unpack(day.counts, length)
    const implausible = day.is_changed ? this.findImplausible(day, counts) : undefined
    this.numbers.push(number)
    this.totals.push(impressions)
    this.greatest.push(greatestOf(counts))
    return implausible
  }

  /** Forgets the days before one. */
  private drop(first: number): void {
    const found = this.numbers.findIndex(number => number >= first)
    for (const list of [this.numbers, this.totals, this.greatest]) list.splice(0, found < 0 ? list.length : found)
  }

  /** Judges what the file changes: what is stored already is not named again. */
  private findImplausible(day: GuardedDay, counts: Float64Array): ImplausibleDay | undefined {
    const { serial, date, native_minutes, impressions, stored_impressions, stored_counts } = day
    const stored = stored_counts && unpack(stored_counts, counts.length)
    const value = greatestOf(stored ? counts.filter((count, i) => count !== stored[i]) : counts)
    const usual = findUsual(value, this.greatest, INTERVAL_LIMIT)
    if (usual !== undefined) return { sensor: serial, day: date, value, usual, grain: nativeGrain(native_minutes) }
    const usualTotal = findUsual(impressions, this.totals, DAY_LIMIT)
    if (usualTotal === undefined || isAbove(stored_impressions ?? 0, usualTotal, DAY_LIMIT)) return undefined
    return { sensor: serial, day: date, value: impressions, usual: usualTotal, grain: 'day' }
  }
}
