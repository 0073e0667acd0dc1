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
  /** Observed native intervals; of those, the ones in which the sensor was installed; and how many were expected. */
  observed: Float64Array
  covered: Float64Array
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
  const series = { days, firstBucket, sums: zeros(), observed: zeros(), covered: zeros(), expected: zeros() }
  for (const installation of measurement.installations) {
    days.forEach((day, i) => {
      expect(series.expected, firstBucket[i] as number, day, installation, minutes)
    })
  }
  for (const sensorDay of measurement.days) {
    add(series, sensorDay, measurement, dayNumber(range.fromDate), minutes)
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
    const covered = coverage(series.covered[i] as number, series.expected[i] as number)
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

/** Adds what was expected of a sensor on a day, while it was installed, by buckets of the day. */
function expect(expected: Float64Array, first: number, day: Day, installation: Installation, minutes?: number): void {
  const { nativeMinutes, from } = installation
  const until = installation.to ?? Number.POSITIVE_INFINITY
  if (day.end <= from || day.start >= until) return
  if (standsAllDay(installation, day) && !minutes) {
    ;(expected[first] as number) += intervalsOf(day, nativeMinutes)
    return
  }
  const buckets = minutes ? startsOf(day, minutes) : [0]
  let bucket = 0
  for (const start of startsOf(day, nativeMinutes)) {
    while (bucket + 1 < buckets.length && (buckets[bucket + 1] as number) <= start) bucket++
    const instant = day.start + start
    if (instant >= from && instant < until) (expected[first + bucket] as number)++
  }
}

const standsAllDay = ({ from, to }: Installation, day: Day): boolean =>
  from <= day.start && (to === null || to >= day.end)

/** Adds what a sensor counted on a day. What it counted while it was not installed is counted, but covers nothing. */
function add(series: Series, sensorDay: SensorDay, measurement: Measurement, firstDay: number, minutes?: number): void {
  const i = dayNumber(sensorDay.date) - firstDay
  const day = series.days[i] as Day
  const first = series.firstBucket[i] as number
  const { sums, observed, covered } = series
  const installations = measurement.installations.filter(({ sensor }) => sensor === sensorDay.sensor)
  const always = installations.some(installation => standsAllDay(installation, day))
  const seen = always ? undefined : new Float64Array(minutes ? intervalsOf(day, minutes) : 1)
  const count = (bucket: number, impressions: number, intervals: number): void => {
    ;(sums[first + bucket] as number) += impressions
    ;(observed[first + bucket] as number) += intervals
    if (seen) (seen[bucket] as number) += intervals
    else (covered[first + bucket] as number) += intervals
  }
  countDay(sensorDay, measurement.detail, day, minutes, count)
  if (!seen) return
  const expected = new Float64Array(seen.length)
  for (const installation of installations) expect(expected, 0, day, installation, minutes)
  seen.forEach((intervals, bucket) => {
    ;(covered[first + bucket] as number) += Math.min(intervals, expected[bucket] as number)
  })
}

/** Gives a sensor-day's impressions and observed intervals by buckets of the day. */
function countDay(
  { impressions, observed, nativeMinutes, packed }: SensorDay,
  detail: Detail,
  day: Day,
  minutes: number | undefined,
  count: (bucket: number, impressions: number, intervals: number) => void,
): void {
  if (!minutes || !packed) count(0, impressions, observed)
  else if (detail === 'hours') {
    const hours = unpackHours(packed, intervalsOf(day, 60))
    hours.sums.forEach((sum, hour) => {
      if (sum !== MISSING) count(hour, sum, hours.observed[hour] as number)
    })
  } else {
    const bucketOf = bucketsOf(day, nativeMinutes, minutes)
    unpack(packed, intervalsOf(day, nativeMinutes)).forEach((each, interval) => {
      if (each !== MISSING) count(bucketOf(interval), each, 1)
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
