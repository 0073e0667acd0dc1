/** Reads the faults of sensors that `doctor` recorded, in pages. */
import type { SensorFault, SensorFaultKind } from '../../../schema/generated'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, MATCHES } from '../asset-filters'
import { readRow, readRows } from '../statements'

/** A fault, with its position in the list as `id`. */
interface SensorFaultRow extends SensorFault {
  id: string
}

interface SensorFaultRequest extends AssetFilter {
  faults: readonly SensorFaultKind[] | null
  /** The position of a fault; '' for the first page. */
  after: string
  limit: number
}

/** Made of data of the asset and sensor alone. */
const POSITION = `concat_ws(' ', a.id, s.serial, f.from_date, f.fault) COLLATE "C"`

const SENSOR_FAULTS = `
SELECT ${POSITION} AS id, s.id AS "sensorId", s.serial, a.id AS "assetId", f.fault, f.from_date AS "from", f.to_date AS "to",
  f.evidence, f.remedy
FROM sensor_faults f JOIN assets a ON a.number = f.asset JOIN sensors s ON s.number = f.sensor
WHERE ${inScope('f.company')} AND ${inScope('s.company')}
  AND (:faults::text[] IS NULL OR f.fault = ANY (:faults)) AND ${POSITION} > :after AND ${MATCHES}
ORDER BY id LIMIT :limit`

/** Returns up to `limit` faults after a position. */
export const readSensorFaults = (reader: ScopedReader, request: SensorFaultRequest): Promise<SensorFaultRow[]> =>
  readRows(reader, 'sensor-faults', () => SENSOR_FAULTS, request)

/** Returns when doctor ran last on all sensors; null if it never did. */
export async function readLastRun(reader: ScopedReader): Promise<string | null> {
  const row = await readRow<{ ranAt: string | null }>(reader, 'doctor-run', () => 'SELECT doctor_ran_at() AS "ranAt"')
  return row?.ranAt ?? null
}
