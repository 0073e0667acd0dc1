/** The first and last local date with counts of assets. */
import type { ClientBase } from 'pg'

/** @param assets SQL of a list of asset numbers, for `= ANY (…)` */
export async function refreshMeasuredDates(client: ClientBase, assets: string, values: unknown[] = []): Promise<void> {
  await client.query(
    `UPDATE assets a SET measured_from = d.first, measured_to = d.last
     FROM assets x CROSS JOIN LATERAL (
       SELECT min(date) AS first, max(date) AS last FROM sensor_days WHERE asset = x.number) d
     WHERE x.number = ANY (${assets}) AND a.number = x.number
       AND (a.measured_from, a.measured_to) IS DISTINCT FROM (d.first, d.last)`,
    values,
  )
}
