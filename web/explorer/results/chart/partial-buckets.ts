/** Finds the buckets of a series that are not whole, because the range or the data begin or end in them. */
import { daysBefore } from '../../queries/query-defaults'
import type { QueryArguments } from './query-arguments'

/** The days that a partial bucket covers. */
export interface PartialBucket {
  from: string
  to: string
}

type Grain = 'day' | 'week' | 'month' | 'quarter'

/**
 * Returns the partial buckets by their labels.
 *
 * @param labels the starts of buckets, ascending: dates, or times that begin with the local date
 * @param firstDay the first day with data
 * @param lastDay the last day that is over and has data
 */
export function findPartialBuckets(
  labels: string[],
  { toDate, grain }: QueryArguments,
  { firstDay, lastDay }: { firstDay: string; lastDay: string },
): Map<string, PartialBucket> {
  const partial = new Map<string, PartialBucket>()
  const days = labels.map(label => label.slice(0, 10))
  const unit = findGrain(grain, days, labels)
  if (!unit) return partial
  const end = toDate !== undefined && toDate < lastDay ? toDate : lastDay
  labels.forEach((label, i) => {
    const from = days[i]!
    const bucketStart = startOf(from, unit)
    const bucketEnd = lastDayOf(bucketStart, unit)
    const begin = firstDay > from && firstDay <= bucketEnd ? firstDay : from
    const isEarly = end < bucketEnd
    if (begin !== bucketStart || isEarly)
      partial.set(label, { from: begin, to: isEarly ? (end < begin ? begin : end) : bucketEnd })
  })
  return partial
}

/** More days than the longest bucket has, and fewer than two of the shortest ones have. */
const LONGEST = { day: 1, week: 7, month: 31, quarter: 92 }

/** Returns the first day of the bucket that contains a day. */
function startOf(day: string, grain: Grain): string {
  if (grain === 'day') return day
  if (grain === 'week') return daysBefore(day, (new Date(day).getUTCDay() + 6) % 7)
  const [year, month] = day.split('-').map(Number) as [number, number]
  const first = grain === 'month' ? month : month - ((month - 1) % 3)
  return `${year}-${String(first).padStart(2, '0')}-01`
}

/** Returns the last day of the bucket that contains a day. */
const lastDayOf = (day: string, grain: Grain): string =>
  daysBefore(startOf(daysBefore(startOf(day, grain), -LONGEST[grain]), grain), 1)

/** Returns a function from the label of a bucket to its last day, which is that of its begin where a day has several buckets. */
export function findLastDays(labels: string[], grain: string | undefined): (label: string) => string {
  const unit =
    findGrain(
      grain,
      labels.map(label => label.slice(0, 10)),
      labels,
    ) ?? 'day'
  return label => lastDayOf(label.slice(0, 10), unit)
}

/** Grains finer than a day have no partial buckets. Where the query does not tell the grain, the distance of buckets does. */
function findGrain(grain: string | undefined, days: string[], labels: string[]): Grain | undefined {
  if (grain !== undefined) return grain in LONGEST ? (grain as Grain) : undefined
  if (new Set(days).size < labels.length) return undefined
  const distances = days.slice(1).map((day, i) => (Date.parse(day) - Date.parse(days[i]!)) / 86_400_000)
  const longest = Math.max(0, ...distances)
  if (longest <= 1) return 'day'
  return longest <= 7 ? 'week' : longest <= 31 ? 'month' : 'quarter'
}
