/** What the buckets of a series are called: by the date, by when they begin, or by what the clock shows then. */
import { startsOf } from '../../db/calendar/local-days'
import { isLeftOut, type Series } from './series'
import { timestamps } from './timestamps'

export type Naming = 'date' | 'start' | 'time'

/** The names of all buckets, in order. */
export function namesOf(series: Series, naming: Naming): string[] {
  const names: string[] = []
  for (let i = 0; i < series.days.length; i++)
    for (const name of namesOfDay(series, i, naming, names.length)) names.push(name)
  return names
}

/** The names of the buckets that begin on a day of the series, of which so many began before. */
export function namesOfDay(
  { days, firstBucket, minutes }: Series,
  i: number,
  naming: Naming,
  before: number,
): string[] {
  const day = days[i]
  // Of a bucket of several days the first names it.
  if (!day || isLeftOut(day) || (!minutes && firstBucket[i] !== before)) return []
  if (naming === 'date') return [day.date]
  const starts = timestamps(day, minutes ? startsOf(day, minutes) : [0])
  return naming === 'start' ? starts : starts.map(start => start.slice(11, 16))
}
