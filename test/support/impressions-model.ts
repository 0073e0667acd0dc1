/**
 * Reference implementation of the impressions of an asset, slow and independent of the service. It assigns each native
 * interval to its local day, hour, week or month with Temporal.
 */
import { Temporal } from 'temporal-polyfill'

export interface ModelSensor {
  minutes: number
  /** Milliseconds since 1970. */
  from: number
  to: number | null
  /** By start of the interval, in milliseconds since 1970. */
  counts: Map<number, number>
}

export interface ModelRow {
  start: string
  date: string
  impressions: number | null
  coverage: number
}

type Grain = 'minute' | 'quarter_hour' | 'hour' | 'day' | 'week' | 'month' | 'quarter'

const startsCache = new Map<string, number[]>()

/** The starts of the native intervals of a local day, in milliseconds since 1970. */
export function intervalStarts(zone: string, date: string, minutes: number): number[] {
  const name = `${zone} ${date} ${minutes}`
  const starts = startsCache.get(name) ?? computeStarts(zone, date, minutes)
  startsCache.set(name, starts)
  return starts
}

/** Clocks change at whole quarters of an hour, so that steps of a quarter find every change. */
function computeStarts(zone: string, date: string, minutes: number): number[] {
  const day = Temporal.PlainDate.from(date)
  const start = day.toZonedDateTime(zone).epochMilliseconds
  const end = day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds
  if (minutes === 1440) return end > start ? [start] : []
  const step = Math.min(minutes, 15) * 60_000
  const starts = Array.from({ length: Math.ceil((end - start) / step) }, (_, i) => start + i * step)
  if (minutes < 60) return starts
  const hours = starts.map(instant => hourOf(instant, zone))
  return starts.filter((_, i) => hours[i] !== hours[i - 1])
}

const hourCache = new Map<string, string>()

/** Returns the local hour with its UTC offset, which distinguishes the two passes of a repeated hour. */
function hourOf(instant: number, zone: string): string {
  const quarter = instant - (instant % 900_000)
  const name = `${zone} ${quarter}`
  const cached = hourCache.get(name)
  if (cached) return cached
  const local = Temporal.Instant.fromEpochMilliseconds(quarter).toZonedDateTimeISO(zone)
  const hour = `${local.hour} ${local.offset}`
  hourCache.set(name, hour)
  return hour
}

/** Returns a function from an instant of the day to the name of its bucket. */
function listBuckets(zone: string, grain: Grain, date: string): (instant: number) => string {
  const day = Temporal.PlainDate.from(date)
  const week = day.subtract({ days: day.dayOfWeek - 1 }).toString()
  const quarter = `${day.year} ${Math.floor((day.month - 1) / 3)}`
  switch (grain) {
    case 'minute':
      return String
    case 'quarter_hour':
      return instant => String(instant - ((instant - (intervalStarts(zone, date, 15)[0] as number)) % 900_000))
    case 'hour':
      return instant => `${date} ${hourOf(instant, zone)}`
    case 'day':
      return () => date
    case 'week':
      return () => week
    case 'month':
      return () => date.slice(0, 7)
    case 'quarter':
      return () => quarter
  }
}

/** Returns the rows of a range of days (`to` inclusive) at a grain. */
export function modelRows(zone: string, from: string, to: string, grain: Grain, sensors: ModelSensor[]): ModelRow[] {
  const buckets = new Map<
    string,
    { instant: number; date: string; sum: number; observed: number; covered: number; expected: number }
  >()
  for (let day = Temporal.PlainDate.from(from); Temporal.PlainDate.compare(day, to) <= 0; day = day.add({ days: 1 })) {
    const date = day.toString()
    const grid = intervalStarts(zone, date, grain === 'minute' ? 1 : 15)
    const nameOf = listBuckets(zone, grain, date)
    const bucket = (instant: number) => {
      const name = nameOf(instant)
      const found = buckets.get(name) ?? { instant, date, sum: 0, observed: 0, covered: 0, expected: 0 }
      buckets.set(name, found)
      return found
    }
    for (const instant of grid) bucket(instant)
    for (const { minutes, from: installed, to: removed, counts } of sensors) {
      // Per sensor and day, the covered intervals are at most the expected ones.
      const today = new Map<ReturnType<typeof bucket>, { observed: number; expected: number }>()
      for (const instant of intervalStarts(zone, date, minutes)) {
        const total = bucket(instant)
        const ofSensor = today.get(total) ?? { observed: 0, expected: 0 }
        today.set(total, ofSensor)
        if (instant >= installed && (removed === null || instant < removed)) ofSensor.expected++
        const count = counts.get(instant)
        if (count === undefined) continue
        total.sum += count
        ofSensor.observed++
      }
      for (const [total, { observed, expected }] of today) {
        total.observed += observed
        total.expected += expected
        total.covered += Math.min(observed, expected)
      }
    }
  }
  return [...buckets.values()].map(({ instant, date, sum, observed, covered, expected }) => ({
    start: Temporal.Instant.fromEpochMilliseconds(instant)
      .toZonedDateTimeISO(zone)
      .toString({ timeZoneName: 'never', smallestUnit: 'second' }),
    date,
    impressions: observed > 0 ? sum : null,
    coverage: covered === 0 || expected === 0 ? 0 : Math.max(Math.round((covered * 10_000) / expected), 1) / 10_000,
  }))
}
