/** Reads the sensors that are silent, as faults. */
import type { ClientBase } from 'pg'

interface SilentSensor {
  sensor: string
  asset_id: string
  from: string
  to: string
}

interface SilentFault extends SilentSensor {
  fault: 'silent'
  evidence: string
  remedy: string
}

/** @param sensor number of the only sensor. @param from the first date that is judged */
export async function findSilent(
  client: ClientBase,
  sensor: number | undefined,
  from: string | undefined,
): Promise<SilentFault[]> {
  const { rows } = await client.query<SilentSensor & { counted_to: string | null }>(
    `SELECT s.serial AS sensor, a.id AS asset_id, counted_to, from_date AS from, to_date AS to
     FROM silent_sensors i JOIN sensors s ON s.number = i.sensor JOIN assets a ON a.number = i.asset
     WHERE ($1::integer IS NULL OR i.sensor = $1) AND to_date >= coalesce($2::date, '-infinity') ORDER BY a.id, s.serial`,
    [sensor ?? null, from ?? null],
  )
  return rows.map(({ counted_to, ...found }) => ({
    ...found,
    fault: 'silent',
    evidence: counted_to === null ? 'no counts were ever stored' : `no counts after ${counted_to}`,
    remedy: `partner-metrics import impressions FILE, with the counts of ${found.from} to ${found.to}; if the sensor was taken away, partner-metrics import sensors FILE with its removed_at`,
  }))
}
