/**
 * Sensors from rows, and what follows when one moves: where it stood before becomes a former installation, which ends no
 * earlier than the last day that was counted there.
 */
import type { ClientBase } from 'pg'
import { dayNumber } from '../../calendar/local-days'
import { loadZones } from '../../calendar/time-zones'
import { Clocks } from '../counts/clock'
import type { StagedRows } from '../counts/staged-rows'
import { id, instant, oneOf, otherwise, reference, required, text } from '../csv/values'
import type { EntityDefinition } from './entity-import'

/** How sensors are read, with the zones of the assets that there are now. */
export async function sensorsOf(client: ClientBase): Promise<EntityDefinition> {
  const clocks = new Clocks()
  const zones = await loadZones(client)
  let present: (column: string) => boolean = () => false
  return {
    table: 'sensors',
    noun: 'sensor',
    key: 'serial',
    columns: {
      id,
      serial: required(text(200)),
      model: required(text(200)),
      vendor_id: required(reference),
      asset_id: reference,
      billable_state: otherwise(`'pending'`, oneOf(['pending', 'billable', 'suspended', 'retired'])),
      installed_at: instant(clocks),
      removed_at: instant(clocks),
    },
    extra: [
      'vendor integer',
      'native_minutes smallint',
      'asset integer',
      'company integer',
      'begun timestamptz(3)',
      'ended timestamptz(3)',
      'moved boolean DEFAULT false',
      'counted_until timestamptz(3)',
    ],
    resolved: ['vendor_id', 'asset_id', 'installed_at', 'removed_at'],
    stored: () => ({
      vendor: 's.vendor',
      native_minutes: 's.native_minutes',
      asset: 's.asset',
      company: 's.company',
      installed_at: 's.begun',
      removed_at: 's.ended',
    }),
    zoneOf: value =>
      zones.ofAsset(value('asset_id')) ?? zones.ofSensor(value('serial')) ?? zones.ofSensor(value('id')) ?? 'UTC',
    async check(rows, client) {
      present = column => rows.has(column)
      await rows.resolve('vendor_id', 'vendor', { table: 'vendors', by: ['id', 'name'] })
      await rows.resolve('asset_id', 'asset', { table: 'assets', by: ['id', 'legacy_id'] })
      await complete(rows, client)
      await rejectImpossible(rows)
      await findLastCounts(client, clocks)
    },
    beforeStore: client => keepFormerInstallations(client, present('removed_at')),
  }
}

/** Works out what each row comes to, from the file where it has the column and else from what is stored. */
async function complete(rows: StagedRows, client: ClientBase): Promise<void> {
  const final = (column: string, own: string, stored: string) => (rows.has(column) ? `s.${own}` : `t.${stored}`)
  await client.query(`
    UPDATE staged s SET begun = s.installed_at, ended = s.removed_at;
    UPDATE staged s SET
      vendor = ${final('vendor_id', 'vendor', 'vendor')},
      asset = ${final('asset_id', 'asset', 'asset')},
      begun = ${final('installed_at', 'installed_at', 'installed_at')},
      moved = ${rows.has('asset_id') ? 't.asset IS DISTINCT FROM s.asset' : 'false'},
      ended = ${rows.has('removed_at') ? 's.removed_at' : rows.has('asset_id') ? 'CASE WHEN t.asset IS NOT DISTINCT FROM s.asset THEN t.removed_at END' : 't.removed_at'}
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

/** Where moving sensors counted last at the asset that they leave: the end of that local day. */
async function findLastCounts(client: ClientBase, clocks: Clocks): Promise<void> {
  const { rows } = await client.query<{ line: number; zone: string; date: string }>(`
    SELECT s.line, a.time_zone AS zone, max(d.date) AS date
    FROM staged s JOIN sensors t ON t.number = s.target JOIN assets a ON a.number = t.asset
      JOIN sensor_days d ON (d.sensor, d.asset) = (t.number, t.asset)
    WHERE s.moved GROUP BY s.line, a.time_zone`)
  const ends = rows.map(({ zone, date }) => new Date(clocks.day(zone, dayNumber(date)).end * 1000).toISOString())
  await client.query(
    `UPDATE staged s SET counted_until = e.instant
     FROM unnest($1::bigint[], $2::timestamptz[]) e (line, instant) WHERE e.line = s.line`,
    [rows.map(({ line }) => line), ends],
  )
}

/** An installation that never lasted and counted nothing was a mistake of an earlier file: it is not kept. */
async function keepFormerInstallations(client: ClientBase, tellsRemoval: boolean): Promise<void> {
  const takenDown = tellsRemoval ? 'coalesce(s.ended, now())' : 'now()'
  await client.query(`
    INSERT INTO former_installations AS f (sensor, asset, company, native_minutes, installed_at, removed_at)
    SELECT t.number, t.asset, t.company, t.native_minutes, t.counting_from, greatest(t.counting_from, s.counted_until, m.removed)
    FROM staged s JOIN sensors t ON t.number = s.target
      CROSS JOIN LATERAL (
        SELECT coalesce(t.removed_at, CASE WHEN s.asset IS NULL THEN ${takenDown} ELSE s.begun END) AS removed
      ) m
    WHERE s.moved AND t.asset IS NOT NULL AND (m.removed > t.counting_from OR s.counted_until IS NOT NULL)
    ON CONFLICT (asset, sensor, installed_at) DO UPDATE SET removed_at = greatest(f.removed_at, excluded.removed_at)`)
}
