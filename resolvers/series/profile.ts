/**
 * The typical week: each hour of a series counts towards the weekday and the hour that the local clock shows at its start. A
 * repeated hour counts twice, a skipped one not at all.
 */
import { type Day, listStarts } from '../../db/calendar/local-days'
import type { Measurement } from '../../db/queries/impressions'
import { checkGrain } from '../limits/grains'
import type { DateRange } from '../limits/ranges'
import { average, share } from '../ratios'
import { buildSeries, type Series } from './series'
import { sumSeries } from './series-result'

/** Of a day. */
const HOURS = 24

/** The hours of a week, from Monday 00 to Sunday 23. */
export const SLOTS = 7 * HOURS

/** The impressions and the hours with data in each slot of the week. */
export class TypicalWeek {
  readonly total: number
  readonly average: number
  private readonly sums = new Float64Array(SLOTS)
  private readonly hours = new Int32Array(SLOTS)
  private readonly sumOfAverages: number

  /** @param series of hours */
  constructor(series: Series) {
    const { total, withData } = sumSeries(series)
    this.total = total
    this.average = average(total, withData)
    for (let i = 0; i < series.days.length; i++) this.addDay(series, series.days[i]!, series.firstBucket[i]!)
    this.sumOfAverages = this.sums.reduce((sum, each, slot) => sum + each / Math.max(1, this.hours[slot]!), 0)
  }

  /** Returns the average impressions of a slot, 2 decimals; null without data. */
  averageOf(slot: number): number | null {
    return this.hours[slot] === 0 ? null : average(this.sums[slot]!, this.hours[slot]!)
  }

  /** Returns the part of an hour's audience in some seconds of it, 4 decimals; null without data. */
  audienceOf(slot: number, seconds: number): number | null {
    const impressions = this.averageOf(slot)
    // In whole hundredths, so that a half is rounded up.
    return impressions === null ? null : Math.round((Math.round(impressions * 100) * seconds) / 36) / 10_000
  }

  hoursOf(slot: number): number {
    return this.hours[slot]!
  }

  shareOf(slot: number): number {
    return share(this.sums[slot]! / Math.max(1, this.hours[slot]!), this.sumOfAverages)
  }

  private addDay({ sums, observed }: Series, day: Day, first: number): void {
    const slots = day.regular ? undefined : findSlots(day)
    const monday = slots ? 0 : findSlot(day, day.start)
    const length = slots ? slots.length : HOURS
    for (let hour = 0; hour < length; hour++) {
      if (observed[first + hour] === 0) continue
      const slot = slots ? slots[hour]! : monday + hour
      this.sums[slot]! += sums[first + hour]!
      this.hours[slot]!++
    }
  }
}

/** Adds up the typical week of hours. @throws ApiError GRAIN_NOT_AVAILABLE, INTERNAL */
export function buildWeek(measurement: Measurement, range: DateRange): TypicalWeek {
  checkGrain(measurement, range, 'hour')
  // It shows no coverage.
  return new TypicalWeek(buildSeries({ ...measurement, installations: [] }, range, 'hour'))
}

/** Returns the slot of each hour of a day. */
const findSlots = (day: Day): number[] => listStarts(day, 60).map(start => findSlot(day, day.start + start))

/** Returns the slot of an instant of a day. */
function findSlot(day: Day, instant: number): number {
  const { offset } = day.zoneIntervals.findLast(({ at }) => at <= instant) ?? day.zoneIntervals[0]
  const local = Math.floor((instant + offset) / 3600)
  // 1970-01-01 was a Thursday.
  return (((local + 3 * HOURS) % SLOTS) + SLOTS) % SLOTS
}
