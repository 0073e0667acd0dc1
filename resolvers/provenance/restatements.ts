/** Resolves the restatements of the ledger. */
import { isDate } from '../../db/calendar/local-days'
import { buildConditions } from '../../db/queries/asset-filters'
import { readUnknownIds } from '../../db/queries/assets'
import { readRestatements } from '../../db/queries/provenance/restatements'
import { ApiError } from '../../schema/errors'
import type { Query } from '../context'
import { checkLimit, cutPage } from '../limits/numbers'
import { checkRange } from '../limits/ranges'

const POSITION = /^\d{1,16} [a-z0-9]+ (\d{4}-\d\d-\d\d) [a-z]+$/

export const restatements: Query['restatements'] = async (_, request, { reader }) => {
  const { fromDate, toDate, since, limit, after, filter } = request
  checkLimit(limit)
  checkRange(request)
  if (after != null && !isDate(POSITION.exec(after)?.[1] ?? '')) throw new ApiError('INVALID_CURSOR')
  const page = { from: fromDate, to: toDate, restatedSince: since ?? null, after: after ?? '', limit: limit + 1 }
  const [rows, unknown] = await Promise.all([
    readRestatements(reader, { ...buildConditions(filter ?? null), ...page }),
    readUnknownIds(reader, filter?.id),
  ])
  return unknown.length > 0 ? null : cutPage(rows, limit)
}
