/**
 * The time zones of local times in a file of sensors. A row with an asset has the zone of that asset. Any other row has that
 * of the asset on which the sensor is before, according to the file or to what is stored.
 */

import type { Column } from '../../db/columns'
import type { Sensor } from '../counts/installations'
import type { ValueOf } from '../staged-rows'
import type { RowZones } from './entity-import'
import type { TimeZones } from './time-zones'

/** The zone of an asset, and since when the sensor is there (seconds since 1970). */
interface ZoneSince {
  zone: string
  from: number
}

export class SensorZones implements RowZones {
  /** By id and serial. */
  private readonly named = new Map<string, ZoneSince[]>()

  /**
   * @param sensors those stored, by id and serial
   * @param namesAssets whether the file has the column `asset_id`
   * @param instant parses local times
   */
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
