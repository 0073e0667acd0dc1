/** Imports counts of one sensor, and reads those that are stored. */

import type { ImportOptions } from '../../imports/import-file'
import type { NativeGrain } from '../../schema/generated'
import { withoutTriggers } from './databases'
import type { MadeSensor } from './factories'
import type { Outcome } from './outcomes'
import { World } from './world'

export class Counting {
  /** The sensor that is there, by zone and grain, if it has no further attributes. */
  private readonly made = new Map<string, MadeSensor>()

  private constructor(readonly world: World) {}

  static async open(): Promise<Counting> {
    return new Counting(await World.open())
  }

  /** Returns a sensor `S1` without counts on an asset in a time zone; the only one if it has attributes. */
  async sensorIn(
    zone: string,
    grain: NativeGrain = 'minute',
    attributes?: Record<string, unknown>,
  ): Promise<MadeSensor> {
    const { world, made } = this
    const name = `${zone} ${grain}`
    const known = attributes ? undefined : made.get(name)
    if (known) {
      await this.forget()
      return known
    }
    await world.clear()
    made.clear()
    const sensor = await world.make.together(async make => {
      const asset = await make.asset({ name: zone, time_zone: zone })
      return make.sensor({ asset, grain, serial: 'S1', installed_at: '2010-01-01T00:00Z', ...attributes })
    })
    if (!attributes) made.set(name, sensor)
    return sensor
  }

  /** Removes all counts. */
  async forget(): Promise<void> {
    await this.world.owner.query(withoutTriggers('DELETE FROM sensor_days'))
  }

  /** Imports rows without the serial. */
  give(rows: readonly string[], options: ImportOptions = {}): Promise<Outcome> {
    return this.world.import('impressions', ['sensor,start,impressions', ...rows.map(row => `S1,${row}`)], options)
  }

  /** The counts of each stored day by interval, without missing ones. */
  async counts(): Promise<[date: string, counts: Record<number, number>][]> {
    return (await this.world.days()).map(day => [
      day.date,
      Object.fromEntries([...day.counts.entries()].filter(([, count]) => count >= 0)),
    ])
  }

  /** The sum of all stored counts. */
  async sum(): Promise<number> {
    return (await this.world.days()).reduce((sum, { impressions }) => sum + impressions, 0)
  }
}
