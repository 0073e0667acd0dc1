/** Reads sensors with their last health check, one row per sensor. */
import type { Knex } from 'knex'
import type { NativeGrain, SensorCount } from '../../schema/generated'
import { grainName, isOwn } from '../calendar/grains'
import { inScope, type ScopedReader, type Statement } from '../postgres/scoped-reader'
import { type AssetFilter, whereMatches } from './asset-filters'
import { buildCount, buildStatement, idsOfPage, isOnPageOf, knex, parameter, readCount } from './statements'

/** The last health check of a sensor since its installation; null without one. */
export interface HealthRow {
  healthStatus: HealthStatus | null
  healthCheckedAt: string | null
  healthLastSeenAt: string | null
  healthReason: string | null
}

export interface SensorRow extends HealthRow {
  id: string
  serial: string
  model: string
  vendor: string
  vendorType: 'own' | 'third_party'
  finestGrain: NativeGrain
  assetId: string
  billableState: 'pending' | 'billable' | 'suspended' | 'retired'
  installedAt: string
  removedAt: string | null
  updatedAt: string
}

export type HealthStatus = 'healthy' | 'degraded' | 'offline' | 'unknown'

/** From the best to the worst. */
export const HEALTH_RANKING: readonly HealthStatus[] = ['healthy', 'unknown', 'degraded', 'offline']

/** A check that is older, in minutes, lowers the status to this one; the longest age first. */
export const OVERDUE: readonly (readonly [status: HealthStatus, minutes: number])[] = [
  ['offline', 60],
  ['degraded', 30],
]

/** SQL: a column of a sensor `s`, of its last check; null if it, or another instant, is before the installation: that belongs to where the sensor was. */
const sinceInstallation = (column: string, instant = 'health_checked_at') =>
  `CASE WHEN least(s.health_checked_at, s.${instant}) >= s.installed_at THEN s.${column} END`

/** SQL: the columns of a `HealthRow` of a sensor `s`. */
export const HEALTH: Record<keyof HealthRow, string> = {
  healthStatus: sinceInstallation('health_status'),
  healthCheckedAt: sinceInstallation('health_checked_at'),
  healthLastSeenAt: sinceInstallation('health_last_seen_at', 'health_last_seen_at'),
  healthReason: sinceInstallation('health_reason'),
}

const RANKING = `ARRAY['${HEALTH_RANKING.join("', '")}']`

const AGED = OVERDUE.map(
  ([status, minutes]) =>
    `WHEN ${HEALTH.healthCheckedAt} < :now::timestamptz - interval '${minutes} minutes' THEN ${HEALTH_RANKING.indexOf(status) + 1}`,
)

/** SQL: the rank, from 1, of the status at an instant: the worse of that of the last check and the one that follows from its age. */
const RANK = `greatest(
  array_position(${RANKING}, coalesce(${HEALTH.healthStatus}, 'unknown')), CASE ${AGED.join(' ')} ELSE 1 END)`

const COLUMNS = `s.id, s.serial, s.model, s.vendor_name AS vendor,
  CASE WHEN ${isOwn('s.native_minutes')} THEN 'own' ELSE 'third_party' END AS "vendorType",
  ${grainName('s.native_minutes')} AS "finestGrain", s.asset_id AS "assetId", s.billable_state AS "billableState",
  s.installed_at AS "installedAt", s.removed_at AS "removedAt", s.updated_at AS "updatedAt",
  ${Object.entries(HEALTH)
    .map(([name, sql]) => `${sql} AS "${name}"`)
    .join(', ')}`

const SENSORS: Statement = {
  name: 'sensors',
  text: `
SELECT ${COLUMNS}
FROM sensors s
WHERE ${inScope('s.company')} AND s.id = ANY (${idsOfPage('sensors', '$1', '$2')})
ORDER BY s.id`,
}

/** An asset without sensors has one row of nulls; an unknown asset has none. */
const SENSORS_OF_ASSET: Statement = {
  name: 'sensors-of-asset',
  text: `
SELECT ${COLUMNS}
FROM assets a LEFT JOIN sensors s ON s.asset = a.number AND s.id > $1
WHERE ${inScope('a.company')} AND a.id = $3
ORDER BY s.id LIMIT $2`,
}

const SENSORS_OF_MANY: Statement = {
  name: 'sensors-of-many',
  text: `
SELECT ${COLUMNS}
FROM sensors s
WHERE ${inScope('s.company')} AND s.asset_id = ANY ($1::text[])
ORDER BY s.id`,
}

