/** Resolvers for sensors, whose health follows from the last check and its age. */
import type { ScopedReader } from '../db/postgres/scoped-reader'
import { buildConditions, hasConditions } from '../db/queries/asset-filters'
import { readUnknownIds } from '../db/queries/assets'
import {
  countSensors,
  HEALTH_RANKING,
  type HealthRow,
  type HealthStatus,
  readMatchingSensors,
  readSensors,
  readSensorsOfAsset,
  type SensorFilter,
  type SensorRow,
} from '../db/queries/sensors'
import type { QuerySensorsArgs, ResolversParentTypes, SensorHealth, SensorPageResolvers } from '../schema/generated'
import type { Context, Query } from './context'
import { checkLimit, cutPage } from './limits/rows'

export const sensors: Query['sensors'] = async (_, request, { reader, now }) => {
  const { limit, after, assetId } = request
  checkLimit(limit)
  const { conditions, areKnown } = resolveFilter(request, reader)
  const rows = conditions
    ? readMatchingSensors(reader, conditions, after ?? '', limit + 1)
    : assetId == null
      ? readSensors(reader, after ?? '', limit + 1)
      : readSensorsOfAsset(reader, assetId, after ?? '', limit + 1)
  const [found, known] = await Promise.all([rows, areKnown])
  if (!found || !known) return null
  const { nodes, ...page } = cutPage(found, limit)
  return { nodes: nodes.map(row => describeSensor(row, now)), ...page, args: request }
}

export const SensorPage: SensorPageResolvers<Context> = {
  count: ({ args }, _, { reader }) => countSensors(reader, combineConditions(args)),
}

/** Returns the filter, and whether all its assets are in scope. Lists without conditions have faster statements. */
function resolveFilter(
  request: QuerySensorsArgs,
  reader: ScopedReader,
): { conditions?: SensorFilter; areKnown: Promise<boolean> | boolean } {
  const { assetId, filter, updatedSince } = request
  if (updatedSince == null && !hasConditions(buildConditions(filter ?? null))) return { areKnown: true }
  const named = [...(filter?.id ?? []), ...(assetId == null ? [] : [assetId])]
  const areKnown = named.length === 0 || readUnknownIds(reader, named).then(unknown => unknown.length === 0)
  return { conditions: combineConditions(request), areKnown }
}

/** Returns the filter of a list of sensors, and of the list of assets, as one. */
function combineConditions({ assetId, filter, updatedSince = null }: Partial<QuerySensorsArgs>): SensorFilter {
  const conditions = { ...buildConditions(filter ?? null), sensorUpdatedSince: updatedSince }
  if (assetId == null) return conditions
  return { ...conditions, id: conditions.id?.includes(assetId) === false ? [] : [assetId] }
}

/** Returns a sensor with its health at an instant (milliseconds since 1970). */
export function describeSensor(row: SensorRow, now: number): ResolversParentTypes['Sensor'] {
  // A copy of a row of so many columns would take longer than all else.
  return Object.assign(row, { health: assessHealth(row, now) })
}

const CADENCE_MINUTES = 15

/** Returns the status that follows from the age of the last check alone. */
function statusByAge({ healthCheckedAt }: HealthRow, now: number): HealthStatus {
  const minutes = healthCheckedAt === null ? 0 : (now - Date.parse(healthCheckedAt)) / 60_000
  return minutes > 60 ? 'offline' : minutes > 30 ? 'degraded' : 'healthy'
}

/** Returns the worse of the status reported and that by the age of the check, at an instant (milliseconds since 1970). */
export function assessHealth(row: HealthRow, now: number): SensorHealth {
  const reported = row.healthStatus ?? 'unknown'
  const aged = statusByAge(row, now)
  const overdue = HEALTH_RANKING.indexOf(aged) > HEALTH_RANKING.indexOf(reported)
  return {
    status: overdue ? aged : reported,
    checkedAt: row.healthCheckedAt,
    lastSeenAt: row.healthLastSeenAt,
    reason: overdue ? 'check_overdue' : row.healthReason,
    cadenceMinutes: CADENCE_MINUTES,
  }
}
