/** The finest grain that an asset's sensors deliver in a range: that of the coarsest of them. */

import { GRAINS, isWithinDay, NATIVE_MINUTES, nativeGrain } from '../../db/calendar/grains'
import { listDays } from '../../db/calendar/local-days'
import type { Measurement } from '../../db/queries/impressions'
import { ApiError } from '../../schema/errors'
import type { Grain } from '../../schema/generated'
import type { DateRange } from './ranges'

/** In minutes: by the sensors of the range; if there are none, by the asset's present sensors; else a quarter hour. */
export function finestMinutes({ rules, installations, days }: Measurement, range: DateRange): number {
  const [first] = listDays(rules, range.fromDate, range.fromDate)
  const [last] = listDays(rules, range.toDate, range.toDate)
  const inRange = installations.filter(
    ({ from, to }) => first && last && from < last.end && (to === null || to > first.start),
  )
  const sensors =
    inRange.length + days.length > 0 ? [...inRange, ...days] : installations.filter(({ present }) => present)
  return sensors.length === 0
    ? NATIVE_MINUTES.quarter_hour
    : sensors.reduce((coarsest, { nativeMinutes }) => Math.max(coarsest, nativeMinutes), 0)
}

/** @throws ApiError GRAIN_NOT_AVAILABLE */
export function checkGrain(measurement: Measurement, range: DateRange, grain: Grain): void {
  if (!isWithinDay(grain)) return
  const finest = finestMinutes(measurement, range)
  if (GRAINS[grain].minutes >= finest) return
  throw new ApiError(
    'GRAIN_NOT_AVAILABLE',
    { grain, finest_grain: nativeGrain(finest) },
    `The asset's sensors deliver nothing finer than ${nativeGrain(finest)} in this range.`,
  )
}
