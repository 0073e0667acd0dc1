/**
 * Reads the feed of changes. Transactions that change it are numbered in the order of their commits: a position in the feed
 * is the number of the last one that was visible, and what later ones changed has changed since. The feed is read on the
 * primary: a replica may lack transactions that a caller has seen.
 */
import { ApiError } from '../../schema/errors'
import type { ChangeKind } from '../../schema/generated'
import { COMPANY_SCOPE, inScope, type ScopedReader, type Statement } from '../postgres/scoped-reader'

/** The position up to which the feed was read, and the key and the scope with which it was read. */
export interface FeedPosition {
  /** Identifies the database: one that was restored from a dump, or from a copy of its files, is another one. */
  epoch: string
  /** The number of the last transaction. */
  number: number
  /** A random value of this transaction, which a database lacks that was restored from an earlier state. */
  mark: string
  /** The numbers of the companies in scope, ascending. */
  companies: number[]
  /** The id of the key, and what shows that this was its scope. */
  proof: string
}

/**
 * The position of a row in the order of the feed: by transaction, removed assets before other records, and these before facts. Records have
 * the id of an asset, facts its number, their kind, month and first day.
 */
export type FeedKey = readonly [
  number: number,
  rank: number,
  assetId: string,
  asset: number,
  kind: string,
  month: number,
  fromDate: string,
]

/** Before all rows. */
const FIRST: FeedKey = [-1, 0, '', 0, '', 0, '-infinity']

interface ChangeRow {
  assetId: string
  kind: ChangeKind
  key: FeedKey
  fromDate: string | null
  toDate: string | null
  changedAt: string
}

/** Parameters: the number, mark, companies and proof of a position that was reached before. */
const POSITION: Statement = {
  name: 'feed-position',
  text: 'SELECT *, has_reached AS "hasReached", may_follow($3, $1, $4) AS "mayFollow" FROM feed_position($1, $2)',
}

interface PositionRow extends FeedPosition {
  /** Both are null without a position that was reached before. */
  hasReached: boolean | null
  mayFollow: boolean | null
}

/**
 * Parameters: 1 to 3 the number, the companies and the proof of the position, 4 to 10 the key of the last row of the page before, 11 the
 * number of rows, 12 the instant from which changes are listed, 13 the kinds.
 */
