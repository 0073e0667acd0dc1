/** Sums packed sensor-days into buckets, for the hand-written peers. No clock changes: all days are of one length. */
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { intersectMonth } from '../../db/calendar/month-ranges'
import { MISSING, unpack } from '../../db/calendar/packed-counts'
import { readNodeRules } from '../../db/calendar/zone-rules'
import { coverage } from '../../resolvers/series/ratios'
import { CLOCK, offsetText } from '../../resolvers/series/timestamps'

/** Instants are in seconds since 1970. */
interface Installation {
  minutes: number
  from: number
  to: number | null
}

/** A sensor-day. */
interface DayRow {
  date: string
  minutes: number
  packed: Buffer
}

/** The totals of a month by day. */
interface MonthRow {
  month: number
  totals: (number | null)[]
  observed: (number | null)[]
}

/** A row of a measurement: the first one describes the asset. */
export type MeasurementRow = { time_zone: string; installations: Installation[] } & (DayRow | MonthRow)

/** The length of a bucket in minutes. */
export type Grain = 1 | 60 | 1440

export interface Buckets {
  names: string[]
  sums: Float64Array
  observed: Float64Array
  expected: Float64Array
  total: number
  withData: number
}

const DAY_MINUTES = 1440

export function fillBuckets(rows: MeasurementRow[], from: string, to: string, grain: Grain): Buckets {
  const [{ time_zone: zone, installations }] = rows as [MeasurementRow]
  const [first, last] = [dayNumber(from), dayNumber(to)]
  const { offset } = readNodeRules(zone).intervals(first * 86_400, first * 86_400 + 1)[0]!
  const perDay = DAY_MINUTES / grain
  const names: string[] = []
  for (let day = first; day <= last; day++) addNames(names, dateOf(day), grain, offset)
  const zeros = () => new Float64Array(names.length)
  const buckets: Buckets = { names, sums: zeros(), observed: zeros(), expected: zeros(), total: 0, withData: 0 }
  for (const { minutes, from, to } of installations) {
    for (let bucket = 0; bucket < names.length; bucket++) {
      const begin = first * 86_400 - offset + bucket * grain * 60
      const [shown, end] = [Math.max(begin, from), Math.min(begin + grain * 60, to ?? Number.POSITIVE_INFINITY)]
      buckets.expected[bucket]! += Math.max(0, Math.ceil((end - shown) / (minutes * 60)))
    }
  }
  for (const row of rows.slice(1)) {
    if ('month' in row) addMonth(buckets, first, row)
    else addDay(buckets, (dayNumber(row.date) - first) * perDay, row, grain)
  }
  for (let i = 0; i < names.length; i++) {
    if (buckets.observed[i] === 0) continue
    buckets.total += buckets.sums[i]!
    buckets.withData++
  }
  return buckets
}

/** Observed over expected of a bucket. */
export const coverageOf = ({ observed, expected }: Buckets, i: number): number | null =>
  coverage(observed[i]!, expected[i]!)

/** Days are named by their date, shorter buckets by their start. */
function addNames(names: string[], date: string, grain: Grain, offset: number): void {
  if (grain === DAY_MINUTES) return void names.push(date)
  const end = `:00${offsetText(offset)}`
  for (let minute = 0; minute < DAY_MINUTES; minute += grain) names.push(`${date}T${CLOCK[minute]}${end}`)
}

function addMonth({ sums, observed }: Buckets, first: number, row: MonthRow): void {
  const { inMonth, inRange, count } = intersectMonth(row.month, first, sums.length)
  for (let i = 0; i < count; i++) {
    sums[inRange + i] = row.totals[inMonth + i] ?? 0
    observed[inRange + i] = row.observed[inMonth + i] ?? 0
  }
}

function addDay({ sums, observed }: Buckets, first: number, row: DayRow, grain: Grain): void {
  const { packed } = row
  if (grain === 60) {
    const counts = unpack(packed.subarray(24), 24)
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) continue
      sums[first + i]! += counts[i]!
      observed[first + i]! += packed[i]!
    }
  } else {
    const counts = unpack(packed, DAY_MINUTES / row.minutes)
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) continue
      sums[first + i]! += counts[i]!
      observed[first + i]!++
    }
  }
}
