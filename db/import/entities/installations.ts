/** Which sensors there are, and to which of its installations a sensor's count belongs. */
import type { ClientBase } from 'pg'
import type { OpenDay } from '../counts/count-buffer'

/** Where a sensor stood from an instant on (seconds since 1970; the first one from ever). */
export interface Installation {
  from: number
  /** Number of the asset. */
  asset: number
  company: number
  zone: string
}

export interface Sensor {
  number: number
  nativeMinutes: number
  /** By their beginnings; empty when it never stood anywhere. */
  installations: Installation[]
  /** The days that are being gathered, by day number and asset. */
  days: Map<string, OpenDay>
  /** The one that the last count belongs to, if all of that day does. */
  current: OpenDay | undefined
  /** How often each wall clock time that the clock shows twice was met. */
  sights: Map<number, number>
}

/** All sensors by id and by serial; a serial goes before another sensor's id. */
export async function loadSensors(client: ClientBase): Promise<Map<string, Sensor>> {
  const { rows } = await client.query<[string, string, number, number]>({
    text: 'SELECT id, serial, number, native_minutes FROM sensors',
    rowMode: 'array',
  })
  const byNumber = new Map<number, Sensor>()
  const byName = new Map<string, Sensor>()
  for (const [id, , number, nativeMinutes] of rows) {
    const sensor = { number, nativeMinutes, installations: [], days: new Map(), current: undefined, sights: new Map() }
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

/** The installation that a count of this instant belongs to: the one that began last. */
export function installationAt(sensor: Sensor, instant: number): Installation {
  const { installations } = sensor
  let i = installations.length - 1
  while (i > 0 && (installations[i] as Installation).from > instant) i--
  return installations[i] as Installation
}
