/** The sensors with their installations, past and present, by which counts are assigned to assets. */
import type { ClientBase } from 'pg'

/** A period in which a sensor is on an asset. Instants are in seconds since 1970. */
export interface Installation {
  from: number
  /** Exclusive; infinity while the sensor is installed. */
  to: number
  /** Number of the asset. */
  asset: number
  company: number
  zone: string
  /** The grain in which the sensor counts there: hardware may be replaced under the same serial. */
  nativeMinutes: number
}

export interface Sensor {
  number: number
  /** Ascending, without overlaps; empty for a sensor that was never installed. */
  installations: Installation[]
}

/** All sensors by id and serial; a serial takes precedence over another sensor's id. */
export async function loadSensors(client: ClientBase): Promise<Map<string, Sensor>> {
  const { rows } = await client.query<[string, string, number]>({
    text: 'SELECT id, serial, number FROM sensors',
    rowMode: 'array',
  })
  const byNumber = new Map<number, Sensor>()
  const byName = new Map<string, Sensor>()
  for (const [id, , number] of rows) {
    const sensor: Sensor = { number, installations: [] }
    byNumber.set(number, sensor)
    byName.set(id, sensor)
  }
  for (const [, serial, number] of rows) byName.set(serial, byNumber.get(number) as Sensor)
  const installed = await client.query<[number, number, number | null, number, number, string, number]>({
    text: `
      SELECT i.sensor, extract(epoch FROM i.begun)::float8, extract(epoch FROM i.ended)::float8, a.number, a.company,
        a.time_zone, i.native_minutes
      FROM (
        SELECT sensor, installed_at AS begun, removed_at AS ended, asset, native_minutes, 0 AS present FROM former_installations
        UNION ALL
        SELECT number, counting_from, removed_at, asset, native_minutes, 1 FROM sensors WHERE asset IS NOT NULL
      ) i JOIN assets a ON a.number = i.asset
      ORDER BY i.sensor, i.begun, i.present`,
    rowMode: 'array',
  })
  for (const [number, from, to, asset, company, zone, nativeMinutes] of installed.rows) {
    const { installations } = byNumber.get(number) as Sensor
    installations.push({ from, to: to ?? Number.POSITIVE_INFINITY, asset, company, zone, nativeMinutes })
  }
  return byName
}

/** The installation at an instant; undefined where the sensor is on no asset. */
export function installationAt({ installations }: Sensor, instant: number): Installation | undefined {
  let i = installations.length - 1
  while (i >= 0 && (installations[i] as Installation).from > instant) i--
  const installation = installations[i]
  return installation && instant < installation.to ? installation : undefined
}

/** New bounds of a sensor's history, in seconds since 1970. */
export interface Bounds {
  sensor: number
  /** The start of the first installation. */
  from?: number
  /** The end of the last one, which was removed. */
  to?: number
}

/** Moves the start of the first installation and the end of the last one of sensors. */
export async function extendInstallations(client: ClientBase, bounds: readonly Bounds[]): Promise<void> {
  await client.query(
    `WITH b AS (SELECT * FROM unnest($1::integer[], $2::float8[], $3::float8[]) b (sensor, begun, ended)), former AS (
       UPDATE former_installations f SET installed_at = to_timestamp(b.begun) FROM b WHERE f.sensor = b.sensor
         AND b.begun IS NOT NULL AND f.installed_at = (SELECT min(installed_at) FROM former_installations WHERE sensor = b.sensor)
       RETURNING f.sensor
     )
     UPDATE sensors t SET removed_at = coalesce(to_timestamp(b.ended), t.removed_at),
       installed_at = CASE WHEN b.begun IS NULL OR EXISTS (SELECT FROM former_installations WHERE sensor = b.sensor)
         THEN t.installed_at ELSE to_timestamp(b.begun) END
     FROM b WHERE t.number = b.sensor`,
    [bounds.map(({ sensor }) => sensor), bounds.map(({ from }) => from ?? null), bounds.map(({ to }) => to ?? null)],
  )
}
