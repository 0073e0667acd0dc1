/** Imports counts of one sensor, and reads those that are stored. */

import type { ImportOptions } from '../../imports/import-file'
import type { NativeGrain } from '../../schema/generated'
import type { MadeSensor } from './factories'
import type { Outcome } from './outcomes'
import { World } from './world'

export class Counting {
  private constructor(readonly world: World) {}

  static async open(): Promise<Counting> {
    return new Counting(await World.open())
  }

  /** Returns a sensor `S1` on an asset in a time zone. */
  async sensorIn(
    zone: string,
    grain: NativeGrain = 'minute',
    attributes: Record<string, unknown> = {},
  ): Promise<MadeSensor> {
    const asset = await this.world.make.asset({ name: zone, time_zone: zone })
    return this.world.make.sensor({ asset, grain, serial: 'S1', ...attributes })
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
