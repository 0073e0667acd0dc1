/** The bounds to which the installations of sensors are extended, so that every count is in one. */
import { intervalEnd, type LocalDay } from '../../db/calendar/local-day-cache'
import type { Bounds, Sensor } from './installations'

export class ExtendedBounds {
  private readonly sensors = new Map<number, Sensor>()
  private readonly bounds = new Map<number, Bounds>()

  constructor(sensors: Iterable<Sensor>) {
    for (const sensor of sensors) this.sensors.set(sensor.number, sensor)
  }

  /**
   * Extends the installations of a sensor to the counts of a day.
   *
   * @param starts of the native intervals
   * @param counts one for each of them; negative where there is none
   */
  include(sensor: number, day: LocalDay, starts: readonly number[], counts: ArrayLike<number>): void {
    const { installations } = this.sensors.get(sensor) as Sensor
    const [first] = installations
    const last = installations.at(-1)
    if (!first || !last || (day.start >= first.from && day.end <= last.to)) return
    const bounds = this.bounds.get(sensor) ?? { sensor }
    for (let i = 0; i < starts.length; i++) {
      if (counts[i]! < 0) continue
      const start = day.start + starts[i]!
      if (start < (bounds.from ?? first.from)) bounds.from = start
      if (start >= last.to) bounds.to = Math.max(bounds.to ?? 0, intervalEnd(day, starts, i))
    }
    if (bounds.from !== undefined || bounds.to !== undefined) this.bounds.set(sensor, bounds)
  }

  /** Returns the sensors with new bounds. */
  all(): Bounds[] {
    return [...this.bounds.values()]
  }
}
