/** Bounds on ranges of days, checked before anything is read, and on grains by what the sensors of a range deliver. */
import { GRAINS, isWithinDay, NATIVE_MINUTES, nativeGrain } from '../../db/calendar/grains'
import { type Dates, dayNumber, listDays } from '../../db/calendar/local-days'
import type { Measurement } from '../../db/queries/impressions'
import { ApiError } from '../../schema/errors'
import type { Grain } from '../../schema/generated'

export interface DateRange {
  fromDate: string
  /** The last day, inclusive. */
  toDate: string
}

export const toDates = ({ fromDate, toDate }: DateRange): Dates => [fromDate, toDate]

/** Returns the number of days of a range. */
export function lengthOf({ fromDate, toDate }: DateRange): number {
  return dayNumber(toDate) - dayNumber(fromDate) + 1
}

/** @throws ApiError INVALID_DATE_RANGE */
export function checkOrder({ fromDate, toDate }: DateRange): void {
  if (fromDate > toDate) throw new ApiError('INVALID_DATE_RANGE', { from_date: fromDate, to_date: toDate })
}

/** @throws ApiError INVALID_DATE_RANGE, RANGE_TOO_LARGE */
export function checkRange(range: DateRange, grain: Grain = 'day'): void {
  checkOrder(range)
  const days = lengthOf(range)
  const max = GRAINS[grain].maxDays
  if (days > max) {
    throw new ApiError('RANGE_TOO_LARGE', { max_days: max }, `The range has ${days} days; ${max} are allowed here.`)
  }
}

/** In minutes: by the sensors of the range; a quarter hour if there are none. */
export const finestMinutes = (measurement: Measurement, range: DateRange): number =>
  coarsestMinutes(measurement, range) ?? NATIVE_MINUTES.quarter_hour

/** Returns undefined where no sensor was installed in the range. */
function coarsestMinutes({ rules, installations, days }: Measurement, range: DateRange): number | undefined {
  const [first] = listDays(rules, range.fromDate, range.fromDate)
  const [last] = listDays(rules, range.toDate, range.toDate)
  const inRange = installations.filter(
    ({ from, to }) => first && last && from < last.end && (to === null || to > first.start),
  )
  const sensors = [...inRange, ...days]
  return sensors.length === 0
    ? undefined
    : sensors.reduce((coarsest, { nativeMinutes }) => Math.max(coarsest, nativeMinutes), 0)
}

/** @throws ApiError GRAIN_NOT_AVAILABLE */
export function checkGrain(measurement: Measurement, range: DateRange, grain: Grain): void {
  if (!isWithinDay(grain)) return
  const coarsest = coarsestMinutes(measurement, range)
  const finest = coarsest ?? NATIVE_MINUTES.quarter_hour
  if (GRAINS[grain].minutes >= finest) return
  const limit = `nothing finer than ${nativeGrain(finest)}`
  throw new ApiError(
    'GRAIN_NOT_AVAILABLE',
    { grain, finest_grain: nativeGrain(finest) },
    coarsest === undefined
      ? `No sensor was installed on the asset in this range, for which there is ${limit}.`
      : `The asset's sensors deliver ${limit} in this range.`,
  )
}
