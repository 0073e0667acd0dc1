/**
 * A series as the schema describes it: its rows, one per bucket, with their total and average. A row is labelled by the date of its bucket,
 * by the start with the UTC offset, or by the local time at the start.
 */

import type { Day } from '../../db/calendar/local-days'
import { average } from './ratios'
import { coverageOf, impressionsOf, isSkipped, type Series } from './series'
import { listTimestamps, timestamps } from './timestamps'

type Label = 'date' | 'start' | 'time'

type SeriesRow<Name extends Label> = { [name in Name]: string } & {
  impressions: number | null
  coverage: number
}

export class SeriesResult<Name extends Label> {
  readonly total: number
  readonly average: number

  /** @param label the name of the field that labels a row */
  constructor(
    private readonly series: Series,
    private readonly label: Name,
  ) {
    const { total, withData } = sumSeries(series)
    this.total = total
    this.average = average(total, withData)
  }

  /** Built when they are read. */
  get rows(): SeriesRow<Name>[] {
    return listLabels(this.series, this.label).map((label, i) => {
      const impressions = impressionsOf(this.series, i)
      const coverage = coverageOf(this.series, i)
      return { [this.label]: label, impressions, coverage } as SeriesRow<Name>
    })
  }
}

export function sumSeries({ sums, observed }: Series): { total: number; withData: number } {
  let total = 0
  let withData = 0
  for (let i = 0; i < sums.length; i++) {
    if (observed[i]! === 0) continue
    total += sums[i]!
    withData++
  }
  return { total, withData }
}

export function listLabels(series: Series, label: Label): string[] {
  const labels: string[] = []
  for (let i = 0; i < series.days.length; i++) {
    for (const text of labelsOfDay(series, i, label, labels.length)) labels.push(text)
  }
  return labels
}

/** Returns the labels of the buckets that begin on a day. @param previous the number of buckets that begin before it */
function labelsOfDay({ days, firstBucket, minutes }: Series, i: number, label: Label, previous: number): string[] {
  const day = days[i]
  // A bucket of several days is labelled by the first of them.
  if (!day || isSkipped(day) || (!minutes && firstBucket[i] !== previous)) return []
  if (label === 'date') return [day.date]
  const starts = minutes ? listTimestamps(day, minutes) : [formatStart(day)]
  return label === 'start' ? starts : starts.map(start => start.slice(11, 16))
}

/** The starts of days, which are shared by all assets of a time zone. */
const starts = new WeakMap<Day, string>()

function formatStart(day: Day): string {
  const known = starts.get(day)
  if (known !== undefined) return known
  const [start] = timestamps(day, [0]) as [string]
  starts.set(day, start)
  return start
}
