/**
 * From sensor-days to rows. A series has buckets; every sensor adds to each what it counted, how many native intervals it
 * observed, and how many were expected of it while it was installed. Rows of every grain add up to the same total.
 */
import { type Day, dayNumber, daysOf, intervalsOf, numberOfDay, startsOf } from '../db/calendar'
import type { Detail, Installation, Measurement, SensorDay } from '../db/impressions'
import { MISSING, unpack, unpackHours } from '../db/packing'
import type { Grain } from '../schema/generated'
import type { DateRange } from './ranges'
import { average, coverage } from './ratios'
import { timestamps } from './timestamps'

/** Grains finer than a day, in minutes. */
const FINE: Partial<Record<Grain, number>> = { minute: 1, quarter_hour: 15, hour: 60 }

/** What has to be read for a grain. */
export function detailFor(grain: Grain): Detail {
  if (grain === 'hour') return 'hours'
  return FINE[grain] ? 'counts' : 'totals'
}

/** Buckets in order, and what was added to each. */
export interface Series {
  days: Day[]
  /** Of each day of the range, its first bucket. Days of a week share theirs. */
  firstBucket: number[]
  sums: Float64Array
  observed: Float64Array
  expected: Float64Array
}

/** Adds up a measurement by the buckets of a grain. */
export function seriesOf(measurement: Measurement, range: DateRange, grain: Grain): Series {
  const days = daysOf(measurement.timeZone, range.fromDate, range.toDate)
  const minutes = FINE[grain]
  const firstBucket: number[] = []
  let size = 0
  let period = Number.NaN
  for (const day of days) {
    if (isLeftOut(day)) {
      firstBucket.push(size)
      continue
    }
    const next = minutes ? Number.NaN : periodOf(day.date, grain)
    if (minutes || next !== period) {
      firstBucket.push(size)
      size += minutes ? intervalsOf(day, minutes) : 1
      period = next
    } else firstBucket.push(size - 1)
  }
  const zeros = () => new Float64Array(size)
  const series = { days, firstBucket, sums: zeros(), observed: zeros(), expected: zeros() }
  for (const installation of measurement.installations) expect(series, installation, minutes)
  for (const sensorDay of measurement.days) {
    add(series, sensorDay, measurement.detail, dayNumber(range.fromDate), minutes)
  }
  return series
}

/** The rows of a series, one a bucket, and the total and average over them. `row` makes one of its bucket's name. */
export function rowsOf<Row>(
  series: Series,
  names: string[],
  row: (name: string, impressions: number | null, coverage: number) => Row,
): { rows: Row[]; total: number; average: number } {
  let total = 0
  let withData = 0
  const rows: Row[] = []
  for (let i = 0; i < names.length; i++) {
    const observed = series.observed[i] as number
    const sum = series.sums[i] as number
    if (observed > 0) {
      total += sum
      withData++
    }
    const covered = coverage(observed, series.expected[i] as number)
    rows.push(row(names[i] as string, observed > 0 ? sum : null, covered))
  }
  return { rows, total, average: average(total, withData) }
}

/** When the buckets begin. */
export function startsOfBuckets({ days, firstBucket }: Series, grain: Grain): string[] {
  const minutes = FINE[grain]
  const starts: string[] = []
  days.forEach((day, i) => {
    // Of a bucket of several days the first names it.
    if (isLeftOut(day) || (!minutes && firstBucket[i] !== starts.length)) return
    for (const start of timestamps(day, minutes ? startsOf(day, minutes) : [0])) starts.push(start)
  })
  return starts
}

/** The dates of buckets of one day each. */
export const datesOf = ({ days }: Series): string[] => days.filter(day => !isLeftOut(day)).map(({ date }) => date)

/** A day that its zone left out has no bucket. */
const isLeftOut = ({ start, end }: Day): boolean => start === end

/** A number that days of one bucket share. */
export function periodOf(date: string, grain: Grain): number {
  const number = dayNumber(date)
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))]
  // 1970-01-01 was a Thursday: day 4 was a Monday.
  if (grain === 'week') return Math.floor((number - 4) / 7)
  if (grain === 'month') return numberOfDay(year, month, 1)
  if (grain === 'quarter') return numberOfDay(year, month - ((month - 1) % 3), 1)
  return number
}

/** Adds what was expected of a sensor while it was installed. */
function expect(series: Series, { nativeMinutes, from, to }: Installation, minutes: number | undefined): void {
  const until = to ?? Number.POSITIVE_INFINITY
  series.days.forEach((day, i) => {
    if (day.end <= from || day.start >= until) return
    const first = series.firstBucket[i] as number
    const whole = day.start >= from && day.end <= until
    if (whole && !minutes) {
      ;(series.expected[first] as number) += intervalsOf(day, nativeMinutes)
      return
    }
    const buckets = minutes ? startsOf(day, minutes) : [0]
    let bucket = 0
    for (const start of startsOf(day, nativeMinutes)) {
      while (bucket + 1 < buckets.length && (buckets[bucket + 1] as number) <= start) bucket++
      const instant = day.start + start
      if (instant >= from && instant < until) (series.expected[first + bucket] as number)++
    }
  })
}

/** Adds what a sensor counted on a day. */
function add(
  series: Series,
  sensorDay: SensorDay,
  detail: Detail,
  firstDay: number,
  minutes: number | undefined,
): void {
  const i = dayNumber(sensorDay.date) - firstDay
  const day = series.days[i] as Day
  const first = series.firstBucket[i] as number
  const { sums, observed } = series
  const { nativeMinutes, packed } = sensorDay
  if (!minutes || !packed) {
    ;(sums[first] as number) += sensorDay.impressions
    ;(observed[first] as number) += sensorDay.observed
  } else if (detail === 'hours') {
    const hours = unpackHours(packed, intervalsOf(day, 60))
    hours.sums.forEach((sum, hour) => {
      if (sum === MISSING) return
      ;(sums[first + hour] as number) += sum
      ;(observed[first + hour] as number) += hours.observed[hour] as number
    })
  } else {
    const bucketOf = bucketsOf(day, nativeMinutes, minutes)
    unpack(packed, intervalsOf(day, nativeMinutes)).forEach((count, interval) => {
      if (count === MISSING) return
      const bucket = first + bucketOf(interval)
      ;(sums[bucket] as number) += count
      ;(observed[bucket] as number)++
    })
  }
}

/** In which bucket of a day a native interval lies. */
function bucketsOf(day: Day, nativeMinutes: number, minutes: number): (interval: number) => number {
  if (minutes !== 60) return interval => Math.floor((interval * nativeMinutes) / minutes)
  const hours = startsOf(day, 60)
  const starts = startsOf(day, nativeMinutes)
  return interval => hours.findLastIndex(hour => hour <= (starts[interval] as number))
}
