/** Limits of the rows of lists. */
import { ApiError } from '../../schema/errors'

/** The most in a list of an ad hoc query. */
export const MAX_ROWS = 10_000

/** The most in a response of REST in JSON. */
export const MAX_JSON_ROWS = 50_000

/** The most gaps of an asset in an ad hoc query. */
export const MAX_GAPS = 1_000

/** The most in a response of REST in a flat format. */
export const MAX_FLAT_ROWS = 200_000

/**
 * Checks the rows of groups of assets, before anything is read or allocated for each of them.
 *
 * @param rows of each group
 * @param days the length of the range, where fewer days would give fewer rows
 * @throws ApiError RANGE_TOO_LARGE
 */
export function checkGroups(groups: number, rows: number, max: number, days = 0): void {
  const all = groups * rows
  if (all <= max) return
  const maxDays = Math.floor((days * max) / all)
  const advice = maxDays > 0 ? 'Choose fewer days, a coarser grain or fewer assets.' : 'Choose fewer assets.'
  throw new ApiError(
    'RANGE_TOO_LARGE',
    { max_days: maxDays },
    `The result has ${all} rows; ${max} are allowed. ${advice}`,
  )
}
