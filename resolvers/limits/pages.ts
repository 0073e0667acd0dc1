/** Pages of lists. One row more than the page holds is read, to know whether more follow. */
import { ApiError } from '../../schema/errors'

/** The largest page, in rows. */
export const MAX_PAGE_SIZE = 500

interface Page<Node> {
  nodes: Node[]
  hasMore: boolean
  /** The id of the last row; null on an empty page. */
  last: string | null
}

/** @throws ApiError INVALID_PARAMETER */
export function checkLimit(limit: number): void {
  if (limit >= 1 && limit <= MAX_PAGE_SIZE) return
  const details = { parameter: 'limit', value: String(limit), expected: `a whole number from 1 to ${MAX_PAGE_SIZE}` }
  throw new ApiError('INVALID_PARAMETER', details, `limit must be ${details.expected}.`)
}

/** Returns the page that `limit + 1` rows make up. */
export function cutPage<Row extends { id: string }>(rows: readonly Row[], limit: number): Page<Row> {
  const nodes = rows.slice(0, limit)
  return { nodes, hasMore: rows.length > limit, last: nodes.at(-1)?.id ?? null }
}
