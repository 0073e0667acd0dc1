/** Options for counts that are ambiguous, outside of an installation, empty, or finer than the sensor's interval. */
import type { ImplausibleValue } from '../../db/counts/usual-counts'
import type { NativeGrain } from '../../schema/generated'
import type { ValueOptions } from '../csv/values'

/** The pass of a repeated hour to which a row belongs when a file has the hour only once. */
export const REPEATED_HOURS = ['first', 'second'] as const

/** An interval that gets no count. */
export interface IncompleteInterval {
  sensor: string
  /** With the offset at the asset, `2026-03-01T08:00+01:00`. */
  start: string
  /** The number of its parts that have a count. */
  parts: number
}

export interface IncompleteIntervals {
  /** `of` is the number of all parts. */
  intervals: (IncompleteInterval & { of: number })[]
  total: number
  /** The length of a part, in words. */
  length: string
}

export interface ImplausibleDay extends ImplausibleValue {
  /** Serial. */
  sensor: string
  /** `YYYY-MM-DD` */
  day: string
}

export interface ImplausibleDays {
  /** By sensor and date, up to 1,000. */
  days: ImplausibleDay[]
  total: number
}

export interface CountOptions extends Pick<ValueOptions, 'stamps' | 'timeZone' | 'intervalNumber'> {
  /** Store the valid rows even if others are rejected. */
  skipFaulty?: boolean
  /** Empty values remove the stored count instead of changing nothing. */
  erase?: boolean
  /** Without it such rows are rejected. */
  repeatedHour?: (typeof REPEATED_HOURS)[number]
  /** Leave out rows with a local time that the clock change skips. Without it they are rejected. */
  skippedHour?: 'drop'
  /** Start the first installation of a sensor at its first count, and end the last one after its last count. */
  extendInstallations?: boolean
  /** The interval that one row covers. Without it, a file whose rows seem to cover several is refused. */
  interval?: NativeGrain
  /** Add up counts that are finer than the sensor's interval. */
  sumToGrain?: boolean
  /** Receives the intervals that get no count because a part is missing, empty or faulty, if there are any. */
  onIncomplete?: (found: IncompleteIntervals) => void
  /** Refuse a file with implausible counts. */
  refuseImplausible?: boolean
  /** Receives the days with implausible counts, if there are any. */
  onImplausible?: (found: ImplausibleDays) => void
  /** The number of counts that are buffered in memory; for tests. */
  maxBufferedCounts?: number
}
