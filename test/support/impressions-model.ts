/**
 * The impressions of an asset worked out a second time, slowly and independently of the service: every native interval is
 * an instant of its own, and Temporal tells on which local day, hour, week or month it lies.
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

const known = new Map<string, number[]>()

/** The native intervals of a local day: `[start, …]` in milliseconds since 1970. */
export function intervals(zone: string, date: string, minutes: number): number[] {
  const name = `${zone} ${date} ${minutes}`
  const starts = known.get(name) ?? walk(zone, date, minutes)
  known.set(name, starts)
  return starts
}

/** Clocks change at whole quarters of an hour, so that looking at each quarter is enough. */
function walk(zone: string, date: string, minutes: number): number[] {
  const plain = Temporal.PlainDate.from(date)
  const start = plain.toZonedDateTime(zone).epochMilliseconds
  const end = plain.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds
  const step = Math.min(minutes, 15) * 60_000
  const starts = Array.from({ length: Math.ceil((end - start) / step) }, (_, i) => start + i * step)
  if (minutes < 60) return starts
  const shown = starts.map(instant => hourOf(instant, zone))
  return starts.filter((_, i) => shown[i] !== shown[i - 1])
}

const hours = new Map<string, string>()

/** The hour that the clock shows, with its offset: the same before and after a change are two. */
function hourOf(instant: number, zone: string): string {
  const quarter = instant - (instant % 900_000)
  const name = `${zone} ${quarter}`
  const known = hours.get(name)
  if (known) return known
  const local = Temporal.Instant.fromEpochMilliseconds(quarter).toZonedDateTimeISO(zone)
  const hour = `${local.hour} ${local.offset}`
  hours.set(name, hour)
  return hour
}

/** What names the bucket of an instant of a day. */
function bucketsOf(zone: string, grain: Grain, date: string): (instant: number) => string {
  const day = Temporal.PlainDate.from(date)
  const week = day.subtract({ days: day.dayOfWeek - 1 }).toString()
  const quarter = `${day.year} ${Math.floor((day.month - 1) / 3)}`
  switch (grain) {
    case 'minute':
      return String
    case 'quarter_hour':
      return instant => String(instant - ((instant - (intervals(zone, date, 15)[0] as number)) % 900_000))
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

/** The rows of a range of days at a grain. */
export function rows(zone: string, from: string, to: string, grain: Grain, sensors: ModelSensor[]): ModelRow[] {
  const buckets = new Map<
    string,
    { instant: number; date: string; sum: number; observed: number; covered: number; expected: number }
  >()
  for (let day = Temporal.PlainDate.from(from); Temporal.PlainDate.compare(day, to) <= 0; day = day.add({ days: 1 })) {
    const date = day.toString()
    const grid = intervals(zone, date, grain === 'minute' ? 1 : 15)
    const nameOf = bucketsOf(zone, grain, date)
    const bucket = (instant: number) => {
      const name = nameOf(instant)
      const known = buckets.get(name) ?? { instant, date, sum: 0, observed: 0, covered: 0, expected: 0 }
      buckets.set(name, known)
      return known
    }
    for (const instant of grid) bucket(instant)
    for (const { minutes, from: installed, to: removed, counts } of sensors) {
      // What a sensor observed covers no more than was expected of it on that day.
      const today = new Map<ReturnType<typeof bucket>, { observed: number; expected: number }>()
      for (const instant of intervals(zone, date, minutes)) {
        const at = bucket(instant)
        const both = today.get(at) ?? { observed: 0, expected: 0 }
        today.set(at, both)
        if (instant >= installed && (removed === null || instant < removed)) both.expected++
        const count = counts.get(instant)
        if (count === undefined) continue
        at.sum += count
        both.observed++
      }
      for (const [at, { observed, expected }] of today) {
        at.observed += observed
        at.expected += expected
        at.covered += Math.min(observed, expected)
      }
    }
  }
  return [...buckets.values()].map(({ instant, date, sum, observed, covered, expected }) => ({
    start: Temporal.Instant.fromEpochMilliseconds(instant)
      .toZonedDateTimeISO(zone)
      .toString({ timeZoneName: 'never', smallestUnit: 'second' }),
    date,
    impressions: observed > 0 ? sum : null,
    coverage: expected === 0 ? 0 : Math.round((covered * 10_000) / expected) / 10_000,
  }))
}
