/** Every value that a local day of an asset ever had, with who changed it and why. */
import { FACT_KINDS, type FactKind } from '../facts'
import type { Pool } from '../postgres/pool'
import { findNumbers } from '../references'

/** A value of a day, from an instant on. */
export interface DayValue {
  kind: FactKind
  /** When it came, RFC 3339 in UTC; null: before the day was over. */
  from: string | null
  /** Null: nothing. */
  value: number | null
  /** Native intervals with a count; of impressions. */
  intervals: number | null
  /** Why, and what the operator said; null for a first value that came in time. */
  reason: string | null
  note: string | null
  note_is_public: boolean | null
  final: boolean
  account: string | null
  command: string | null
}

/**
 * Returns the values by kind and time, the first one of each kind first.
 *
 * @param asset id or legacy id
 * @throws OperatorError UNKNOWN_ASSET
 */
export async function readDayHistory(db: Pool, asset: string, date: string): Promise<DayValue[]> {
  const [number] = await findNumbers(db, 'assets', [asset])
  const { rows } = await db.query<DayValue>(DAY_HISTORY, [number, date])
  return rows.sort((a, b) => FACT_KINDS.indexOf(a.kind) - FACT_KINDS.indexOf(b.kind))
}

/** Parameters: the number of the asset, and the date. The first value is that before the first change, or the present one. */
const DAY_HISTORY = `
WITH steps AS (
  SELECT * FROM restatements WHERE asset = $1 AND date = $2
), present AS (
  SELECT 'impressions' AS kind, sum(impressions)::bigint AS total, sum(observed)::integer AS observed
    FROM sensor_days WHERE asset = $1 AND date = $2 HAVING count(*) > 0
  UNION ALL SELECT 'origins', (SELECT sum(i) FROM unnest(impressions) AS i), NULL FROM origin_days WHERE asset = $1 AND date = $2
  UNION ALL SELECT 'demographics', sum_of_groups(d), NULL FROM demographic_days d WHERE asset = $1 AND date = $2
), steps_from_first AS (
  SELECT coalesce(s.kind, p.kind) AS kind, l.revision, CASE WHEN s.kind IS NULL THEN p.total ELSE s.total_before END AS total,
    CASE WHEN s.kind IS NULL THEN p.observed ELSE s.observed_before END AS observed, false AS final
  FROM (SELECT DISTINCT ON (kind) * FROM steps ORDER BY kind, revision) AS s FULL JOIN present p ON p.kind = s.kind
    LEFT JOIN assets a ON a.number = $1
    LEFT JOIN late_days l ON l.company = a.company AND l.kind = coalesce(s.kind, p.kind) AND $2::date BETWEEN from_date AND to_date
      AND l.assets @> $1::integer
  UNION ALL
  SELECT kind, revision, total_after, observed_after, final FROM steps
)
SELECT v.kind, to_char(to_timestamp(v.revision / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS from,
  v.total::float8 AS value, v.observed AS intervals, r.reason, r.note, CASE WHEN r.note IS NOT NULL THEN r.note_is_public END AS note_is_public,
  v.final, o.account, o.command
FROM steps_from_first v LEFT JOIN revisions r ON r.number = v.revision LEFT JOIN operations o ON o.id = r.operation
ORDER BY v.kind, v.revision NULLS FIRST`
