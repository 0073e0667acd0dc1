/** Imports whole sensor-days without CSV, with the checks and the transaction of a file. */
import type { Pool } from 'pg'
import { OperatorError } from '../operator-error'
import { CountImporter } from './counts/count-importer'
import { loadSensors } from './counts/installations'
import { IntervalFinder } from './counts/interval-finder'
import { type Figures, NO_FIGURES, refusedFigures } from './figures'
import { RowCounter } from './row-counter'
import { inTransaction } from './transaction'

/** The counts of a sensor on a local day of its asset. */
export interface SensorDay {
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
export async function importDays(pool: Pool, days: Iterable<SensorDay>): Promise<Figures> {
  const counter = new RowCounter()
  return inTransaction(pool, async client => {
    const importer = new CountImporter(client, counter)
    const finder = new IntervalFinder(importer, await loadSensors(client))
    for (const { serial, date, counts } of days) {
      const reason = finder.findDay(serial, date, counts, (day, interval, count) => {
        counter.read++
        importer.add(day, interval, count, counter.read)
      })
      if (reason) throw new OperatorError('IMPORT_REFUSED', reason)
      await importer.flushIfFull()
    }
    await importer.validate()
    if (counter.rejected > 0) return { commit: false, result: refusedFigures(counter) }
    return { commit: true, result: { ...NO_FIGURES, read: counter.read, ...(await importer.store()) } }
  })
}