const CHANGES: Statement = {
  name: 'changes',
  text: `
WITH scope AS MATERIALIZED (
  SELECT company, CASE WHEN is_followed THEN $1::bigint
      ELSE coalesce((SELECT number_at($12::timestamptz - interval '1 microsecond')), 0) END AS seen,
    is_followed OR $12 IS NOT NULL AS lists_removed
  FROM (SELECT company, company = ANY ($2::integer[]) AS is_followed FROM unnest(${COMPANY_SCOPE}) AS company) AS c
), months AS (
  SELECT m.* FROM scope s CROSS JOIN LATERAL (
    SELECT s.seen, m.asset, m.kind, m.month, m.newest, m.since FROM asset_months m
    WHERE m.company = s.company AND m.kind = ANY ($13::text[])
      /* One condition: of two, PostgreSQL would begin to read at the first, again for each page. */
      AND (m.newest, m.asset, m.kind, m.month)
        >= (greatest($4, s.seen + 1), CASE WHEN $4 > s.seen THEN $7::integer ELSE 0 END, $8, $9::integer)
    ORDER BY m.newest, m.asset, m.kind, m.month LIMIT $11 + 1
  ) AS m WHERE $13 && ARRAY['impressions', 'origins', 'demographics']
), rows AS (
  SELECT c.commit_number AS number, (c.kind <> 'removed')::integer AS rank, c.asset_id, 0 AS asset, c.kind, 0 AS month, '-infinity'::date AS from_date,
    NULL::date AS to_date, c.commit_number AS changed
  FROM scope s CROSS JOIN LATERAL (
    SELECT c.* FROM changes c
    WHERE c.company = s.company AND c.kind = ANY ($13)
      AND (c.commit_number, (c.kind <> 'removed')::integer, c.asset_id, c.kind)
        > (greatest($4, s.seen + 1), CASE WHEN $4 > s.seen THEN $5::integer ELSE -1 END, $6, $8)
      AND (s.lists_removed OR c.kind <> 'removed')
    ORDER BY c.commit_number, (c.kind <> 'removed')::integer, c.asset_id, c.kind LIMIT $11
  ) AS c
  UNION ALL
  SELECT 0, 0, asset_id, 0, 'removed', 0, '-infinity', NULL, NULL
  FROM lost_assets($2, $1, $3) AS asset_id WHERE 'removed' = ANY ($13)
  UNION ALL
  SELECT m.newest, 2, '', m.asset, m.kind, m.month, month_start(m.month) + d.first - 1, month_start(m.month) + d.last - 1, d.changed
  FROM months m CROSS JOIN LATERAL (
    /* Neighbouring days are one range. */
    SELECT min(day)::integer AS first, max(day)::integer AS last, max(since) AS changed
    FROM (
      SELECT day, since, day - row_number() OVER (ORDER BY day) AS run
      FROM unnest(m.since) WITH ORDINALITY AS d (since, day) WHERE since > m.seen
    ) AS d GROUP BY run
  ) AS d
), page AS (
  SELECT * FROM rows
  WHERE (number, rank, asset_id, asset, kind, month, from_date) > ($4, $5, $6, $7, $8, $9, $10::date)
  ORDER BY number, rank, asset_id COLLATE "C", asset, kind COLLATE "C", month, from_date LIMIT $11
)
SELECT coalesce(a.id, p.asset_id) AS "assetId", p.kind, CASE WHEN p.to_date IS NOT NULL THEN p.from_date END AS "fromDate",
  p.to_date AS "toDate", date_trunc('milliseconds', coalesce(i.committed_at, statement_timestamp())) AS "changedAt",
  json_build_array(p.number, p.rank, p.asset_id, p.asset, p.kind, p.month, p.from_date) AS key
FROM page p LEFT JOIN instants_of(ARRAY(SELECT changed FROM page)) AS i ON i.commit_number = p.changed
  LEFT JOIN LATERAL (SELECT id FROM assets WHERE number = p.asset AND ${inScope('company')} LIMIT 1) AS a ON true
ORDER BY p.number, p.rank, p.asset_id COLLATE "C", p.asset, p.kind COLLATE "C", p.month, p.from_date`,
}

/**
 * Returns the position up to which a read that starts now gets all changes.
 *
 * @param reached a position that was reached before, if any
 * @throws ApiError RESYNC_REQUIRED if the data have been restored since to a state before it; INVALID_CURSOR if the key
 *   neither reads all its companies nor is its key or a rotation of that
 */
export async function readFeedPosition(reader: ScopedReader, reached: FeedPosition | null): Promise<FeedPosition> {
  const { number = null, mark = null, companies = null, proof = null } = reached ?? {}
  const [row] = await reader.readOnPrimary<PositionRow>(POSITION, [number, mark, companies, proof])
  const { hasReached, mayFollow, ...position } = row!
  if (reached && !(hasReached && position.epoch === reached.epoch)) throw new ApiError('RESYNC_REQUIRED')
  if (reached && !mayFollow) {
    const message = 'The cursor belongs to another API key, which reads companies that this one does not.'
    throw new ApiError('INVALID_CURSOR', {}, message)
  }
  return position
}

/**
 * Returns up to `limit` changes, in the order of their transactions. What an asset has now comes after its removal. Whoever reads what is
 * listed gets at least the state in which it was listed, whichever host serves that.
 *
 * @param position where the feed was read up to; null lists everything
 * @param since an instant from which changes are listed, if there is no position
 * @param last the last row of the page before
 * @param kinds the kinds of changes that are listed
 */
export async function readChanges(
  reader: ScopedReader,
  position: FeedPosition | null,
  since: string | null,
  last: FeedKey | null,
  limit: number,
  kinds: readonly ChangeKind[],
): Promise<ChangeRow[]> {
  const { number = null, companies = [], proof = null } = position ?? {}
  const values = [number, companies, proof, ...(last ?? FIRST), limit, since, kinds]
  const rows = await reader.readOnPrimary<ChangeRow>(CHANGES, values)
  if (rows.length > 0) await reader.replicated()
  return rows
}
