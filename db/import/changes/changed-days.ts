/** The assets and the local days that an import changed, for its closing lines. */
import type { ClientBase } from 'pg'
import { CHANGED_MONTHS } from './changed-months'

/** An asset, and the first and the last of its days that changed (`YYYY-MM-DD`). */
export interface ChangedDays {
  id: string
  name: string
  from: string
  to: string
}

/** By name of the asset. A month without rows of this transaction is one of which rows were deleted: all of it counts. */
export async function readChangedDays(client: ClientBase): Promise<ChangedDays[]> {
  const written = (table: string) =>
    `SELECT date FROM ${table} WHERE asset = m.asset AND date >= m.first AND date < m.first + interval '1 month'
       AND xmin = pg_current_xact_id()::xid`
  const { rows } = await client.query<ChangedDays>(`
    WITH months AS MATERIALIZED (${CHANGED_MONTHS}), days AS (
      SELECT m.id, m.name, coalesce(min(d.date), m.first) AS first,
        coalesce(max(d.date), (m.first + interval '1 month - 1 day')::date) AS last
      FROM months m LEFT JOIN LATERAL (
        ${['sensor_days', 'origins', 'demographic_days'].map(written).join(' UNION ALL ')}
      ) d ON true
      GROUP BY m.id, m.name, m.first
    )
    SELECT id, name, min(first)::text AS from, max(last)::text AS to FROM days GROUP BY id, name ORDER BY name, id`)
  return rows
}
