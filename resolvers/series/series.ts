/**
 * Adds up totals of days, or sensor-days, by the buckets of a grain. Each sensor contributes its impressions, the native intervals that it
 * observed, and those expected while it was installed. The buckets of every grain add up to the same total.
 */
import { GRAINS, isWithinDay, NATIVE_MINUTES } from '../../db/calendar/grains'
import { countIntervals, type Day, dayNumber, listDays, listStarts, monthNumber } from '../../db/calendar/local-days'
import { addHours, MISSING, unpack } from '../../db/calendar/packed-counts'
import type { DayTotals, Detail, Installation, Measurement, SensorDay } from '../../db/queries/impressions'
import { ApiError } from '../../schema/errors'
import type { Grain, GroupGrain } from '../../schema/generated'
import { type DateRange, lengthOf } from '../limits/ranges'
import { countExpected, coversDay, listExpected } from './expected-intervals'
import { coverage } from './ratios'

/** Buckets in order, with their sums. */
export interface Series {
  days: Day[]
  /** The length of a bucket; undefined for days and longer. */
  minutes: number | undefined
  /** The index of the first bucket of each day. Days of one week have the same. */
  firstBucket: Int32Array
  sums: Float64Array
  /** Native intervals. */
  observed: Int32Array
  expected: Int32Array
}

/** Adds up a measurement by the buckets of a grain. */
export function buildSeries(measurement: Measurement, range: DateRange, grain: Grain): Series {
  const days = listDays(measurement.rules, range.fromDate, range.toDate)
  const minutes = isWithinDay(grain) ? GRAINS[grain].minutes : undefined
  const { firstBucket, size } = isWithinDay(grain)
    ? bucketsOfDays(days, GRAINS[grain].minutes)
    : bucketsOfPeriods(days, grain)
  const zeros = () => new Int32Array(size)
  const sums = new Float64Array(size)
  const series = { days, minutes, firstBucket, sums, observed: zeros(), expected: zeros() }
  for (const installation of measurement.installations) {
    for (let i = 0; i < days.length; i++) {
      expect(series.expected, firstBucket[i]!, days[i]!, installation, minutes)
    }
  }
  addTotals(series, measurement.totals)
  if (measurement.detail !== 'totals') {
    readingCounts(() => {
      for (const sensorDay of measurement.days) addSensorDay(series, sensorDay, measurement.detail)
    })
  }
  return series
}

/** Reads packed counts. @throws ApiError INTERNAL for those of another length than their day, which `verify` reports */
export function readingCounts<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof RangeError ? new ApiError('INTERNAL') : error
  }
}

/** Returns the impressions of a bucket; null where no sensor reported. */
export const impressionsOf = ({ observed, sums }: Series, bucket: number): number | null =>
  observed[bucket]! === 0 ? null : sums[bucket]!

export const coverageOf = (
  { observed, expected }: Record<'observed' | 'expected', ArrayLike<number>>,
  bucket: number,
): number | null => coverage(observed[bucket]!, expected[bucket]!)

/** A day that the zone skipped has no bucket. */
export const isSkipped = ({ start, end }: Day): boolean => start === end

/** Returns the number of buckets of a range, on days without a clock change. */
export function countBuckets(range: DateRange, grain: Grain): number {
  if (isWithinDay(grain)) return lengthOf(range) * (NATIVE_MINUTES.day / GRAINS[grain].minutes)
  return periodOf(range.toDate, grain) - periodOf(range.fromDate, grain) + 1
}

function bucketsOfDays(days: Day[], minutes: number): { firstBucket: Int32Array; size: number } {
  const firstBucket = new Int32Array(days.length)
  let size = 0
  for (let i = 0; i < days.length; i++) {
    firstBucket[i] = size
    size += countIntervals(days[i]!, minutes)
  }
  return { firstBucket, size }
}

function bucketsOfPeriods(days: Day[], grain: GroupGrain): { firstBucket: Int32Array; size: number } {
  const firstBucket = new Int32Array(days.length)
  let size = 0
  let period = Number.NaN
  const number = days[0] ? dayNumber(days[0].date) : 0
  for (let i = 0; i < days.length; i++) {
    const day = days[i]!
    if (!isSkipped(day)) {
      const next = periodOf(day.date, grain, number + i)
      if (next !== period) size++
      period = next
    }
    firstBucket[i] = Math.max(0, size - 1)
  }
  return { firstBucket, size }
}

/** Returns a number that is the same for all days of one bucket. */
export function periodOf(date: string, grain: GroupGrain, number = dayNumber(date)): number {
  const { unit, bucketOf } = GRAINS[grain]
  return bucketOf(unit === 'day' ? number : monthNumber(date))
}

/** Adds the intervals expected of an installation on a day, by buckets of the day. */
function expect(expected: Int32Array, first: number, day: Day, installation: Installation, minutes?: number): void {
  if (!minutes) {
    expected[first]! += countExpected(day, installation)
    return
  }
  const { nativeMinutes } = installation
  if (day.regular && minutes % nativeMinutes === 0 && coversDay(installation, day)) {
    const last = first + 1440 / minutes
    for (let bucket = first; bucket < last; bucket++) expected[bucket]! += minutes / nativeMinutes
    return
  }
  const buckets = listStarts(day, minutes)
  let bucket = 0
  for (const start of listExpected(day, installation)) {
    while (bucket + 1 < buckets.length && buckets[bucket + 1]! <= start) bucket++
    expected[first + bucket]!++
  }
}

function addTotals({ firstBucket, sums, observed }: Series, totals: DayTotals): void {
  for (let i = 0; i < totals.observed.length; i++) {
    const bucket = firstBucket[i]!
    sums[bucket]! += totals.impressions[i]!
    observed[bucket]! += totals.observed[i]!
  }
}

/** Adds the impressions and observed intervals of a sensor-day by buckets of the day. */
function addSensorDay(series: Series, { day: index, nativeMinutes, packed }: SensorDay, detail: Detail): void {
  const { days, firstBucket, sums, observed, minutes } = series
  const day = days[index]!
  const first = firstBucket[index]!
  if (detail === 'hours') {
    addHours(packed, countIntervals(day, 60), series, first)
    return
  }
  const counts = unpack(packed, countIntervals(day, nativeMinutes))
  const perBucket = minutes ? minutes / nativeMinutes : counts.length
  const ends = minutes === 60 && !day.regular ? endsOfHours(day, nativeMinutes) : undefined
  for (let bucket = 0, interval = 0; interval < counts.length; bucket++) {
    // If clocks changed by less than an hour, the last bucket is shorter.
    const end = ends ? ends[bucket]! : Math.min(counts.length, interval + perBucket)
    let sum = 0
    let known = 0
    for (; interval < end; interval++) {
      const impressions = counts[interval]!
      if (impressions === MISSING) continue
      sum += impressions
      known++
    }
    sums[first + bucket]! += sum
    observed[first + bucket]! += known
  }
}

/** Returns the number of native intervals that begin before the end of each hour of a day. */
function endsOfHours(day: Day, nativeMinutes: number): number[] {
  const intervals = listStarts(day, nativeMinutes)
  return [...listStarts(day, 60).slice(1), Number.POSITIVE_INFINITY].map(
    end => intervals.filter(start => start < end).length,
  )
}
