/** Packs a sensor-day: its intervals, its hours and its totals. */

import { type Day, listStarts } from '../calendar/local-days'
import { MISSING, pack, packHours } from '../calendar/packed-counts'

export interface PackedDay {
  impressions: number
  /** Intervals with a count. */
  observed: number
  hours: Buffer
  counts: Buffer
}

/**
 * Packs a day.
 *
 * @param starts seconds from the start of the day to the start of each native interval
 * @param counts one for each of them, MISSING allowed
 */
export function packDay(day: Day, starts: readonly number[], counts: ArrayLike<number>): PackedDay {
  const hourStarts = listStarts(day, 60)
  const sums = new Float64Array(hourStarts.length).fill(MISSING)
  const observedIn = new Uint8Array(hourStarts.length)
  let [impressions, observed, hour] = [0, 0, 0]
  for (let i = 0; i < starts.length; i++) {
    while ((hourStarts[hour + 1] ?? Number.POSITIVE_INFINITY) <= (starts[i] as number)) hour++
    const count = counts[i] as number
    if (count === MISSING) continue
    sums[hour] = Math.max(0, sums[hour] as number) + count
    observedIn[hour] = (observedIn[hour] as number) + 1
    impressions += count
    observed++
  }
  return { impressions, observed, hours: packHours(sums, observedIn), counts: pack(counts) }
}
