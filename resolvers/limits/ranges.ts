/** Bounds on ranges of days, checked before anything is read. */
import { GRAINS } from '../../db/calendar/grains'
import { type Dates, dayNumber } from '../../db/calendar/local-days'
import { ApiError } from '../../schema/errors'
import type { Grain } from '../../schema/generated'

export interface DateRange {
  /** The first day. */
  fromDate: string
  /** The last day, inclusive. */
  toDate: string
}

/** Returns a range as statements take it. */
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
