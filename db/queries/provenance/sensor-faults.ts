/** Reads the faults of sensors that `doctor` recorded, in pages. */
import type { SensorFault, SensorFaultKind } from '../../../schema/generated'
import { inScope, type ScopedReader, type Statement } from '../../postgres/scoped-reader'
import { type AssetFilter, whereMatches } from '../asset-filters'
import { buildStatement, knex, parameter } from '../statements'

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

const SENSOR_FAULTS = buildStatement<SensorFaultRequest>(
  'sensor-faults',
  knex
    .from('sensor_faults as f')
    .join('assets as a', 'a.number', 'f.asset')
    .join('sensors as s', 's.number', 'f.sensor')
    .select(
      knex.raw(`${POSITION} AS id, s.id AS "sensorId", s.serial, a.id AS "assetId", f.fault, f.from_date AS "from",
        f.to_date AS "to", f.evidence, f.remedy`),
    )
    .whereRaw(inScope('f.company'))
    .whereRaw(inScope('s.company'))
    .whereRaw('(:faults::text[] IS NULL OR f.fault = ANY (:faults))', { faults: parameter('faults') })
    .whereRaw(`${POSITION} > :after`, { after: parameter('after') })
    .modify(whereMatches)
    .orderByRaw('id LIMIT :limit', { limit: parameter('limit') }),
)

/** Returns up to `limit` faults after a position. */
export const readSensorFaults = (reader: ScopedReader, request: SensorFaultRequest): Promise<SensorFaultRow[]> =>
  reader.read(SENSOR_FAULTS, SENSOR_FAULTS.bindValues(request))

const LAST_RUN: Statement = { name: 'doctor-run', text: 'SELECT doctor_ran_at() AS "ranAt"' }

/** Returns when doctor ran last on all sensors; null if it never did. */
export const readLastRun = async (reader: ScopedReader): Promise<string | null> =>
  (await reader.read<{ ranAt: string | null }>(LAST_RUN))[0]?.ranAt ?? null
