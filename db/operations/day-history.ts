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

/** Parameters: the number of the asset, and the date. */
const DAY_HISTORY = `
WITH served AS (
  SELECT kind, since, total, observed, final FROM former_totals WHERE asset = $1 AND date = $2
  UNION ALL
  SELECT kind, since, total, observed, coalesce($2 <= final_through, false)
  FROM asset_days JOIN companies ON number = company WHERE asset = $1 AND month = month_number($2) AND date = $2
), steps AS (
  SELECT *, lag(total) OVER (PARTITION BY kind ORDER BY since) AS before, lag(observed) OVER (PARTITION BY kind ORDER BY since) AS observed_before,
    row_number() OVER (PARTITION BY kind ORDER BY since) AS step, lag(final) OVER (PARTITION BY kind ORDER BY since) AS was_final
  FROM served
)
SELECT s.kind, to_char(to_timestamp(CASE WHEN step > 1 OR is_late THEN s.since END / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS from,
  s.total::float8 AS value, s.observed AS intervals, r.reason, r.note, CASE WHEN r.note IS NOT NULL THEN r.note_is_public END AS note_is_public,
  coalesce(s.was_final, false) AS final, o.account, o.command
FROM steps s JOIN assets a ON a.number = $1
  CROSS JOIN LATERAL (SELECT $2 < first_open_day(a.rules, to_timestamp(s.since / 1000000)) AND s.since > (SELECT number FROM transactions WHERE reason = 'begin') AS is_late) AS l
  LEFT JOIN transactions r ON r.number = s.since AND r.reason <> 'begin' AND (step > 1 OR is_late)
  LEFT JOIN operations o ON o.id = r.operation
WHERE step = 1 AND s.total IS NOT NULL OR (s.total, s.observed) IS DISTINCT FROM (s.before, s.observed_before)
ORDER BY s.kind, s.since`
