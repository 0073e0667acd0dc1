/** Limits of the rows of lists, and of other numbers that callers give. */
import type { GroupBy } from '../../db/assets/attributes'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import type { AssetFilter } from '../../db/queries/asset-filters'
import { type Groups, readGroups } from '../../db/queries/assets'
import { ApiError, invalidParameter } from '../../schema/errors'

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

export const MAX_PAGE_SIZE = 500

/** The longest play for which a profile shows people. */
export const MAX_SECONDS = 86_400

const check = (parameter: string, value: number, max: number): void => {
  if (value >= 1 && value <= max) return
  throw invalidParameter(parameter, String(value), `a whole number from 1 to ${max}`)
}

/** @throws ApiError INVALID_PARAMETER */
export const checkLimit = (limit: number): void => check('limit', limit, MAX_PAGE_SIZE)

/** @throws ApiError INVALID_PARAMETER */
export const checkSeconds = (seconds: number | null): void => check('seconds', seconds ?? 1, MAX_SECONDS)

interface Page<Node> {
  nodes: Node[]
  hasMore: boolean
  /** The id of the last row; null on an empty page. */
  last: string | null
}

/** Returns the page that `limit + 1` rows make up: the one more shows whether others follow. */
export function cutPage<Row extends { id: string }>(rows: readonly Row[], limit: number): Page<Row> {
  const nodes = rows.slice(0, limit)
  return { nodes, hasMore: rows.length > limit, last: nodes.at(-1)?.id ?? null }
}
