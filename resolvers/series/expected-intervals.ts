/** The native intervals that sensors are expected to report: those that begin while they are installed. */
import { countIntervals, type Dates, type Day, listDays, listStarts } from '../../db/calendar/local-days'
import type { ZoneRules } from '../../db/calendar/zone-rules'
import type { InstalledSensors } from '../../db/queries/groups/installed-sensors'

type Period = Pick<InstalledSensors, 'nativeMinutes' | 'from' | 'to'>

export const coversDay = ({ from, to }: Period, day: Day): boolean =>
  (from === null || from <= day.start) && (to === null || to >= day.end)

export function countExpected(day: Day, period: Period): number {
  return coversDay(period, day) ? countIntervals(day, period.nativeMinutes) : listExpected(day, period).length
}

/** Returns the seconds from the start of a day to the start of each interval that is expected. */
export function listExpected(day: Day, period: Period): readonly number[] {
  const { nativeMinutes, from, to } = period
  if ((from !== null && day.end <= from) || (to !== null && day.start >= to)) return []
  if (coversDay(period, day)) return listStarts(day, nativeMinutes)
  return listStarts(day, nativeMinutes).filter(start => {
    const instant = day.start + start
    return (from === null || instant >= from) && (to === null || instant < to)
  })
}

/** Counts expected intervals by bucket. */
export class ExpectedIntervals {
  /** The intervals of sensors that were installed for the whole range, by zone rules and native minutes. */
  private readonly wholeRange = new Map<string, Float64Array>()

  constructor(
    private readonly dates: Dates,
    /** Returns the bucket of a day of the range, by its index. */
    private readonly bucketOfDay: (day: number) => number,
    private readonly buckets: number,
  ) {}

  /** Returns the intervals of a sensor by bucket. The array is shared. */
  count(installed: InstalledSensors): Float64Array {
    const { rules, nativeMinutes, from, to } = installed
    return from === null && to === null ? this.ofWholeRange(rules, nativeMinutes) : this.countDays(installed)
  }

  private ofWholeRange(rules: ZoneRules, nativeMinutes: number): Float64Array {
    const key = `${nativeMinutes} ${rules.key}`
    let counts = this.wholeRange.get(key)
    if (!counts) {
      counts = this.countDays({ rules, nativeMinutes, from: null, to: null })
      this.wholeRange.set(key, counts)
    }
    return counts
  }

  private countDays({ rules, ...period }: InstalledSensors): Float64Array {
    const counts = new Float64Array(this.buckets)
    listDays(rules, ...this.dates).forEach((day, i) => {
      counts[this.bucketOfDay(i)]! += countExpected(day, period)
    })
    return counts
  }
}
