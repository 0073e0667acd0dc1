/** Sums packed sensor-days into buckets, for the hand-written peers. */

import { LocalDayCache } from '../../db/calendar/local-day-cache'
import { countIntervals, type Day, dayNumber, listStarts } from '../../db/calendar/local-days'
import { MISSING, unpack } from '../../db/calendar/packed-counts'
import { readNodeRules } from '../../db/calendar/zone-rules'
import { coverage } from '../../resolvers/series/ratios'
import { CLOCK, offsetText, timestamps } from '../../resolvers/series/timestamps'

export interface Installation {
  sensor: number
  minutes: number
  from: number
  to: number | null
}

/** A row of a measurement: the first one describes the asset, each other one a sensor-day. */
export interface MeasurementRow {
  time_zone: string
  installations: Installation[]
  state: unknown
  sensor: number | null
  date: string
  minutes: number
  impressions: number
  observed: number
  packed: Buffer | null
}

/** The length of a bucket: in minutes if it is shorter than a day. */
export type Grain = 1 | 15 | 60 | 'day' | 'month' | 'quarter'

export interface Buckets {
  names: string[]
  sums: Float64Array
  observed: Float64Array
  expected: Float64Array
  total: number
  withData: number
}

const clocks = new LocalDayCache({ get: readNodeRules })

/** @param bare whether buckets are named by their date alone instead of their start */
export function fillBuckets(rows: MeasurementRow[], from: string, to: string, grain: Grain, bare = false): Buckets {
  const [{ time_zone: zone, installations }] = rows as [MeasurementRow]
  const fine = typeof grain === 'number' ? grain : undefined
  const first = dayNumber(from)
  const days: Day[] = []
  const firstBucket: number[] = []
  const names: string[] = []
  let period = ''
  for (let number = first; number <= dayNumber(to); number++) {
    const day = clocks.day(zone, number)
    days.push(day)
    if (fine) {
      firstBucket.push(names.length)
      name(names, day, fine)
      continue
    }
    const next = periodOf(day.date, grain)
    if (next !== period) names.push(bare ? day.date : timestamps(day, [0])[0]!)
    period = next
    firstBucket.push(names.length - 1)
  }
  const zeros = () => new Float64Array(names.length)
  const buckets: Buckets = { names, sums: zeros(), observed: zeros(), expected: zeros(), total: 0, withData: 0 }
  for (const installation of installations) {
    for (const [i, day] of days.entries()) expect(buckets.expected, firstBucket[i]!, day, installation, fine)
  }
  for (const row of rows) {
    if (row.sensor === null) continue
    const i = dayNumber(row.date) - first
    add(buckets, firstBucket[i]!, days[i]!, row, fine)
  }
  for (let i = 0; i < names.length; i++) {
    if (buckets.observed[i] === 0) continue
    buckets.total += buckets.sums[i]!
    buckets.withData++
  }
  return buckets
}

/** Observed over expected of a bucket. */
export const coverageOf = ({ observed, expected }: Buckets, i: number): number =>
  observed[i] === expected[i] && observed[i] !== 0 ? 1 : (coverage(observed[i]!, expected[i]!) ?? 0)

function periodOf(date: string, grain: Grain): string {
  if (grain === 'month') return date.slice(0, 7)
  return grain === 'quarter' ? `${date.slice(0, 4)} ${Math.floor((Number(date.slice(5, 7)) - 1) / 3)}` : date
}

function name(names: string[], day: Day, minutes: number): void {
  if (!day.regular) return void names.push(...timestamps(day, listStarts(day, minutes)))
  const date = `${day.date}T`
  const offset = `:00${offsetText(day.zoneIntervals[0].offset)}`
  for (let minute = 0; minute < 1440; minute += minutes) names.push(date + CLOCK[minute] + offset)
}

function expect(expected: Float64Array, bucket: number, day: Day, installed: Installation, minutes?: number): void {
  const { from, to } = installed
  const until = to ?? Number.POSITIVE_INFINITY
  if (day.end <= from || day.start >= until) return
  if (from <= day.start && until >= day.end) {
    if (!minutes || day.regular) {
      const buckets = minutes ? 1440 / minutes : 1
      const intervals = countIntervals(day, installed.minutes) / buckets
      for (let i = 0; i < buckets; i++) expected[bucket + i]! += intervals
      return
    }
  }
  const starts = minutes ? listStarts(day, minutes) : [0]
  let i = 0
  for (const start of listStarts(day, installed.minutes)) {
    while (i + 1 < starts.length && starts[i + 1]! <= start) i++
    if (day.start + start >= from && day.start + start < until) expected[bucket + i]!++
  }
}

function add({ sums, observed }: Buckets, bucket: number, day: Day, row: MeasurementRow, minutes?: number): void {
  const { packed } = row
  if (!minutes || !packed) {
    sums[bucket]! += row.impressions
    observed[bucket]! += row.observed
  } else if (minutes === 60) {
    const hours = countIntervals(day, 60)
    const counts = unpack(packed.subarray(hours), hours)
    for (let i = 0; i < hours; i++) {
      if (counts[i] === MISSING) continue
      sums[bucket + i]! += counts[i]!
      observed[bucket + i]! += packed[i]!
    }
  } else {
    const counts = unpack(packed, countIntervals(day, row.minutes))
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) continue
      const into = bucket + Math.floor((i * row.minutes) / minutes)
      sums[into]! += counts[i]!
      observed[into]!++
    }
  }
}
