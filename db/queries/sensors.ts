/** Reads sensors with their last health check, one row per sensor. */
import type { NativeGrain } from '../../schema/generated'
import { grainName, isOwn } from '../calendar/grains'
import { inScope, type ScopedReader } from '../postgres/scoped-reader'
import { type AssetFilter, MATCHES } from './asset-filters'
import { idsOfPage, named, readRow, readRows } from './statements'

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

/** SQL: what the grain of a row says. */
const grainOf = (
  row: string,
) => `CASE WHEN ${isOwn(`${row}.native_minutes`)} THEN 'own' ELSE 'third_party' END AS "vendorType",
  ${grainName(`${row}.native_minutes`)} AS "finestGrain"`

const COLUMNS = `s.id, s.serial, s.model, s.vendor_name AS vendor, ${grainOf('s')}, s.asset_id AS "assetId",
  s.billable_state AS "billableState",
  s.installed_at AS "installedAt", s.removed_at AS "removedAt", s.updated_at AS "updatedAt",
  ${named(HEALTH)}`

const IN_SCOPE = inScope('s.company')

const SELECT = `SELECT ${COLUMNS} FROM sensors s WHERE ${IN_SCOPE}`

/** An asset without sensors has one row of nulls; an unknown asset has none. */
const SENSORS_OF_ASSET = `
SELECT ${COLUMNS}
FROM assets a LEFT JOIN sensors s ON s.asset = a.number AND s.id > :after
WHERE ${inScope('a.company')} AND a.id = :assetId
ORDER BY s.id LIMIT :limit`

/** A filter of sensors by their assets, and by what is known of them. Times are in RFC 3339. */
export interface SensorFilter extends AssetFilter {
  /** The last change of their records, inclusive. */
  sensorUpdatedSince?: string | null
}

/** SQL: whether a sensor `s` and its asset `a` match a filter. */
const SENSOR_MATCHES = `(:sensorUpdatedSince::timestamptz IS NULL OR s.updated_at >= :sensorUpdatedSince) AND ${MATCHES}`

/** A list without a filter of assets has sensors without one, too. */
const WITH_ASSETS = 'sensors s LEFT JOIN assets a ON a.number = s.asset'

export async function countSensors(reader: ScopedReader, filter: SensorFilter): Promise<number> {
  const sql = () => `SELECT count(*)::integer AS count FROM ${WITH_ASSETS} WHERE ${IN_SCOPE} AND ${SENSOR_MATCHES}`
  const row = await readRow<{ count: number }>(reader, 'count-sensors', sql, filter)
  return row!.count
}

/** Returns up to `limit` sensors that match a filter, after the id `after` ('' for the first page), by ascending id. */
export function readMatchingSensors(
  reader: ScopedReader,
  filter: SensorFilter,
  after: string,
  limit: number,
): Promise<SensorRow[]> {
  const sql = () => `${SELECT} AND s.id = ANY (${idsOfPage(WITH_ASSETS, 's', SENSOR_MATCHES)}) ORDER BY s.id`
  return readRows(reader, 'matching-sensors', sql, { ...filter, after, limit })
}

/** Returns up to `limit` sensors after the id `after` ('' for the first page), by ascending id. */
export function readSensors(reader: ScopedReader, after: string, limit: number): Promise<SensorRow[]> {
  const sql = () => `${SELECT} AND s.id = ANY (${idsOfPage('sensors s', 's')}) ORDER BY s.id`
  return readRows(reader, 'sensors', sql, { after, limit })
}

/** Reads the sensors of one asset; undefined when the asset is unknown or out of scope. */
export async function readSensorsOfAsset(
  reader: ScopedReader,
  assetId: string,
  after: string,
  limit: number,
): Promise<SensorRow[] | undefined> {
  const parameters = { assetId, after, limit }
  const rows = await readRows<SensorRow | { id: null }>(reader, 'sensors-of-asset', () => SENSORS_OF_ASSET, parameters)
  return rows.length === 0 ? undefined : rows.filter(row => row.id !== null)
}

/** Returns all sensors of several assets, by ascending id. */
export const readSensorsOfMany = (reader: ScopedReader, assetIds: readonly string[]): Promise<SensorRow[]> =>
  readRows(reader, 'sensors-of-many', () => `${SELECT} AND s.asset_id = ANY (:assetIds::text[]) ORDER BY s.id`, {
    assetIds,
  })

interface InstallationRow extends Pick<SensorRow, 'model' | 'vendor' | 'vendorType' | 'finestGrain'> {
  assetId: string
  /** The rules of the asset's time zone. */
  rules: number
  sensorId: string
  serial: string | null
  /** Instants are in seconds since 1970. */
  from: number
  to: number | null
}

const OWN_ASSETS = `SELECT * FROM assets WHERE id = ANY (:ids::text[]) AND ${inScope('company')}`

/** An asset without installations has one row of nulls; an unknown asset has none. */
const INSTALLATIONS = `
SELECT a.id AS "assetId", a.rules, i.sensor_id AS "sensorId", i.serial, i.vendor, ${grainOf('i')}, i.model,
  extract(epoch FROM i.installed_at)::float8 AS from, extract(epoch FROM i.removed_at)::float8 AS to
FROM (${OWN_ASSETS}) AS a LEFT JOIN installations_in_scope(ARRAY(SELECT number FROM (${OWN_ASSETS}) AS a)) AS i ON i.asset = a.number
ORDER BY i.installed_at, i.sensor_id COLLATE "C" LIMIT :limit`

/** Returns up to `limit` installations on several assets, of which those without any have a row of nulls, by begin and sensor. */
export const readInstallations = (
  reader: ScopedReader,
  ids: readonly string[],
  limit: number,
): Promise<(InstallationRow | { assetId: string; rules: number; sensorId: null })[]> =>
  readRows(reader, 'installations', () => INSTALLATIONS, { ids, limit })
