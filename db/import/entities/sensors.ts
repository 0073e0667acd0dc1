/**
 * Imports sensors. When a sensor moves, its installation on the asset before becomes a former installation, which ends no
 * earlier than the last day with counts.
 */
import type { ClientBase } from 'pg'
import { LocalDayCache } from '../../calendar/local-day-cache'
import { dayNumber } from '../../calendar/local-days'
import { id, instant, oneOf, reference, required, text, withDefault } from '../csv/columns'
import type { StagedRows } from '../staged-rows'
import type { EntityDefinition } from './entity-import'
import { loadTimeZones } from './time-zones'

export const SENSOR_COLUMNS = [
  'id',
  'serial',
  'model',
  'vendor_id',
  'asset_id',
  'billable_state',
  'installed_at',
  'removed_at',
] as const

/** The definition for one import, because local times depend on the time zones of the stored assets. */
export async function sensors(client: ClientBase): Promise<EntityDefinition> {
  const days = new LocalDayCache()
  const zones = await loadTimeZones(client)
  return {
    table: 'sensors',
    noun: 'sensor',
    naturalKey: 'serial',
    columns: {
      id,
      serial: required(text(200)),
      model: required(text(200)),
      vendor_id: required(reference),
      asset_id: reference,
      billable_state: withDefault(`'pending'`, oneOf(['pending', 'billable', 'suspended', 'retired'])),
      installed_at: instant(days),
      removed_at: instant(days),
    },
    extraColumns: [
      'vendor integer',
      'native_minutes smallint',
      'asset integer',
      'company integer',
      'begun timestamptz(3)',
      'ended timestamptz(3)',
      'moved boolean DEFAULT false',
      'counted_until timestamptz(3)',
    ],
    replacedColumns: ['vendor_id', 'asset_id', 'installed_at', 'removed_at'],
    storedColumns: () => ({
      vendor: 's.vendor',
      native_minutes: 's.native_minutes',
      asset: 's.asset',
      company: 's.company',
      installed_at: 's.begun',
      removed_at: 's.ended',
    }),
    zoneOf: value =>
      zones.ofAsset(value('asset_id')) ?? zones.ofSensor(value('serial')) ?? zones.ofSensor(value('id')) ?? 'UTC',
    async validate(rows, client) {
      await rows.resolve('vendor_id', 'vendor', { table: 'vendors', by: ['id', 'name'] })
      await rows.resolve('asset_id', 'asset', { table: 'assets', by: ['id', 'legacy_id'] })
      await setFinalValues(rows, client)
      await rejectImpossible(rows)
      await findLastCounts(client, days)
    },
    beforeStore: storeFormerInstallations,
  }
}

/** Sets the values of each sensor after the import: those of the file if it has the column, else the stored ones. */
async function setFinalValues(rows: StagedRows, client: ClientBase): Promise<void> {
  const final = (column: string, staged: string, stored: string) => (rows.has(column) ? `s.${staged}` : `t.${stored}`)
  const removedUnlessMoved = 'CASE WHEN t.asset IS NOT DISTINCT FROM s.asset THEN t.removed_at END'
  const ended = rows.has('removed_at') ? 's.removed_at' : rows.has('asset_id') ? removedUnlessMoved : 't.removed_at'
  await client.query(`
    UPDATE staged s SET begun = s.installed_at, ended = s.removed_at;
    UPDATE staged s SET
      vendor = ${final('vendor_id', 'vendor', 'vendor')},
      asset = ${final('asset_id', 'asset', 'asset')},
      begun = ${final('installed_at', 'installed_at', 'installed_at')},
      moved = ${rows.has('asset_id') ? 't.asset IS DISTINCT FROM s.asset' : 'false'},
      ended = ${ended}
    FROM sensors t WHERE t.number = s.target;
    UPDATE staged s SET native_minutes = v.native_minutes FROM vendors v WHERE v.number = s.vendor;
    UPDATE staged s SET company = a.company FROM assets a WHERE a.number = s.asset`)
}

async function rejectImpossible(rows: StagedRows): Promise<void> {
  await rows.reject(`'installed_at is required for a sensor on an asset'`, 's.asset IS NOT NULL AND s.begun IS NULL')
  await rows.reject(`'removed_at is not after installed_at'`, 's.ended <= s.begun')
  await rows.reject(
    `'vendor_id cannot change to a vendor of another finest grain: the sensor has counted or moved'`,
    `t.number = s.target AND t.native_minutes <> s.native_minutes AND ((s.moved AND t.asset IS NOT NULL)
      OR EXISTS (SELECT FROM sensor_days d WHERE d.sensor = t.number)
      OR EXISTS (SELECT FROM former_installations f WHERE f.sensor = t.number))`,
    'sensors t',
  )
}

/** Sets `counted_until` of sensors that move: the end of their last local day with counts on the asset that they leave. */
async function findLastCounts(client: ClientBase, days: LocalDayCache): Promise<void> {
  const { rows } = await client.query<{ line: number; zone: string; date: string }>(`
    SELECT s.line, a.time_zone AS zone, max(d.date) AS date
    FROM staged s JOIN sensors t ON t.number = s.target JOIN assets a ON a.number = t.asset
      JOIN sensor_days d ON (d.sensor, d.asset) = (t.number, t.asset)
    WHERE s.moved GROUP BY s.line, a.time_zone`)
  const ends = rows.map(({ zone, date }) => new Date(days.day(zone, dayNumber(date)).end * 1000).toISOString())
  await client.query(
    `UPDATE staged s SET counted_until = e.instant
     FROM unnest($1::bigint[], $2::timestamptz[]) e (line, instant) WHERE e.line = s.line`,
    [rows.map(({ line }) => line), ends],
  )
}

/** Stores the former installations of sensors that move. One of no duration and without counts is an earlier mistake. */
async function storeFormerInstallations(rows: StagedRows, client: ClientBase): Promise<void> {
  const removed = rows.has('removed_at') ? 'coalesce(s.ended, now())' : 'now()'
  await client.query(`
    INSERT INTO former_installations AS f (sensor, asset, company, native_minutes, installed_at, removed_at)
    SELECT t.number, t.asset, t.company, t.native_minutes, t.counting_from, greatest(t.counting_from, s.counted_until, m.removed)
    FROM staged s JOIN sensors t ON t.number = s.target
      CROSS JOIN LATERAL (
        SELECT coalesce(t.removed_at, CASE WHEN s.asset IS NULL THEN ${removed} ELSE s.begun END) AS removed
      ) m
    WHERE s.moved AND t.asset IS NOT NULL AND (m.removed > t.counting_from OR s.counted_until IS NOT NULL)
    ON CONFLICT (asset, sensor, installed_at) DO UPDATE SET removed_at = greatest(f.removed_at, excluded.removed_at)`)
}