/** A filter of sensors by their assets, and by what is known of them. Times are in RFC 3339. */
export interface SensorFilter extends AssetFilter {
  /** The last change of their records, inclusive. */
  sensorUpdatedSince?: string | null
  /** Their status at the instant `now`. */
  health?: readonly HealthStatus[] | null
  now?: string
  vendor?: readonly string[] | null
  lastSeenBefore?: string | null
}

/** Conditions on a sensor `s` and its asset `a`. */
const whereSensorMatches = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query
    .whereRaw('(:since::timestamptz IS NULL OR s.updated_at >= :since)', { since: parameter('sensorUpdatedSince') })
    .whereRaw(`(:health::text[] IS NULL OR (${RANKING})[${RANK}] = ANY (:health))`, {
      health: parameter('health'),
      now: parameter('now'),
    })
    .whereRaw('(:vendor::text[] IS NULL OR s.vendor_name = ANY (:vendor))', { vendor: parameter('vendor') })
    .whereRaw(`(:seen::timestamptz IS NULL OR coalesce(${HEALTH.healthLastSeenAt} < :seen, true))`, {
      seen: parameter('lastSeenBefore'),
    })
    .modify(whereMatches)

/** A list without a filter of assets has sensors without one, too. */
const selectMatching = () =>
  knex.from('sensors as s').leftJoin('assets as a', 'a.number', 's.asset').modify(whereSensorMatches)

const MATCHING_SENSORS = buildStatement<SensorFilter & { after: string; limit: number }>(
  'matching-sensors',
  knex
    .from('sensors as s')
    .select(knex.raw(COLUMNS))
    .whereRaw(inScope('s.company'))
    .where(isOnPageOf(selectMatching(), 's'))
    .orderBy('s.id'),
)

const COUNT = buildCount<SensorFilter>('count-sensors', selectMatching().whereRaw(inScope('s.company')))

/** Returns the number of sensors that match a filter. */
export const countSensors = (reader: ScopedReader, filter: SensorFilter): Promise<number> =>
  readCount(reader, COUNT, filter)

const COUNTS = buildStatement<SensorFilter>(
  'sensor-counts',
  selectMatching()
    .whereRaw(inScope('s.company'))
    .select({ vendor: 's.vendor_name' })
    .select(knex.raw(`${RANK} AS rank, count(*)::integer AS sensors`, { now: parameter('now') }))
    .groupByRaw('1, 2')
    .orderByRaw('1, 2'),
)

/** Returns the numbers of the sensors that match a filter, by vendor and status. */
export async function readSensorCounts(reader: ScopedReader, filter: SensorFilter): Promise<SensorCount[]> {
  const rows = await reader.read<Omit<SensorCount, 'status'> & { rank: number }>(COUNTS, COUNTS.bindValues(filter))
  return rows.map(({ rank, ...row }) => ({ ...row, status: HEALTH_RANKING[rank - 1]! }))
}

/** Returns up to `limit` sensors that match a filter, after the id `after` ('' for the first page), by ascending id. */
export function readMatchingSensors(
  reader: ScopedReader,
  filter: SensorFilter,
  after: string,
  limit: number,
): Promise<SensorRow[]> {
  return reader.read(MATCHING_SENSORS, MATCHING_SENSORS.bindValues({ ...filter, after, limit }))
}

/** Returns up to `limit` sensors after the id `after` ('' for the first page), by ascending id. */
export function readSensors(reader: ScopedReader, after: string, limit: number): Promise<SensorRow[]> {
  return reader.read(SENSORS, [after, limit])
}

/** Reads the sensors of one asset; undefined when the asset is unknown or out of scope. */
export async function readSensorsOfAsset(
  reader: ScopedReader,
  assetId: string,
  after: string,
  limit: number,
): Promise<SensorRow[] | undefined> {
  const rows = await reader.read<SensorRow | { id: null }>(SENSORS_OF_ASSET, [after, limit, assetId])
  return rows.length === 0 ? undefined : rows.filter(row => row.id !== null)
}

/** Returns all sensors of several assets, by ascending id. */
export function readSensorsOfMany(reader: ScopedReader, assetIds: readonly string[]): Promise<SensorRow[]> {
  return reader.read(SENSORS_OF_MANY, [assetIds])
}
