/** The resolver of the list of notes. */
import { isDate } from '../../db/calendar/local-days'
import { buildConditions } from '../../db/queries/asset-filters'
import { readUnknownIds } from '../../db/queries/assets'
import { type NotePlace, readNotes } from '../../db/queries/provenance/notes'
import { ApiError } from '../../schema/errors'
import type { Query } from '../context'
import { checkOrder } from '../limits/ranges'
import { checkLimit } from '../limits/rows'

/** A range may be as long as the calendar: one page is read, and a note without an end applies to all later days. */
export const notes: Query['notes'] = async (_, request, { reader, isInternal }) => {
  const { limit, after, filter = null, fromDate: from, toDate: to } = request
  checkLimit(limit)
  checkOrder(request)
  const selection = { from, to, internal: isInternal, limit: limit + 1 }
  const [rows, unknownIds] = await Promise.all([
    readNotes(reader, buildConditions(filter), selection, after == null ? undefined : parsePlace(after)),
    readUnknownIds(reader, filter?.id),
  ])
  if (unknownIds.length > 0) return null
  const nodes = rows.slice(0, limit)
  const last = nodes.at(-1)
  return { nodes, hasMore: rows.length > limit, last: last ? `${last.assetId} ${last.from} ${last.id}` : null }
}

/** @throws ApiError INVALID_CURSOR */
function parsePlace(text: string): NotePlace {
  const [assetId, from, id, ...rest] = text.split(' ')
  if (!assetId || !from || !isDate(from) || !id || rest.length > 0) throw new ApiError('INVALID_CURSOR')
  return { assetId, from, id }
}
