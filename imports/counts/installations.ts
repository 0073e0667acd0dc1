/** The sensors with their installations, past and present, by which counts are assigned to assets. */
import type { ClientBase } from 'pg'
import { quote } from '../../db/file-errors'
import { referencesSql } from '../../db/references'

/** The hardware of a sensor, which may be replaced under the same serial. */
export interface Hardware {
  /** Number of the vendor. */
  vendor: number
  model: string
  /** The grain in which it counts. */
  nativeMinutes: number
}

/** A period in which a sensor is on an asset. Instants are in seconds since 1970. */
export interface Installation extends Hardware {
  from: number
  /** Exclusive; infinity while the sensor is installed. */
  to: number
  /** Number of the asset. */
  asset: number
  company: number
  zone: string
}

export interface Sensor {
  number: number
  /** Ascending, without overlaps; empty for a sensor that was never installed. */
  installations: Installation[]
}

/** Returns all sensors by id and serial; a serial takes precedence over another sensor's id. */
export async function loadSensors(client: ClientBase): Promise<Map<string, Sensor>> {
  // The last one of equal references is kept.
  const { rows } = await client.query<[string, number]>({
    text: `SELECT reference, number FROM ${referencesSql('sensors')} AS r ORDER BY rank DESC`,
    rowMode: 'array',
  })
  const histories = await loadHistories(client)
  const sensors = new Map<number, Sensor>()
  for (const [, number] of rows) sensors.set(number, { number, installations: histories.get(number) ?? [] })
  return new Map(rows.map(([reference, number]) => [reference, sensors.get(number) as Sensor]))
}

/** Returns the installations of all sensors that were ever on one of these assets. */
export async function loadHistoriesOn(
  client: ClientBase,
  assets: readonly number[],
): Promise<Map<number, Installation[]>> {
  const { rows } = await client.query<{ sensors: number[] | null }>(
    'SELECT array_agg(DISTINCT sensor) AS sensors FROM installations WHERE asset = ANY ($1)',
    [assets],
  )
  return loadHistories(client, rows[0]?.sensors ?? [])
}

/** Returns the serials of sensors by number, in quotes for messages. */
export async function readSerials(client: ClientBase, sensors: Iterable<number>): Promise<Map<number, string>> {
  const { rows } = await client.query<{ number: number; serial: string }>(
    'SELECT number, serial FROM sensors WHERE number = ANY ($1)',
    [[...sensors]],
  )
  return new Map(rows.map(({ number, serial }) => [number, quote(serial)]))
}

/** Returns assets by number, as messages name them: `"NAME" (ID)`. */
export async function readAssetNames(client: ClientBase, assets: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await client.query<{ number: number; id: string; name: string }>(
    'SELECT number, id, name FROM assets WHERE number = ANY ($1)',
    [assets],
  )
  return new Map(rows.map(({ number, id, name }) => [number, `${quote(name)} (${id})`]))
}

/** Returns the installations of sensors, ascending, by number of the sensor; without `sensors`, of all. */
export async function loadHistories(
  client: ClientBase,
  sensors?: readonly number[],
): Promise<Map<number, Installation[]>> {
  const { rows } = await client.query<[number, number, number | null, number, number, string, number, number, string]>({
    text: `
      SELECT i.sensor, extract(epoch FROM i.installed_at)::float8, extract(epoch FROM i.removed_at)::float8, i.asset,
        i.company, a.time_zone, i.native_minutes, coalesce(i.vendor, s.vendor), coalesce(i.model, s.model)
      FROM installations i JOIN assets a ON a.number = i.asset JOIN sensors s ON s.number = i.sensor
      WHERE $1::integer[] IS NULL OR i.sensor = ANY ($1) ORDER BY i.sensor, i.installed_at`,
    values: [sensors ?? null],
    rowMode: 'array',
  })
  const histories = new Map<number, Installation[]>()
  for (const [sensor, from, to, asset, company, zone, nativeMinutes, vendor, model] of rows) {
    const place = { asset, company, zone }
    const installation = { from, to: to ?? Number.POSITIVE_INFINITY, ...place, nativeMinutes, vendor, model }
    const history = histories.get(sensor)
    if (history) history.push(installation)
    else histories.set(sensor, [installation])
  }
  return histories
}

/** Returns the installation at an instant; undefined where the sensor is on no asset. */
export function installationAt(installations: readonly Installation[], instant: number): Installation | undefined {
  let i = installations.length - 1
  while (i >= 0 && installations[i]!.from > instant) i--
  const installation = installations[i]
  return installation && instant < installation.to ? installation : undefined
}

/**
 * Replaces the installations of sensors, in one statement: nothing is recorded of a state in between. Those that stay
 * as they are are not written, so that their assets do not change.
 */
export async function storeHistories(
  client: ClientBase,
  histories: ReadonlyMap<number, readonly Installation[]>,
): Promise<void> {
  const rows = [...histories].flatMap(([sensor, history]) => history.map(installation => ({ sensor, ...installation })))
  // The end of a present installation is null in JSON.
  await client.query(
    `MERGE INTO installations AS i USING (
       SELECT * FROM (SELECT sensor, installed_at FROM installations WHERE sensor = ANY ($2)) AS o FULL JOIN (
         SELECT sensor, asset, company, "nativeMinutes" AS native_minutes, to_timestamp("from")::timestamptz(3) AS installed_at,
           to_timestamp("to")::timestamptz(3) AS removed_at, CASE WHEN "to" IS NOT NULL THEN vendor END AS vendor,
           CASE WHEN "to" IS NOT NULL THEN model END AS model
         FROM jsonb_to_recordset($1) AS n (sensor integer, asset integer, company integer, "nativeMinutes" smallint,
           "from" float8, "to" float8, vendor integer, model text)
       ) AS n USING (sensor, installed_at)
     ) AS n ON i.sensor = n.sensor AND i.installed_at = n.installed_at
     WHEN MATCHED AND n.asset IS NULL THEN DELETE
     WHEN MATCHED AND (i.asset, i.native_minutes, i.removed_at) IS DISTINCT FROM (n.asset, n.native_minutes, n.removed_at)
       THEN UPDATE SET asset = n.asset, company = n.company, native_minutes = n.native_minutes, removed_at = n.removed_at,
         vendor = n.vendor, model = n.model
     WHEN NOT MATCHED THEN INSERT (sensor, asset, company, native_minutes, installed_at, removed_at, vendor, model)
       VALUES (n.sensor, n.asset, n.company, n.native_minutes, n.installed_at, n.removed_at, n.vendor, n.model)`,
    [JSON.stringify(rows), [...histories.keys()]],
  )
}
