/** The installations of sensors, extended so that every count is in one. */
import type { ClientBase } from 'pg'
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { type Day, dayNumber, intervalEnd, listStarts } from '../../db/calendar/local-days'
import { unpack } from '../../db/calendar/packed-counts'
import { readBatches } from '../../db/cursor'
import { type Installation, type Sensor, storeHistories } from './installations'
import { IS_NEW } from './merge-days'

/** Days that are fetched at once. */
const BATCH = 500

/** The days that a file adds or changes. */
const MERGED = `
  SELECT d.sensor, d.native_minutes, d.date, d.counts, a.time_zone AS zone
  FROM (
    SELECT asset, sensor, native_minutes, date, counts FROM staged_days s WHERE observed > 0 AND ${IS_NEW}
    UNION ALL SELECT asset, sensor, native_minutes, date, counts FROM merged_days WHERE observed > 0
  ) AS d JOIN assets a ON a.number = d.asset`

interface MergedDay {
  sensor: number
  native_minutes: number
  date: string
  counts: Buffer
  zone: string
}

export class ExtendedBounds {
  private readonly sensors = new Map<number, Sensor>()
  /** The installations of sensors that have counts outside of them, by number of the sensor. */
  private readonly histories = new Map<number, Installation[]>()

  constructor(sensors: Iterable<Sensor>) {
    for (const sensor of sensors) this.sensors.set(sensor.number, sensor)
  }

  /** Extends the installations of sensors to the counts of merged days. */
  async store(client: ClientBase, days: LocalDayCache): Promise<void> {
    for await (const rows of readBatches<MergedDay>(client, MERGED, BATCH)) {
      for (const { sensor, native_minutes: minutes, date, counts, zone } of rows) {
        const day = days.day(zone, dayNumber(date))
        const starts = listStarts(day, minutes)
        this.include(sensor, day, starts, unpack(counts, starts.length))
      }
    }
    await storeHistories(client, this.histories)
  }

  /** Extends the first and the last installation to the counts of a day, negative where there is none. */
  private include(sensor: number, day: Day, starts: readonly number[], counts: ArrayLike<number>): void {
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
