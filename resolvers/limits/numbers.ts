/** Limits of numbers that callers give. */
import { invalidParameter } from '../../schema/errors'

/** The largest page, in rows. */
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
