/** The typical week of a sensor: the median of each hour of each weekday in the weeks before a window. */
import { weekdayOf } from '../calendar/local-days'
import { HISTORY_DAYS, MIN_HISTORY_DAYS } from '../counts/usual-counts'
import type { SensorCounts } from './sensor-counts'

/** Days of a window, which is compared with the typical week before it. */
export const WINDOW_DAYS = 3

/** Fewer values of an hour and weekday are no median of their own: those of all workdays, or of the weekend, are. */
const MIN_VALUES = 3

/** Returns the place of a day in a week from Monday on. */
export const weekday = (number: number): number => weekdayOf(number) - 1

const WORKDAYS = [0, 1, 2, 3, 4]
const WEEKEND = [5, 6]

/**
 * Returns the typical counts of the hours of a week from Monday on, NaN where there are none; undefined if fewer than
 * MIN_HISTORY_DAYS days have counts.
 *
 * @param window number of the first day of the window
 * @param from number of the first day that may be compared
 */
export function findTypicalWeek(
  { hours, slots, first, days }: SensorCounts,
  window: number,
  from: number,
): Float64Array | undefined {
  const start = Math.max(first, from, window - HISTORY_DAYS)
  let counted = 0
  const values: number[][] = Array.from({ length: 7 * slots }, () => [])
  for (let number = start; number < window; number++) {
    if (!days[number - first]) continue
    counted++
    const [place, week] = [(number - first) * slots, weekday(number) * slots]
    for (let hour = 0; hour < slots; hour++) {
      const count = hours[place + hour]!
      if (count >= 0) values[week + hour]!.push(count)
    }
  }
  if (counted < MIN_HISTORY_DAYS) return undefined
  return Float64Array.from(values, (own, i) => {
    if (own.length >= MIN_VALUES) return median(own)
    const alike = Math.floor(i / slots) < 5 ? WORKDAYS : WEEKEND
    const pooled = alike.flatMap(day => values[day * slots + (i % slots)]!)
    return pooled.length >= MIN_VALUES ? median(pooled) : Number.NaN
  })
}

/** Returns the median; NaN of none. Sorts the values. */
export function median(values: number[] | Float64Array): number {
  values.sort((a, b) => a - b)
  const middle = values.length >> 1
  return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2
}
