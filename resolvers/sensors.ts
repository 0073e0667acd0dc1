/** Answers sensors, and judges their health by the last check and its age. */
import {
  type HealthRow,
  type HealthStatus,
  readSensors,
  readSensorsOfAsset,
  type SensorRow,
} from '../db/queries/sensors'
import type { ResolversParentTypes, SensorHealth, SensorResolvers } from '../schema/generated'
import type { Context, Query } from './context'
import { pageOf, type Telling } from './limits/pages'

/** Time changes what is told of a sensor by the age of its check alone. */
const TELLING: Telling<SensorRow, ResolversParentTypes['Sensor']> = { node: sensorOf, phase: ageOf }

export const sensors: Query['sensors'] = async (_, { limit, after, assetId }, context) => {
  const { reader } = context
  let absent = false
  const page = await pageOf(context, limit, TELLING, async (rows, kept) => {
    if (assetId == null) return readSensors(reader, after ?? '', rows, kept)
    const ofAsset = await readSensorsOfAsset(reader, assetId, after ?? '', rows, kept)
    absent = ofAsset === undefined
    return ofAsset ?? []
  })
  return absent ? null : page
}

/** A sensor as it is told at an instant (milliseconds since 1970). */
export function sensorOf(row: SensorRow, now: number): ResolversParentTypes['Sensor'] {
  return { ...row, health: healthOf(row, now) }
}

export const Sensor: SensorResolvers<Context> = {
  asset: async ({ assetId }, _, { loaders }) => (assetId && (await loaders.assets().load(assetId))) || null,
}

const CADENCE_MINUTES = 15

/** From the best to the worst. */
export const WORSE: readonly HealthStatus[] = ['healthy', 'unknown', 'degraded', 'offline']

/** What the age of the last check says at an instant. */
function ageOf({ healthCheckedAt }: HealthRow, now: number): HealthStatus {
  const minutes = healthCheckedAt === null ? 0 : (now - Date.parse(healthCheckedAt)) / 60_000
  return minutes > 60 ? 'offline' : minutes > 30 ? 'degraded' : 'healthy'
}

/** The worse of what the last check said and what its age says, at an instant (milliseconds since 1970). */
export function healthOf(row: HealthRow, now: number): SensorHealth {
  const told = row.healthStatus ?? 'unknown'
  const aged = ageOf(row, now)
  const overdue = WORSE.indexOf(aged) > WORSE.indexOf(told)
  return {
    status: overdue ? aged : told,
    checkedAt: row.healthCheckedAt,
    lastSeenAt: row.healthLastSeenAt,
    reason: overdue ? 'check_overdue' : row.healthReason,
    cadenceMinutes: CADENCE_MINUTES,
  }
}
