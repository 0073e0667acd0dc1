/** The time zones in which local times of a file are meant: those of assets, and of the assets on which sensors stand. */
import type { ClientBase } from 'pg'

export interface Zones {
  /** By id or legacy id. */
  ofAsset(name: string): string | undefined
  /** By id or serial; undefined for a sensor that stands nowhere. */
  ofSensor(name: string): string | undefined
}

export async function loadZones(client: ClientBase): Promise<Zones> {
  const load = async (query: string) => {
    const { rows } = await client.query<[string, string]>({ text: query, rowMode: 'array' })
    return new Map(rows)
  }
  const assets = await load(`
    SELECT id, time_zone FROM assets UNION ALL SELECT legacy_id::text, time_zone FROM assets WHERE legacy_id IS NOT NULL`)
  const sensors = await load(`
    SELECT s.name, a.time_zone FROM assets a
      JOIN (SELECT 0 AS rank, id AS name, asset FROM sensors UNION ALL SELECT 1, serial, asset FROM sensors) s ON s.asset = a.number
    ORDER BY s.rank`)
  return { ofAsset: name => assets.get(name), ofSensor: name => sensors.get(name) }
}
