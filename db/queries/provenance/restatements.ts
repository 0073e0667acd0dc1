/** Reads restatements from the ledger, in pages. */
import type { Knex } from 'knex'
import type { Restatement } from '../../../schema/generated'
import { COMPANY_SCOPE, inScope, type ScopedReader } from '../../postgres/scoped-reader'
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

/** The position after which the page begins; without one, a position before all. */
const AFTER = `(coalesce(nullif(split_part(:after, ' ', 1), ''), '0')::bigint, split_part(:after, ' ', 2),
  coalesce(nullif(split_part(:after, ' ', 3), ''), '-infinity')::date, split_part(:after, ' ', 4))`

/** The page of a company, which is read in the order of an index. */
const OF_COMPANY = knex
  .from('former_totals as r')
  .join('transactions as v', 'v.number', 'r.until')
  .join('assets as a', 'a.number', 'r.asset')
  .select(
    'r.until',
    'r.asset_id',
    'r.date',
    'r.kind',
    'r.total',
    'r.next_total',
    'r.observed',
    'r.next_observed',
    'r.final',
  )
  .select('v.reason', 'v.note', 'v.note_is_public')
  .whereRaw(`r.company = scope.company AND ${inScope('a.company')}`)
  .whereRaw('r.total IS DISTINCT FROM r.next_total')
  .whereRaw('r.date BETWEEN :from AND :to', { from: parameter('from'), to: parameter('to') })
  .whereRaw('r.until >= coalesce(to_microseconds(:since::timestamptz), 0)', { since: parameter('restatedSince') })
  .whereRaw(`(r.until, r.asset_id, r.date, r.kind) > ${AFTER}`, { after: parameter('after') })
  .modify(whereMatches)
  .orderByRaw('r.until, r.asset_id, r.date, r.kind LIMIT :limit', { limit: parameter('limit') })

const RESTATEMENTS = buildStatement<RestatementRequest>(
  'restatements',
  knex
    .from(knex.raw(`unnest(${COMPANY_SCOPE}) AS scope (company)`))
    // The types of Knex lack queries among the bindings of a join.
    .joinRaw('CROSS JOIN LATERAL (?) AS r', [OF_COMPANY as unknown as Knex.Raw])
    .select(
      knex.raw(`concat_ws(' ', r.until, r.asset_id, r.date, r.kind) AS id, r.asset_id AS "assetId", r.kind, r.date,
        r.total AS previous, r.next_total AS current, r.observed AS "previousIntervals",
        r.next_observed AS "currentIntervals", date_trunc('milliseconds', to_timestamp(r.until / 1e6)) AS "restatedAt",
        r.reason, CASE WHEN r.note_is_public THEN r.note END AS note, r.final`),
    )
    .orderByRaw('r.until, r.asset_id, r.date, r.kind LIMIT :limit', { limit: parameter('limit') }),
)

/** Returns up to `limit` restatements after a position, by time, asset, date and kind. */
export const readRestatements = (reader: ScopedReader, request: RestatementRequest): Promise<RestatementRow[]> =>
  reader.read(RESTATEMENTS, RESTATEMENTS.bindValues(request))
