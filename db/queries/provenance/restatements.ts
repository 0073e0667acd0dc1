/** Reads restatements from the ledger, in pages. */
import type { Restatement } from '../../../schema/generated'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, whereMatches } from '../asset-filters'
import { buildStatement, knex, parameter } from '../statements'

/** A restatement, with its position in the list as `id`. */
interface RestatementRow extends Restatement {
  id: string
}

interface RestatementRequest extends AssetFilter {
  from: string
  to: string
  /** RFC 3339, inclusive. */
  restatedSince: string | null
  /** The position of a restatement; '' for the first page. */
  after: string
  limit: number
}

const RESTATEMENTS = buildStatement<RestatementRequest>(
  'restatements',
  knex
    .from('restatements as r')
    .join('revisions as v', 'v.number', 'r.revision')
    .join('assets as a', 'a.number', 'r.asset')
    .select(
      knex.raw(`concat_ws(' ', r.revision, a.id, r.date, r.kind) AS id, a.id AS "assetId", r.kind, r.date,
        r.total_before AS previous, r.total_after AS current, r.observed_before AS "previousIntervals",
        r.observed_after AS "currentIntervals", date_trunc('milliseconds', to_timestamp(r.revision / 1e6)) AS "restatedAt",
        v.reason, CASE WHEN v.note_is_public THEN v.note END AS note, r.final`),
    )
    .whereRaw(inScope('r.company'))
    .whereRaw('r.total_before IS DISTINCT FROM r.total_after')
    .whereRaw('r.date BETWEEN :from AND :to', { from: parameter('from'), to: parameter('to') })
    .whereRaw('(:since::timestamptz IS NULL OR r.revision >= to_microseconds(:since))', {
      since: parameter('restatedSince'),
    })
    .whereRaw(
      `(:after = '' OR (r.revision, a.id, r.date, r.kind) > (
        split_part(:after, ' ', 1)::bigint, split_part(:after, ' ', 2), split_part(:after, ' ', 3)::date, split_part(:after, ' ', 4)))`,
      { after: parameter('after') },
    )
    .modify(whereMatches)
    .orderByRaw('r.revision, a.id, r.date, r.kind LIMIT :limit', { limit: parameter('limit') }),
)

/** Returns up to `limit` restatements after a position, by time, asset, date and kind. */
export const readRestatements = (reader: ScopedReader, request: RestatementRequest): Promise<RestatementRow[]> =>
  reader.read(RESTATEMENTS, RESTATEMENTS.bindValues(request))
