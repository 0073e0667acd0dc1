/**
 * The typical week: each hour of a series counts towards the weekday and the hour that the local clock shows at its start. A
 * repeated hour counts twice, a skipped one not at all.
 */
import { type Day, listStarts } from '../../db/calendar/local-days'
import type { ImpressionsProfile } from '../../schema/generated'
import { average, share } from '../ratios'
import type { Series } from './series'
import { sumSeries } from './series-result'

const HOURS = 24
const SLOTS = 7 * HOURS

/** The sums of each hour of the week, and the number of hours with data. */
export class WeekSums {
  readonly sums = new Float64Array(SLOTS)
  readonly hours = new Int32Array(SLOTS)

  /** @param series of hours */
  add(series: Series): void {
    series.days.forEach((day, i) => {
      const first = series.firstBucket[i]!
      findSlots(day).forEach((slot, hour) => {
        if (series.observed[first + hour]! === 0) return
        this.sums[slot]! += series.sums[first + hour]!
        this.hours[slot]!++
      })
    })
  }

  get rows() {
    return Array.from({ length: SLOTS }, (_, slot) => {
      const hoursObserved = this.hours[slot]!
      return {
        weekday: Math.floor(slot / HOURS) + 1,
        hour: slot % HOURS,
        averageImpressions: hoursObserved === 0 ? null : average(this.sums[slot]!, hoursObserved),
        hoursObserved,
      }
    })
  }
}

/** @param series of hours */
export function computeProfile(series: Series): ImpressionsProfile {
  const week = new WeekSums()
  week.add(series)
  const { sums, hours } = week
  const averages = sums.map((sum, slot) => (hours[slot] === 0 ? 0 : sum / hours[slot]!))
  const sumOfAverages = averages.reduce((sum, each) => sum + each, 0)
  const rows = week.rows.map((row, slot) => ({ ...row, share: share(averages[slot]!, sumOfAverages) }))
  const { total, withData } = sumSeries(series)
  return { rows, total, average: average(total, withData) }
}

/** Returns the slot of each hour of a day. */
function findSlots(day: Day): number[] {
  return listStarts(day, 60).map(start => {
    const instant = day.start + start
    const { offset } = day.zoneIntervals.findLast(({ at }) => at <= instant) ?? day.zoneIntervals[0]
    const local = Math.floor((instant + offset) / 3600)
    // 1970-01-01 was a Thursday.
    return (((local + 3 * HOURS) % SLOTS) + SLOTS) % SLOTS
  })
}
