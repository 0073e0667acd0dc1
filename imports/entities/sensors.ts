/** Imports sensors. A row changes the installation history of its sensor, and the stored counts follow. */
import type { ClientBase } from 'pg'
import { type Column, id, instant, oneOf, reference, required, text, withDefault } from '../../db/columns'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import { loadSensors, type Sensor } from '../counts/installations'
import type { SinkOptions } from '../row-sink'
import type { StagedRows, ValueOf } from '../staged-rows'
import { type EntityDefinition, loadTimeZones, type RowZones, type TimeZones } from './entity-import'
import { HistoryChanges } from './history-changes'

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

/** Returns the definition for one import, because local times depend on the time zones of the stored assets. */
export async function sensors(
  client: ClientBase,
  columns: readonly string[],
  { onNotice, timeZone }: SinkOptions,
): Promise<EntityDefinition> {
  const days = await loadLocalDays(client, timeZone)
  const assets = await loadTimeZones(client)
  const time = instant(days, timeZone)
  const changes = new HistoryChanges(client, days, onNotice)
  return {
    table: 'sensors',
    columns: {
      id,
      serial: required(text(200)),
      model: required(text(200)),
      vendor_id: required(reference),
      asset_id: reference,
      billable_state: withDefault(`'pending'`, oneOf(['pending', 'billable', 'suspended', 'retired'])),
      installed_at: time,
      removed_at: time,
    },
    extraColumns: [
      'vendor integer',
      'native_minutes smallint',
      'asset integer',
      'company integer',
      'moved boolean',
      `period timestamptz GENERATED ALWAYS AS (coalesce(installed_at, '-infinity')) STORED`,
    ],
    period: 'period',
    replacedColumns: ['vendor_id', 'asset_id', 'installed_at', 'removed_at'],
    storedColumns: () => ({ vendor: 's.vendor', native_minutes: 's.native_minutes' }),
    isChanged: 's.moved',
    zones: new SensorZones(assets, await loadSensors(client), columns.includes('asset_id'), time),
    async validate(rows, client) {
      await rows.resolve('vendor_id', 'vendor', 'vendors')
      await rows.resolve('asset_id', 'asset', 'assets')
      await setFinalValues(rows, client)
      await changes.validate(rows)
    },
    afterStore: () => changes.store(),
  }
}

/** Sets the vendor and the asset of each sensor: those of the file if it has the column, else the stored ones. */
async function setFinalValues(rows: StagedRows, client: ClientBase): Promise<void> {
  const final = (column: string, name: string) => (rows.has(column) ? `s.${name}` : `t.${name}`)
  await client.query(`
    UPDATE staged s SET vendor = ${final('vendor_id', 'vendor')}, asset = ${final('asset_id', 'asset')}
      FROM sensors t WHERE t.number = s.target;
    UPDATE staged s SET native_minutes = v.native_minutes FROM vendors v WHERE v.number = s.vendor;
    UPDATE staged s SET company = a.company FROM assets a WHERE a.number = s.asset`)
}

/** The zone of an asset, and since when the sensor is there (seconds since 1970). */
interface ZoneSince {
  zone: string
  from: number
}

class SensorZones implements RowZones {
  /** By id and serial. */
  private readonly named = new Map<string, ZoneSince[]>()

  /** @param sensors those stored, by id and serial @param namesAssets whether the file has the column `asset_id` */
  constructor(
    private readonly zones: TimeZones,
    private readonly sensors: ReadonlyMap<string, Sensor>,
    private readonly namesAssets: boolean,
    private readonly instant: Column,
  ) {}

  findZone(value: ValueOf): string | undefined {
    const asset = value('asset_id')
    if (asset === '') return undefined
    const zone = this.zones.ofAsset(asset)
    const rows = this.findRows(value)
    const from = zone === undefined ? Number.NaN : this.parseSeconds(value('installed_at'), zone)
    if (zone !== undefined) rows.push({ zone, from: Number.isNaN(from) ? Number.NEGATIVE_INFINITY : from })
    for (const name of listNames(value)) this.named.set(name, rows)
    return zone ?? 'UTC'
  }

  findLateZone(value: ValueOf): string {
    const text = value('installed_at') || value('removed_at')
    const isBefore = ({ zone, from }: ZoneSince) => !(from >= this.parseSeconds(text, zone))
    const rows = this.findRows(value).toSorted((a, b) => a.from - b.from)
    const stored = this.findStored(value)
    // Without the column, a row corrects the last installation.
    const last = this.namesAssets ? stored.findLast(isBefore) : stored.at(-1)
    return (rows.findLast(isBefore) ?? last ?? rows[0] ?? stored[0])?.zone ?? 'UTC'
  }

  private findStored(value: ValueOf): readonly ZoneSince[] {
    const sensor = listNames(value)
      .map(name => this.sensors.get(name))
      .find(Boolean)
    return sensor?.installations ?? []
  }

  private findRows(value: ValueOf): ZoneSince[] {
    return (
      listNames(value)
        .map(name => this.named.get(name))
        .find(Boolean) ?? []
    )
  }

  private parseSeconds(text: string, zone: string): number {
    return Date.parse(this.instant.parse(text, zone) ?? '') / 1000
  }
}

const listNames = (value: ValueOf): string[] => [value('serial'), value('id')].filter(name => name !== '')
