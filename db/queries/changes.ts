/**
 * Reads the feed of changes. Transactions do not commit in the order of any number or clock: a position in the feed is the
 * snapshot of the read before, and what was not visible in it has changed since.
 */
import { COMPANY_SCOPE, type ScopedReader, type Statement } from '../postgres/scoped-reader'

/** Up to where the feed was read, and the scope that it was read in. */
export interface FeedPosition {
  /** Identifies the PostgreSQL cluster: a restored backup is another one. */
  cluster: string
  snapshot: string
  /** Microseconds since 1970. */
  at: number
  /** The numbers of the companies in scope, ascending. */
  companies: number[]
  /** Shows that the scope was that of a key. */
  proof: string
}

/** The place of a row in the order of the feed. */
export type FeedKey = readonly [assetId: string, kind: string, month: number]

export interface ChangeRow {
  assetId: string
  kind: 'asset' | 'demographics' | 'impressions' | 'origins' | 'removed' | 'sensors'
  month: number
  fromDate: string | null
  toDate: string | null
  changedAt: string
}

const POSITION: Statement = { name: 'feed-position', text: 'SELECT * FROM feed_position()' }

/** SQL: whether a transaction was not visible in the snapshot $1. One that a restored backup brought along is compared by its time. */
const since = (xid: string, changedAt: string): string =>
  `CASE WHEN ${xid} < pg_snapshot_xmax(pg_current_snapshot()) THEN NOT pg_visible_in_snapshot(${xid}, $1::pg_snapshot)
    ELSE to_microseconds(${changedAt}) >= $2::bigint END`

/** SQL: a row with the days of its last change, and those of the changes before where the reader has not seen them. */
const row = (includesEarlier: string): string => `
    c.asset_id, c.kind, c.month, c.changed_at,
    CASE WHEN ${includesEarlier} THEN least(c.from_date, c.earlier_from) ELSE c.from_date END AS from_date,
    CASE WHEN ${includesEarlier} THEN greatest(c.to_date, c.earlier_to) ELSE c.to_date END AS to_date`

const BEHIND_LAST = '(c.asset_id, c.kind, c.month) > ($6, $7, $8::integer)'

/**
 * Parameters: 1 the snapshot, 2 its time, 3 its companies, 4 its proof, 5 its cluster, 6 to 8 the last row of the page
 * before, 9 the number of rows, 10 the instant from which changes are listed. Of a snapshot of another cluster, or of one
 * later than all of this one, nothing is known: the feed starts again.
 */
const CHANGES: Statement = {
  name: 'changes',
  text: `
WITH known AS MATERIALIZED (
  SELECT CASE
    WHEN (SELECT cluster FROM feed_position()) = $5 AND pg_snapshot_xmax($1::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot())
    THEN $3::integer[] ELSE '{}' END AS companies
)
SELECT asset_id AS "assetId", kind, month, from_date AS "fromDate", to_date AS "toDate", changed_at AS "changedAt"
FROM (
  SELECT ${row(`c.earlier_xid IS NOT NULL AND ${since('c.earlier_xid', 'c.earlier_changed_at')}`)}
  FROM changes c
  WHERE c.company = ANY (ARRAY(SELECT unnest(${COMPANY_SCOPE}) INTERSECT SELECT unnest(companies) FROM known))
    AND c.xid >= pg_snapshot_xmin($1::pg_snapshot) AND ${since('c.xid', 'c.changed_at')} AND ${BEHIND_LAST}
  UNION ALL
  SELECT page.* FROM (SELECT unnest(${COMPANY_SCOPE}) EXCEPT SELECT unnest(companies) FROM known) AS gained (company)
  CROSS JOIN LATERAL (
    SELECT ${row('$10::timestamptz IS NULL OR c.earlier_changed_at >= $10')}
    FROM changes c
    WHERE c.company >= gained.company AND c.company <= gained.company AND ${BEHIND_LAST}
      AND ($10 IS NULL AND (c.kind <> 'removed' OR $1 IS NOT NULL) OR c.changed_at >= $10)
    ORDER BY c.company, c.asset_id, c.kind, c.month LIMIT $9
  ) AS page
  UNION ALL
  SELECT c.asset_id, c.kind, c.month, statement_timestamp(), NULL, NULL
  FROM (SELECT asset_id, 'removed' AS kind, 0 AS month FROM lost_assets($3, $2, $4) AS asset_id) AS c
  WHERE ${BEHIND_LAST}
) AS changes
ORDER BY asset_id COLLATE "C", kind COLLATE "C", month LIMIT $9`,
}

/** The position up to which a read that starts now gets all changes. */
export async function readFeedPosition(reader: ScopedReader): Promise<FeedPosition> {
  const [position] = await reader.read<FeedPosition>(POSITION)
  return position as FeedPosition
}

/**
 * Up to `limit` changes, by asset, kind and month.
 *
 * @param position where the feed was read up to; null lists everything
 * @param since an instant from which changes are listed, if there is no position
 * @param last the last row of the page before
 */
export function readChanges(
  reader: ScopedReader,
  position: FeedPosition | null,
  since: string | null,
  last: FeedKey | null,
  limit: number,
): Promise<ChangeRow[]> {
  const { cluster = null, snapshot = null, at = null, companies = [], proof = null } = position ?? {}
  return reader.read(CHANGES, [snapshot, at, companies, proof, cluster, ...(last ?? ['', '', 0]), limit, since])
}
