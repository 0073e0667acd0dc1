/** The time zones in which the local times of a file are interpreted. */
import type { ClientBase } from 'pg'

export interface TimeZones {
  /** By id, legacy id or unique name. */
  ofAsset(name: string): string | undefined
  /** That of the sensor's asset, by id or serial of the sensor; undefined for a sensor without an asset. */
  ofSensor(name: string): string | undefined
}

export async function loadTimeZones(client: ClientBase): Promise<TimeZones> {
  const load = async (query: string) => {
    const { rows } = await client.query<[string, string]>({ text: query, rowMode: 'array' })
    return new Map(rows)
  }
  const assets = await load(`
    SELECT name, time_zone FROM (
      SELECT 0 AS rank, name, min(time_zone) AS time_zone FROM assets GROUP BY name HAVING count(*) = 1
      UNION ALL SELECT 1, legacy_id::text, time_zone FROM assets WHERE legacy_id IS NOT NULL
      UNION ALL SELECT 2, id, time_zone FROM assets
    ) AS names ORDER BY rank`)
  const sensors = await load(`
    SELECT s.name, a.time_zone FROM assets a
      JOIN (SELECT 0 AS rank, id AS name, asset FROM sensors UNION ALL SELECT 1, serial, asset FROM sensors) s ON s.asset = a.number
    ORDER BY s.rank`)
  return { ofAsset: name => assets.get(name), ofSensor: name => sensors.get(name) }
}
