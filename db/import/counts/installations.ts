/** The sensors with their installations, past and present, by which counts are assigned to assets. */
import type { ClientBase } from 'pg'

export interface Installation {
  /** The first instant, in seconds since 1970; minus infinity for a sensor's first installation. */
  from: number
  /** Number of the asset. */
  asset: number
  company: number
  zone: string
}

export interface Sensor {
  number: number
  nativeMinutes: number
  /** Ascending; empty for a sensor that was never installed. */
  installations: Installation[]
}

/** All sensors by id and serial; a serial takes precedence over another sensor's id. */
export async function loadSensors(client: ClientBase): Promise<Map<string, Sensor>> {
  const { rows } = await client.query<[string, string, number, number]>({
    text: 'SELECT id, serial, number, native_minutes FROM sensors',
    rowMode: 'array',
  })
  const byNumber = new Map<number, Sensor>()
  const byName = new Map<string, Sensor>()
  for (const [id, , number, nativeMinutes] of rows) {
    const sensor: Sensor = { number, nativeMinutes, installations: [] }
    byNumber.set(number, sensor)
    byName.set(id, sensor)
  }
  for (const [, serial, number] of rows) byName.set(serial, byNumber.get(number) as Sensor)
  const installed = await client.query<[number, number, number, number, string]>({
    text: `
      SELECT i.sensor, extract(epoch FROM i.begun)::float8, a.number, a.company, a.time_zone
      FROM (
        SELECT sensor, installed_at AS begun, asset, 0 AS present FROM former_installations
        UNION ALL
        SELECT number, counting_from, asset, 1 FROM sensors WHERE asset IS NOT NULL
      ) i JOIN assets a ON a.number = i.asset
      ORDER BY i.sensor, i.begun, i.present`,
    rowMode: 'array',
  })
  for (const [number, begun, asset, company, zone] of installed.rows) {
    const { installations } = byNumber.get(number) as Sensor
    installations.push({ from: installations.length === 0 ? Number.NEGATIVE_INFINITY : begun, asset, company, zone })
  }
  return byName
}

/** The installation at an instant: the one that began last. */
export function installationAt({ installations }: Sensor, instant: number): Installation {
  let i = installations.length - 1
  while (i > 0 && (installations[i] as Installation).from > instant) i--
  return installations[i] as Installation
}
