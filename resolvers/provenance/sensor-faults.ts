/** Resolves the faults of sensors that `doctor` recorded. */
import { buildConditions } from '../../db/queries/asset-filters'
import { readUnknownIds } from '../../db/queries/assets'
import { readLastRun, readSensorFaults } from '../../db/queries/provenance/sensor-faults'
import type { Query } from '../context'
import { checkLimit, cutPage } from '../limits/numbers'

export const sensorFaults: Query['sensorFaults'] = async (_, { limit, after, faults = null, filter }, { reader }) => {
  checkLimit(limit)
  const page = { faults, after: after ?? '', limit: limit + 1 }
  const [rows, ranAt, unknown] = await Promise.all([
    readSensorFaults(reader, { ...buildConditions(filter ?? null), ...page }),
    readLastRun(reader),
    readUnknownIds(reader, filter?.id),
  ])
  return unknown.length > 0 ? null : { ranAt, ...cutPage(rows, limit) }
}
