/**
 * Reads the feed of changes. Transactions that change it are numbered in the order of their commits: a position in the feed
 * is the number of the last one that was visible, and what later ones changed has changed since. The feed is read on the
 * primary: a replica may lack transactions that a caller has seen.
 */
import { ApiError } from '../../schema/errors'
import type { ChangeKind } from '../../schema/generated'
import { COMPANY_SCOPE, type ScopedReader, type Statement } from '../postgres/scoped-reader'

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
  /** The id of the key, and what shows that this was its scope. Positions of earlier versions name no key. */
  proof: string
}

/** The position of a row in the order of the feed. */
export type FeedKey = readonly [assetId: string, kind: string, month: number]

interface ChangeRow {
  assetId: string
  kind: ChangeKind
  month: number
  fromDate: string | null
  toDate: string | null
  changedAt: string
}

/** Parameters: the number, mark, companies and proof of a position that was reached before. */
const POSITION: Statement = {
  name: 'feed-position',
  text: 'SELECT *, has_feed_position($1, $2) AS "hasReached", may_follow($3, $1, $4) AS "mayFollow" FROM feed_position()',
}

interface PositionRow extends FeedPosition {
  /** Both are null without a position that was reached before. */
  hasReached: boolean | null
  mayFollow: boolean | null
}

/**
 * Returns SQL: a row with the days of all changes that the reader has not seen.
 *
 * @param isUnseen returns SQL: whether the reader has not seen the transaction with this number
 */
const row = (isUnseen: (number: string) => string): string => {
  const date = (column: string, bound: string, extend: string) => `
    CASE WHEN ${isUnseen('c.earlier_number')} THEN ${extend}(c.${column}, c.earlier_${bound})
      WHEN ${isUnseen('c.previous_number')} THEN c.${column} ELSE coalesce(c.last_${bound}, c.${column}) END AS ${column}`
  return `c.asset_id, c.kind, c.month, c.number, ${date('from_date', 'from', 'least')}, ${date('to_date', 'to', 'greatest')}`
}

const IS_LISTED = `c.kind = ANY ($9::text[])
    AND (c.asset_id, c.kind <> 'removed', c.kind, c.month) > ($4, $5 <> 'removed', $5, $6::integer)`

/**
 * Parameters: 1 to 3 the number, the companies and the proof of the position, 4 to 6 the last row of the page before, 7 the
 * number of rows, 8 the instant from which changes are listed, 9 the kinds.
 */
const CHANGES: Statement = {
  name: 'changes',
  text: `
SELECT asset_id AS "assetId", kind, month, from_date AS "fromDate", to_date AS "toDate",
  date_trunc('milliseconds', to_timestamp(number / 1e6)) AS "changedAt"
FROM (
  SELECT ${row(number => `${number} > $1`)}
  FROM changes c
  WHERE c.company = ANY (ARRAY(SELECT unnest(${COMPANY_SCOPE}) INTERSECT SELECT unnest($2::integer[])))
    AND c.number > $1 AND ${IS_LISTED}
  UNION ALL
  SELECT page.* FROM (SELECT unnest(${COMPANY_SCOPE}) EXCEPT SELECT unnest($2::integer[])) AS gained (company)
  CROSS JOIN LATERAL (
    SELECT ${row(number => `$8::timestamptz IS NULL OR ${number} >= to_microseconds($8)`)}
    FROM changes c
    WHERE c.company >= gained.company AND c.company <= gained.company AND ${IS_LISTED}
      AND ($8 IS NULL AND c.kind <> 'removed' OR c.number >= to_microseconds($8))
    ORDER BY c.company, c.asset_id, c.kind <> 'removed', c.kind, c.month LIMIT $7
  ) AS page
  UNION ALL
  SELECT c.asset_id, c.kind, c.month, to_microseconds(statement_timestamp()), NULL, NULL
  FROM (SELECT asset_id, 'removed' AS kind, 0 AS month FROM lost_assets($2, $1, $3) AS asset_id) AS c
  WHERE ${IS_LISTED}
) AS changes
ORDER BY asset_id COLLATE "C", kind <> 'removed', kind COLLATE "C", month LIMIT $7`,
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
  if (reached && !mayFollow) throw refusal(reached)
  return position
}

/** Returns why a key may not follow from a position: without its key, it could be that of the caller. */
const refusal = ({ proof }: FeedPosition): ApiError =>
  proof.includes(' ')
    ? new ApiError(
        'INVALID_CURSOR',
        {},
        'The cursor belongs to another API key, which reads companies that this one does not.',
      )
    : new ApiError(
        'RESYNC_REQUIRED',
        {},
        'Companies have left the scope of the API key. Discard your copy and begin a new one.',
      )

/**
 * Returns up to `limit` changes, by asset, kind and month. What an asset has now comes after its removal. Whoever reads what is
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
  const values = [number, companies, proof, ...(last ?? ['', 'removed', 0]), limit, since, kinds]
  const rows = await reader.readOnPrimary<ChangeRow>(CHANGES, values)
  if (rows.length > 0) await reader.replicated()
  return rows
}
