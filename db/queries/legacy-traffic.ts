/** What the operator asks of the counted legacy calls. Days and instants are UTC. */
import type { Pool } from 'pg'

export interface LegacyTraffic {
  key_id: string
  label: string | null
  route: string
  calls: number
  last_called_at: string
  /** Calls of the seven days up to today, and of the seven before. */
  last_7_days: number
  previous_7_days: number
}

/** The calls since a day (inclusive) by key and route, the busiest first. */
export async function readLegacyTraffic(db: Pool, since: string): Promise<LegacyTraffic[]> {
  const { rows } = await db.query<LegacyTraffic>(
    `SELECT k.id AS key_id, k.label, c.route, sum(c.calls)::bigint AS calls, max(c.last_called_at) AS last_called_at,
       coalesce(sum(c.calls) FILTER (WHERE c.date > today - 7), 0)::bigint AS last_7_days,
       coalesce(sum(c.calls) FILTER (WHERE c.date > today - 14 AND c.date <= today - 7), 0)::bigint AS previous_7_days
     FROM legacy_calls c JOIN api_keys k ON k.id = c.api_key, CAST(now() AT TIME ZONE 'UTC' AS date) AS today
     WHERE c.date >= $1
     GROUP BY k.id, k.label, c.route
     ORDER BY calls DESC, k.id, c.route`,
    [since],
  )
  return rows
}

/** Since when legacy calls are counted. */
export async function readCountedFrom(db: Pool): Promise<string> {
  const { rows } = await db.query<{ legacy_counted_from: string }>('SELECT legacy_counted_from FROM service')
  return (rows[0] as { legacy_counted_from: string }).legacy_counted_from
}
