/** The installations of sensors, extended so that every count is in one. */
import { type Day, intervalEnd } from '../../db/calendar/local-days'
import type { Installation, Sensor } from './installations'

export class ExtendedBounds {
  private readonly sensors = new Map<number, Sensor>()
  /** The installations of sensors that have counts outside of them, by number of the sensor. */
  readonly histories = new Map<number, Installation[]>()

  constructor(sensors: Iterable<Sensor>) {
    for (const sensor of sensors) this.sensors.set(sensor.number, sensor)
  }

  /**
   * Extends the first and the last installation of a sensor to the counts of a day.
   *
   * @param starts of the native intervals
   * @param counts one for each of them; negative where there is none
   */
  include(sensor: number, day: Day, starts: readonly number[], counts: ArrayLike<number>): void {
    const { installations } = this.sensors.get(sensor) as Sensor
    const history = this.histories.get(sensor) ?? installations.map(installation => ({ ...installation }))
    const [first, last] = [history[0], history.at(-1)]
    if (!first || !last || (day.start >= first.from && day.end <= last.to)) return
    this.histories.set(sensor, history)
    for (let i = 0; i < starts.length; i++) {
      if (counts[i]! < 0) continue
      const start = day.start + starts[i]!
      if (start < first.from) first.from = start
      if (start >= last.to) last.to = intervalEnd(day, starts, i)
    }
  }
}
