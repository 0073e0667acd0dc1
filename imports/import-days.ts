/** Imports whole sensor-days without CSV, with the checks and the transaction of a file. */
import type { ClientBase, Pool } from 'pg'
import { intervalStarts, type LocalDay, type LocalDayCache } from '../db/calendar/local-day-cache'
import { dayNumber } from '../db/calendar/local-days'
import { MISSING } from '../db/calendar/packed-counts'
import { type Figures, NO_FIGURES, refusedFigures } from '../db/figures'
import { quote } from '../db/file-errors'
import type { OnWait } from '../db/locks'
import { OperatorError } from '../db/operator-error'
import { inTransaction } from '../db/transaction'
import { loadLocalDays } from '../db/zones/rules-in-force'
import { CountImporter } from './counts/count-importer'
import { loadSensors, type Sensor } from './counts/installations'
import { installationNear } from './counts/intervals/installation-finder'
import { IntervalFinder } from './counts/intervals/interval-finder'
import { RowCounter } from './row-counter'

/** The counts of a sensor on a local day of its asset. */
interface SensorDay {
  serial: string
  /** `YYYY-MM-DD` */
  date: string
  /** One count for each native interval of the day; MISSING (-1) leaves the stored count as it is. */
  counts: ArrayLike<number>
}

/**
 * Stores sensor-days in one transaction, in place of stored counts that differ.
 *
 * @returns figures of intervals; nothing was stored if two counts given for one interval differ
 * @throws OperatorError when a sensor is unknown, was never installed, or a day has another number of intervals
 */
export async function importDays(pool: Pool, days: Iterable<SensorDay>, onWait?: OnWait): Promise<Figures> {
  const counter = new RowCounter()
  const run = async (client: ClientBase) => {
    const importer = new CountImporter(client, await loadLocalDays(client), counter)
    const finder = new IntervalFinder(importer, await loadSensors(client))
    for (const { serial, date, counts } of days) {
      const reason = addDay(finder, importer, counter, { serial, date, counts })
      if (reason) throw new OperatorError('IMPORT_REFUSED', reason)
      await importer.flushIfFull()
    }
    await importer.validate()
    if (counter.rejected > 0) return { commit: false, result: refusedFigures(counter) }
    return { commit: true, result: { ...NO_FIGURES, read: counter.read, ...(await importer.store()) } }
  }
  return inTransaction(pool, run, onWait)
}

/** @returns the reason why the counts are not those of a day of the sensor */
function addDay(
  finder: IntervalFinder,
  importer: CountImporter,
  counter: RowCounter,
  { serial, date, counts }: SensorDay,
): string | undefined {
  const state = finder.findSensor(serial)
  if (!state?.sensor.installations.length) {
    return `sensor ${quote(serial)} is unknown, or was never installed on an asset`
  }
  const day = dayOfDate(importer.days, state.sensor, date)
  const starts = intervalStarts(day, installationNear(state.sensor, day.start).nativeMinutes)
  if (counts.length !== starts.length) {
    return `${date} has ${starts.length} intervals in ${day.zone}, not ${counts.length}`
  }
  for (let i = 0; i < starts.length; i++) {
    const count = counts[i]!
    if (count === MISSING) continue
    const place = finder.findAt(state, day.start + starts[i]!)
    if (place.kind !== 'interval') return place.reason
    counter.read++
    importer.add(place.day, place.interval, count, counter.read)
  }
  return undefined
}

/** Returns the day of a date in the zone of the asset where the sensor is installed at its start. */
function dayOfDate(days: LocalDayCache, { installations }: Sensor, date: string): LocalDay {
  const found = installations.map(({ from, zone }) => ({ from, day: days.day(zone, dayNumber(date)) }))
  const { day } = (found.findLast(({ from, day }) => from <= day.start) ?? found[0]) as { day: LocalDay }
  return day
}
