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
    .from('former_totals as r')
    .join('transactions as v', 'v.number', 'r.until')
    .join('assets as a', 'a.number', 'r.asset')
    .select(
      knex.raw(`concat_ws(' ', r.until, r.asset_id, r.date, r.kind) AS id, a.id AS "assetId", r.kind, r.date,
        r.total AS previous, r.next_total AS current, r.observed AS "previousIntervals",
        r.next_observed AS "currentIntervals", date_trunc('milliseconds', to_timestamp(r.until / 1e6)) AS "restatedAt",
        v.reason, CASE WHEN v.note_is_public THEN v.note END AS note, r.final`),
    )
    .whereRaw(inScope('r.company'))
    .whereRaw('r.total IS DISTINCT FROM r.next_total')
    .whereRaw('r.date BETWEEN :from AND :to', { from: parameter('from'), to: parameter('to') })
    .whereRaw('(:since::timestamptz IS NULL OR r.until >= to_microseconds(:since))', {
      since: parameter('restatedSince'),
    })
    .whereRaw(
      `(:after = '' OR (r.until, r.asset_id, r.date, r.kind) > (
        split_part(:after, ' ', 1)::bigint, split_part(:after, ' ', 2), split_part(:after, ' ', 3)::date, split_part(:after, ' ', 4)))`,
      { after: parameter('after') },
    )
    .modify(whereMatches)
    .orderByRaw('r.until, r.asset_id, r.date, r.kind LIMIT :limit', { limit: parameter('limit') }),
)

/** Returns up to `limit` restatements after a position, by time, asset, date and kind. */
export const readRestatements = (reader: ScopedReader, request: RestatementRequest): Promise<RestatementRow[]> =>
  reader.read(RESTATEMENTS, RESTATEMENTS.bindValues(request))
