/** Pages of lists: one row more than asked for is read, to know whether more follow. */
import { ApiError } from '../schema/errors'

/** How many rows a page may have. */
export const MOST_ROWS = 500

/** @throws ApiError INVALID_PARAMETER */
export function checkLimit(limit: number): void {
  if (limit >= 1 && limit <= MOST_ROWS) return
  const details = { parameter: 'limit', value: String(limit), expected: `a whole number from 1 to ${MOST_ROWS}` }
  throw new ApiError('INVALID_PARAMETER', details, `limit must be ${details.expected}.`)
}

/** @throws ApiError INVALID_PARAMETER for a limit that no page has */
export async function pageOf<Node>(
  limit: number,
  read: (rows: number) => Promise<Node[]>,
): Promise<{ nodes: Node[]; hasMore: boolean }> {
  checkLimit(limit)
  const nodes = await read(limit + 1)
  return { nodes: nodes.slice(0, limit), hasMore: nodes.length > limit }
}
