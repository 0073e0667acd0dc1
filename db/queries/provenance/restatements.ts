/** Reads restatements from the ledger, in pages. */
import type { Restatement } from '../../../schema/generated'
import { COMPANY_SCOPE, inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, MATCHES } from '../asset-filters'
import { readRow, readRows } from '../statements'

/** A restatement, with its position in the list as `id`. */
interface RestatementRow extends Restatement {
  id: string
}

interface RestatementRequest extends AssetFilter {
  from: string
  to: string
  /** RFC 3339, inclusive. */
  restatedSince: string | null
  /** The position of a restatement: its `id`; '' for the first page. */
  after: string
  limit: number
}

/** The position after which the page begins; without one, a position before all. */
const AFTER = `(coalesce(nullif(split_part(:after, ' ', 1), ''), '0')::bigint, split_part(:after, ' ', 3),
  coalesce(nullif(split_part(:after, ' ', 4), ''), '-infinity')::date, split_part(:after, ' ', 5))`

/** Each company has a page, which is read in the order of an index. */
const RESTATEMENTS = `
SELECT concat_ws(' ', lpad(r.until::text, 16, '0'), r.mark, r.asset_id, r.date, r.kind) AS id, r.asset_id AS "assetId", r.kind, r.date,
  r.total AS previous, r.next_total AS current, r.observed AS "previousIntervals", r.next_observed AS "currentIntervals",
  date_trunc('milliseconds', r.committed_at) AS "restatedAt", r.reason,
  CASE WHEN r.note_is_public THEN r.note END AS note, r.final
FROM unnest(${COMPANY_SCOPE}) AS scope (company) CROSS JOIN LATERAL (
  SELECT r.until, r.asset_id, r.date, r.kind, r.total, r.next_total, r.observed, r.next_observed, r.final, v.reason, v.note, v.note_is_public,
    v.mark, v.committed_at
  FROM former_totals r JOIN transactions v ON v.commit_number = r.until JOIN assets a ON a.number = r.asset
  WHERE r.company = scope.company AND ${inScope('a.company')} AND r.total IS DISTINCT FROM r.next_total
    AND r.date BETWEEN :from AND :to AND r.until > coalesce((SELECT number_at(:restatedSince::timestamptz - interval '1 microsecond')), 0)
    AND (r.until, r.asset_id, r.date, r.kind) > ${AFTER} AND ${MATCHES}
  ORDER BY r.until, r.asset_id, r.date, r.kind LIMIT :limit
) AS r ORDER BY r.until, r.asset_id, r.date, r.kind LIMIT :limit`

/** A lagging replica has not got as far. */
const IS_LOST = `
SELECT NOT has_reached AND number >= split_part(:after, ' ', 1)::bigint AS "isLost"
FROM feed_position(split_part(:after, ' ', 1)::bigint, split_part(:after, ' ', 2)::uuid)`

/** Returns whether the transaction of a position is another one now, because the data were restored since. */
export async function isLost(reader: ScopedReader, after: string): Promise<boolean> {
  const row = await readRow<{ isLost: boolean }>(reader, 'restatements-lost', () => IS_LOST, { after })
  return row!.isLost
}

/** Returns up to `limit` restatements after a position, by time, asset, date and kind. */
export const readRestatements = (reader: ScopedReader, request: RestatementRequest): Promise<RestatementRow[]> =>
  readRows(reader, 'restatements', () => RESTATEMENTS, request)
