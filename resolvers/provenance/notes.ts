/** The resolver of the list of notes. */
import { buildConditions } from '../../db/queries/asset-filters'
import { readUnknownIds } from '../../db/queries/assets'
import { readNotes } from '../../db/queries/provenance/notes'
import type { Query } from '../context'
import { checkRows, MAX_JSON_ROWS } from '../groups/aggregates'
import { checkLimit } from '../limits/pages'
import { checkOrder, lengthOf } from '../limits/ranges'

/** A range may be as long as the calendar: notes are few, and one without an end applies to all later days. */
export const notes: Query['notes'] = async (_, { limit, after, filter = null, ...range }, { reader, isInternal }) => {
  checkLimit(limit)
  checkOrder(range)
  const dates = [range.fromDate, range.toDate] as const
  const [rows, unknownIds] = await Promise.all([
    readNotes(reader, buildConditions(filter), dates, isInternal, after ?? '', limit + 1),
    readUnknownIds(reader, filter?.id),
  ])
  if (unknownIds.length > 0) return null
  checkRows(rows[0]?.remaining ?? 0, MAX_JSON_ROWS, lengthOf(range))
  const nodes = rows.slice(0, limit)
  return { nodes, hasMore: rows.length > limit, last: nodes.at(-1)?.place ?? null }
}
