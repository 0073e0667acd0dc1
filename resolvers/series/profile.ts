/**
 * The typical week: each hour of a series counts towards the weekday and the hour that the local clock shows at its start. A
 * repeated hour counts twice, a skipped one not at all.
 */
import { countIntervals, type Day, listDays, listStarts } from '../../db/calendar/local-days'
import { addHours } from '../../db/calendar/packed-counts'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { type Measurement, readMeasurements, type SensorDay } from '../../db/queries/impressions'
import { ApiError } from '../../schema/errors'
import type { HourOfWeek } from '../../schema/generated'
import { checkGrain, type DateRange, lengthOf, toDates } from '../limits/ranges'
import { Turns } from '../turns'
import { average, share } from './ratios'
import { readingCounts } from './series'

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

  /**
   * @param days of the range
   * @param sensorDays in the detail of hours
   * @throws RangeError for hours of another length than their day
   */
  constructor(days: readonly Day[], sensorDays: readonly SensorDay[]) {
    const sorted = sensorDays.toSorted((a, b) => a.day - b.day)
    for (let i = 0; i < sorted.length; ) {
      const index = sorted[i]!.day
      const day = days[index]!
      const length = countIntervals(day, 60)
      const hours = clearHours(length)
      for (; sorted[i]?.day === index; i++) addHours(sorted[i]!.packed, length, hours, 0)
      this.addDay(day, length, hours)
    }
    const withData = this.hours.reduce((sum, each) => sum + each, 0)
    this.total = this.sums.reduce((sum, each) => sum + each, 0)
    this.average = average(this.total, withData)
    this.sumOfAverages = this.sums.reduce((sum, each, slot) => sum + each / Math.max(1, this.hours[slot]!), 0)
  }

  /** Returns the average impressions of a slot, 2 decimals; null without data. */
  private averageOf(slot: number): number | null {
    return this.hours[slot] === 0 ? null : average(this.sums[slot]!, this.hours[slot]!)
  }

  /** Returns people per play of some seconds of an hour, 4 decimals; null without data. */
  private audienceOf(slot: number, seconds: number): number | null {
    const impressions = this.averageOf(slot)
    // In whole hundredths, so that a half is rounded up.
    return impressions === null ? null : Math.round((Math.round(impressions * 100) * seconds) / 36) / 10_000
  }

  /** @param seconds the length of a play, for people per play; null for none */
  rowsWith(seconds: number | null): Partial<HourOfWeek>[] {
    return Array.from({ length: SLOTS }, (_, slot) => ({
      ...{ weekday: Math.floor(slot / HOURS) + 1, hour: slot % HOURS },
      ...{ averageImpressions: this.averageOf(slot), hoursObserved: this.hours[slot]!, share: this.shareOf(slot) },
      ...(seconds !== null && { audience: this.audienceOf(slot, seconds) }),
    }))
  }

  private shareOf(slot: number): number {
    return share(this.sums[slot]! / Math.max(1, this.hours[slot]!), this.sumOfAverages)
  }

  private addDay(day: Day, length: number, { sums, observed }: Hours): void {
    const slots = day.regular ? undefined : findSlots(day)
    const midnight = findSlot(day, day.start)
    for (let hour = 0; hour < length; hour++) {
      if (observed[hour] === 0) continue
      const slot = slots ? slots[hour]! : midnight + hour
      this.sums[slot]! += sums[hour]!
      this.hours[slot]!++
    }
  }
}

/** Adds up the typical week of hours. @throws ApiError GRAIN_NOT_AVAILABLE, INTERNAL */
export function buildWeek(measurement: Measurement, range: DateRange): TypicalWeek {
  checkGrain(measurement, range, 'hour')
  const days = listDays(measurement.rules, range.fromDate, range.toDate)
  return readingCounts(() => new TypicalWeek(days, measurement.days))
}

/** Sensor-days of which the hours are read at once. */
const MAX_SENSOR_DAYS = 5_000

/** Yields the typical week of each asset, or its error. Hours are read in batches, each of which is added up before the next is read. */
export async function* readWeeks(
  reader: ScopedReader,
  ids: readonly string[],
  range: DateRange,
): AsyncGenerator<[id: string, week: TypicalWeek | ApiError]> {
  const size = Math.ceil(MAX_SENSOR_DAYS / lengthOf(range))
  const turns = new Turns()
  for (let first = 0; first < ids.length; first += size) {
    const batch = ids.slice(first, first + size)
    if (first > 0) reader.yield()
    for (const [id, measurement] of await readMeasurements(reader, batch, toDates(range), 'hours')) {
      yield [id, weekOrError(measurement, range)]
      if (turns.isOver) await turns.next()
    }
  }
}

/** Returns the error of an asset, which is not one of the others. */
function weekOrError(measurement: Measurement, range: DateRange): TypicalWeek | ApiError {
  try {
    return buildWeek(measurement, range)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

interface Hours {
  sums: Float64Array
  observed: Int32Array
}

/** The hours of a day, of which each sensor adds its own. There are never more. */
const SCRATCH: Hours = { sums: new Float64Array(64), observed: new Int32Array(64) }

function clearHours(length: number): Hours {
  SCRATCH.sums.fill(0, 0, length)
  SCRATCH.observed.fill(0, 0, length)
  return SCRATCH
}

const findSlots = (day: Day): number[] => listStarts(day, 60).map(start => findSlot(day, day.start + start))

function findSlot(day: Day, instant: number): number {
  const { offset } = day.zoneIntervals.findLast(({ at }) => at <= instant) ?? day.zoneIntervals[0]
  const local = Math.floor((instant + offset) / 3600)
  // 1970-01-01 was a Thursday.
  return (((local + 3 * HOURS) % SLOTS) + SLOTS) % SLOTS
}
