/** Limits of the rows of lists. */
import type { GroupBy } from '../../db/assets/attributes'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import type { AssetFilter } from '../../db/queries/asset-filters'
import { type Groups, readGroups } from '../../db/queries/assets'
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
 * Returns the groups that the assets of a filter make up. Their rows are checked before anything is read or allocated for each of them.
 *
 * @param rows of each group
 * @param days the length of the range, where fewer days would give fewer rows
 * @throws ApiError RANGE_TOO_LARGE
 */
export async function checkGroups(
  reader: ScopedReader,
  filter: AssetFilter,
  by: GroupBy,
  rows: number,
  max: number,
  days = 0,
): Promise<Groups> {
  const groups = await readGroups(reader, filter, by, Math.floor(max / rows))
  checkRows(groups.number * rows, max, days)
  return groups
}

/** @throws ApiError RANGE_TOO_LARGE */
export function checkRows(all: number, max: number, days = 0): void {
  if (all <= max) return
  const maxDays = Math.floor((days * max) / all)
  const advice = maxDays > 0 ? 'Choose fewer days, a coarser grain or fewer assets.' : 'Choose fewer assets.'
  throw new ApiError(
    'RANGE_TOO_LARGE',
    { max_days: maxDays },
    `The result has ${all} rows; ${max} are allowed. ${advice}`,
  )
}
