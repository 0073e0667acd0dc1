/** Resolves the restatements of the ledger. */
import { buildConditions } from '../../db/queries/asset-filters'
import { readUnknownIds } from '../../db/queries/assets'
import { isLost, readRestatements } from '../../db/queries/provenance/restatements'
import { ApiError } from '../../schema/errors'
import type { Query } from '../context'
import { checkRange } from '../limits/ranges'
import { checkLimit, cutPage } from '../limits/rows'

/** Identifies the list to the cursors. Positions are encrypted, because the numbers in them would show how many transactions there are. */
const LIST = 'restatements'

export const restatements: Query['restatements'] = async (_, request, { reader, service: { cursors } }) => {
  const { fromDate, toDate, since, limit, filter } = request
  checkLimit(limit)
  checkRange(request)
  const after = request.after == null ? '' : cursors.open(LIST, request.after)
  const page = { from: fromDate, to: toDate, restatedSince: since ?? null, after, limit: limit + 1 }
  const [rows, unknown, hasLost] = await Promise.all([
    readRestatements(reader, { ...buildConditions(filter ?? null), ...page }),
    readUnknownIds(reader, filter?.id),
    after !== '' && isLost(reader, after),
  ])
  if (hasLost) throw new ApiError('INVALID_CURSOR')
  if (unknown.length > 0) return null
  const { last, ...found } = cutPage(rows, limit)
  return { ...found, last: last && cursors.issue(LIST, last) }
}
