/** Adds to the demo numbers that changed or are missing: a restated day, counts that are set aside, erased counts, an outage. */
import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { closeMonth } from '../../db/operations/closed-months'
import { runDeletion } from '../../db/operations/run-deletion'
import { COMPANIES } from '../../db/seeds/demo/assets'
import { dateBefore, type Sensor } from '../../db/seeds/demo/sensors'
import { importFile } from '../import-file'
import { setAside } from '../set-aside/set-aside'
import { importRows } from './import-rows'

/** The days before now that are changed, all within the last month. */
const DAYS_AGO = { restated: 8, setAside: 9, erased: 10, outage: 5 }

/** Days after which a month is over in every time zone, and has none of those. */
const CLOSED_DAYS_AGO = 45

/** A check holds for an hour at most. */
const CHECK_MINUTES = 45

/**
 * @param now seconds since 1970
 * @param days the number of days with counts; of a few, none is changed
 */
export async function addDisputes(pool: Pool, sensors: readonly Sensor[], now: number, days: number): Promise<void> {
  const ordinary = sensors.filter(({ condition, billable_state }) => condition === '' && billable_state === 'billable')
  const restated = ordinary.find(({ minutes }) => minutes === 60)
  const [unusable, erased] = ordinary.filter(({ minutes }) => minutes < 60)
  const dayOf = ({ installations: [installed] }: Sensor, days: number) => dateBefore(now, installed!.asset, days)
  if (restated && unusable && erased && days >= Math.max(...Object.values(DAYS_AGO))) {
    const lines = ['sensor,start,impressions', `${restated.serial},${dayOf(restated, DAYS_AGO.restated)}T12:00,7`, '']
    await importFile(pool, 'impressions', Readable.from([lines.join('\n')]), {
      ...{ reason: 'The sensor counted twice at noon', public: true },
    })
    const date = dayOf(erased, DAYS_AGO.erased)
    await runDeletion(pool, {
      request: { kind: 'impressions', of: [erased.serial], from: date, to: date },
      operation: { command: 'delete impressions', details: { sensor: erased.serial, from: date, to: date } },
    })
    const stretches = 'SELECT FROM set_asides JOIN sensors s ON s.number = sensor WHERE s.serial = $1'
    const { rowCount } = await pool.query(stretches, [unusable.serial])
    const day = dayOf(unusable, DAYS_AGO.setAside)
    const stretch = { sensor: unusable.serial, from: `${day}T08:00`, to: `${day}T12:00` }
    if (rowCount === 0) await setAside(pool, stretch, { reason: 'A bus was parked before the sensor', public: true })
  }
  await importRows(pool, 'health', outages(sensors, now))
  const [first] = ordinary
  if (!first) return
  const month = dayOf(first, CLOSED_DAYS_AGO).slice(0, 7)
  for (const { id } of COMPANIES) await closeMonth(pool, { month, company: id })
}

/** Returns the checks of the sensors that are offline, from the first day without counts on. */
const outages = (sensors: readonly Sensor[], now: number): object[] =>
  sensors
    .filter(({ condition }) => condition === '?')
    .flatMap(({ serial }) =>
      Array.from({ length: (DAYS_AGO.outage * 1440) / CHECK_MINUTES }, (_, i) => ({
        ...{ sensor: serial, status: 'offline', reason: 'no_contact' },
        checked_at: new Date(Math.floor(now - 60 * CHECK_MINUTES * (i + 1)) * 1000).toISOString(),
      })),
    )
