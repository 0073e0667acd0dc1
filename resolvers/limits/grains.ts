/** The finest grain that an asset's sensors deliver in a range: that of the coarsest of them. */

import { GRAINS, isWithinDay, NATIVE_MINUTES, nativeGrain } from '../../db/calendar/grains'
import { listDays } from '../../db/calendar/local-days'
import type { Measurement } from '../../db/queries/impressions'
import { ApiError } from '../../schema/errors'
import type { Grain } from '../../schema/generated'
import type { DateRange } from './ranges'

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
