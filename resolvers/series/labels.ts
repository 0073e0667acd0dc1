/** The labels of buckets: their date, their start with the UTC offset, or the local time at their start. */
import { type Day, listStarts } from '../../db/calendar/local-days'
import { isSkipped, type Series } from './series'
import { timestamps } from './timestamps'

export type Label = 'date' | 'start' | 'time'

/** Returns the labels of all buckets, in order. */
export function listLabels(series: Series, label: Label): string[] {
  const labels: string[] = []
  for (let i = 0; i < series.days.length; i++) {
    for (const text of labelsOfDay(series, i, label, labels.length)) labels.push(text)
  }
  return labels
}

/**
 * Returns the labels of the buckets that begin on one day of a series.
 *
 * @param i the index of the day
 * @param previous the number of buckets that begin before that day
 */
export function labelsOfDay(
  { days, firstBucket, minutes }: Series,
  i: number,
  label: Label,
  previous: number,
): string[] {
  const day = days[i]
  // A bucket of several days is labelled by the first of them.
  if (!day || isSkipped(day) || (!minutes && firstBucket[i] !== previous)) return []
  if (label === 'date') return [day.date]
  const starts = minutes ? timestamps(day, listStarts(day, minutes)) : [formatStart(day)]
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
