/**
 * Records what the last run on all sensors found, from where `status`, the metrics and GraphQL have it. The first two read
 * silence, which changes with time, from its view.
 */
import type { Pool } from 'pg'
import { transact } from '../transaction'
import type { Diagnosis } from './doctor'
import type { FaultKind } from './fault'

/** Replaces what the run before found. Sensors that were deleted meanwhile are left out. */
export async function recordDiagnosis(pool: Pool, { rows, not_judged, judged }: Diagnosis): Promise<void> {
  const sensors = new Set(not_judged.flatMap(({ sensor }) => sensor ?? []))
  await transact(pool, 'status', async client => {
    await client.query('UPDATE service SET (doctor_ran_at, doctor_judged, doctor_not_judged) = (now(), $1, $2)', [
      judged,
      sensors.size,
    ])
    await client.query('DELETE FROM sensor_faults')
    await client.query(
      `INSERT INTO sensor_faults (sensor, asset, company, fault, from_date, to_date, evidence, remedy)
       SELECT s.number, a.number, a.company, f.fault, f."from", f."to", f.evidence, f.remedy
       FROM json_to_recordset($1) AS f (sensor text, asset_id text, fault text, "from" date, "to" date, evidence text, remedy text)
         JOIN sensors s ON s.serial = f.sensor JOIN assets a ON a.id = f.asset_id
       ORDER BY a.id, s.serial, f."from", f.fault`,
      [JSON.stringify(rows)],
    )
    return { commit: true, result: undefined }
  })
}

export interface LastDiagnosis {
  /** RFC 3339 in UTC. */
  ran_at: string
  judged: number
  not_judged: number
  /** Sensors with a fault other than silence. */
  sensors: number
  /** Sensors by fault. */
  faults: Partial<Record<FaultKind, number>>
}

/** Returns the figures of the last run; null if there was none. */
export async function readLastDiagnosis(db: Pool): Promise<LastDiagnosis | null> {
  const { rows } = await db.query<LastDiagnosis>(
    `SELECT doctor_ran_at AS ran_at, doctor_judged AS judged, doctor_not_judged AS not_judged,
       (SELECT count(DISTINCT sensor)::integer FROM sensor_faults WHERE fault <> 'silent') AS sensors,
       (SELECT coalesce(json_object_agg(fault, sensors ORDER BY fault), '{}')
        FROM (SELECT fault, count(DISTINCT sensor) AS sensors FROM sensor_faults WHERE fault <> 'silent' GROUP BY fault) f) AS faults
     FROM service WHERE doctor_ran_at IS NOT NULL`,
  )
  return rows[0] ?? null
}
