/** Imports the counts of the demo without CSV, because there are millions of them. */
import type { ClientBase, Pool } from 'pg'
import { NO_FIGURES } from '../../db/figures'
import type { OnWait } from '../../db/locks'
import { OperatorError } from '../../db/operator-error'
import type { sensorDays } from '../../db/seeds/demo/counts'
import { inTransaction } from '../../db/transaction'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import { CountImporter } from '../counts/count-importer'
import { installationAt, loadSensors } from '../counts/installations'
import { RowCounter } from '../row-counter'

/** Stores days, on each of which the sensor has one installation, in place of stored counts that differ. */
export async function importDays(pool: Pool, days: ReturnType<typeof sensorDays>, onWait?: OnWait): Promise<void> {
  const counter = new RowCounter(({ reason }) => {
    throw new OperatorError('DEMO_REFUSED', `the counts of the demo conflict: ${reason}`)
  })
  const run = async (client: ClientBase) => {
    const importer = new CountImporter(client, await loadLocalDays(client), counter)
    const sensors = await loadSensors(client)
    for (const { serial, start, counts } of days) {
      const sensor = sensors.get(serial)!
      const installation = installationAt(sensor.installations, start)!
      const day = importer.buffer.openDay(sensor, installation, importer.days.dayAt(installation.zone, start))
      for (let i = 0; i < counts.length; i++) importer.add(day, i, counts[i]!, ++counter.read)
      await importer.flushIfFull()
    }
    await importer.validate()
    return { commit: true, result: { ...NO_FIGURES, ...(await importer.store()) } }
  }
  await inTransaction(pool, run, onWait)
}
