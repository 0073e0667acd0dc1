/** The native intervals that sensors are expected to report: those that begin while they are installed. */
import { countIntervals, type Dates, type Day, listDays, listStarts } from '../../db/calendar/local-days'
import type { InstalledSensors } from '../../db/queries/groups/installed-sensors'

/** A period of instants in seconds since 1970, in which a sensor was installed. `to` is exclusive. */
interface Period {
  nativeMinutes: number
  /** Null: before the range of days. */
  from: number | null
  /** Null: after the range of days, or not yet. */
  to: number | null
}

/** Returns whether a sensor was installed for the whole of a day. */
export const coversDay = ({ from, to }: Period, day: Day): boolean =>
  (from === null || from <= day.start) && (to === null || to >= day.end)

/** Returns the number of intervals of a day that are expected. */
export function countExpected(day: Day, period: Period): number {
  return coversDay(period, day) ? countIntervals(day, period.nativeMinutes) : listExpected(day, period).length
}

/** Returns the seconds from the start of a day to the start of each interval that is expected. */
export function listExpected(day: Day, { nativeMinutes, from, to }: Period): number[] {
  if ((from !== null && day.end <= from) || (to !== null && day.start >= to)) return []
  return listStarts(day, nativeMinutes).filter(start => {
    const instant = day.start + start
    return (from === null || instant >= from) && (to === null || instant < to)
  })
}

/** Adds up expected intervals by bucket. */
export class ExpectedIntervals {
  /** What a sensor that was installed for the whole range is expected to report, by time zone and native minutes. */
  private readonly wholeRange = new Map<string, Float64Array>()

  constructor(
    private readonly dates: Dates,
    /** Returns the bucket of a day of the range, by its index. */
    private readonly bucketOfDay: (day: number) => number,
    private readonly buckets: number,
  ) {}

  /** Adds the intervals of sensors to those of their group. */
  add(expected: Float64Array, installed: InstalledSensors): void {
    const { timeZone, nativeMinutes, from, to, sensors } = installed
    const known = from === null && to === null ? this.ofWholeRange(timeZone, nativeMinutes) : this.count(installed)
    for (let bucket = 0; bucket < this.buckets; bucket++) {
      ;(expected[bucket] as number) += (known[bucket] as number) * sensors
    }
  }

  private ofWholeRange(timeZone: string, nativeMinutes: number): Float64Array {
    const key = `${nativeMinutes} ${timeZone}`
    let counts = this.wholeRange.get(key)
    if (!counts) {
      counts = this.count({ timeZone, nativeMinutes, from: null, to: null })
      this.wholeRange.set(key, counts)
    }
    return counts
  }

  private count({ timeZone, ...period }: Period & { timeZone: string }): Float64Array {
    const counts = new Float64Array(this.buckets)
    listDays(timeZone, ...this.dates).forEach((day, i) => {
      ;(counts[this.bucketOfDay(i)] as number) += countExpected(day, period)
    })
    return counts
  }
}
