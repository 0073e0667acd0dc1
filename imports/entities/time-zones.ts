/** The time zones in which the local times of a file are interpreted. */
import type { ClientBase } from 'pg'
import { type EntityKind, referencesSql } from '../../db/references'

export interface TimeZones {
  /** By id, legacy id or unique name. */
  ofAsset(name: string): string | undefined
  /**
   * Returns the time zone of the sensor's asset, by id or serial of the sensor; undefined for a sensor without an
   * asset.
   */
  ofSensor(name: string): string | undefined
}

export async function loadTimeZones(client: ClientBase): Promise<TimeZones> {
  // The last one of equal references is kept.
  const load = async (kind: EntityKind, asset: string) => {
    const { rows } = await client.query<[string, string]>({
      text: `SELECT r.reference, a.time_zone FROM ${referencesSql(kind, 'keys and name')} AS r
        JOIN ${kind} t ON t.number = r.number JOIN assets a ON a.number = t.${asset}
        WHERE r.entities = 1 ORDER BY r.rank DESC`,
      rowMode: 'array',
    })
    return new Map(rows)
  }
  const [assets, sensors] = [await load('assets', 'number'), await load('sensors', 'asset')]
  return { ofAsset: name => assets.get(name), ofSensor: name => sensors.get(name) }
}
