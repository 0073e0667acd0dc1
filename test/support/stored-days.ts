/** Reads what is stored of each sensor and day. */
import type { Pool } from 'pg'
import { listDays, listStarts } from '../../db/calendar/local-days'
import { unpack } from '../../db/calendar/packed-counts'
import { readNodeRules } from '../../db/calendar/zone-rules'

/** A row of `sensor_days`, unpacked. */
export interface StoredDay {
  asset: string
  serial: string
  date: string
  impressions: number
  observed: number
  /** By interval; -1 for a missing one. */
  counts: number[]
}

/** Returns all stored days by asset, sensor and date. */
export async function readStoredDays(pool: Pool): Promise<StoredDay[]> {
  const { rows } = await pool.query(`
      SELECT d.*, a.name AS asset, a.time_zone, s.serial FROM sensor_days d
        JOIN assets a ON a.number = d.asset JOIN sensors s ON s.number = d.sensor ORDER BY a.name, s.serial, d.date`)
  return rows.map(({ asset, serial, date, impressions, observed, native_minutes, counts, time_zone }) => {
    const [day] = listDays(readNodeRules(time_zone), date, date) as [ReturnType<typeof listDays>[number]]
    const unpacked = [...unpack(counts, listStarts(day, native_minutes).length)]
    return { asset, serial, date, impressions, observed, counts: unpacked }
  })
}
