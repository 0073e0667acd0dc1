/** The range of days of a route, and its documentation. */
import { GRAINS, isWithinDay } from '../../db/calendar/grains'
import type { Grain } from '../../schema/generated'
import { fromDate, toDate } from './params'

export const range = [fromDate, toDate]

export const rangeErrors = ['INVALID_DATE_RANGE', 'RANGE_TOO_LARGE'] as const

const daysAt = (grain: Grain): string => `${GRAINS[grain].maxDays.toLocaleString('en')} days`

export const maxRange = (grain: Grain = 'day'): string => `Maximum range: ${daysAt(grain)}.`

export const MAX_RANGE_BY_GRAIN = `Maximum range: ${(Object.keys(GRAINS) as Grain[])
  .filter(isWithinDay)
  .map(grain => `${daysAt(grain)} at \`${grain}\``)
  .join(', ')}; ${daysAt('day')} at coarser grains.`
