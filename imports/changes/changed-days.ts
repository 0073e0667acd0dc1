/** The assets and the local days that a transaction changed. */
import type { ClientBase } from 'pg'

/** An asset, and the first and the last of its days that changed (`YYYY-MM-DD`). */
export interface ChangedDays {
  id: string
  name: string
  from: string
  to: string
}

/** Reads what the running transaction has touched, by name of the asset. */
export async function readChangedDays(client: ClientBase): Promise<ChangedDays[]> {
  const { rows } = await client.query<ChangedDays>(`
    SELECT a.id, a.name, min(month_start(t.month) + day)::text AS from, max(month_start(t.month) + day)::text AS to
    FROM touched t JOIN assets a ON a.number = t.asset CROSS JOIN generate_series(0, 30) AS day WHERE t.days >> day & 1 = 1
    GROUP BY a.id, a.name ORDER BY a.name, a.id`)
  return rows
}
