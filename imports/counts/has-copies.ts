/** Finds out whether a file repeats its rows, which shows what two equal passes of a repeated hour are. */
import type { ClientBase } from 'pg'
import { readBatches } from '../../db/cursor'
import { INVALID } from './count-buffer'

/** Parts that are fetched at once. */
const BATCH = 200

/** The parts of sensor-days that have several rows of an interval, or rows in several parts. */
const PARTS = `
  SELECT asset, date, sensor, row_values FROM staged_days
  WHERE row_values IS NOT NULL AND (asset, date, sensor) IN (
    SELECT asset, date, sensor FROM staged_days GROUP BY asset, date, sensor HAVING count(*) > 1 OR max(compared) > 0)
  ORDER BY asset, date, sensor`

/** Returns whether staged rows have the sensor, time and count of another one. */
export async function hasCopies(client: ClientBase): Promise<boolean> {
  let day = ''
  let seen = new Set<number>()
  const parts = readBatches<{ asset: number; date: string; sensor: number; row_values: Buffer }>(client, PARTS, BATCH)
  for await (const batch of parts) {
    for (const { asset, date, sensor, row_values: values } of batch) {
      const key = `${asset} ${date} ${sensor}`
      if (key !== day) seen = new Set()
      day = key
      for (let at = 0; at < values.length; at += 12) {
        if (values.readInt32LE(at + 4) === INVALID) continue
        const row = values.readUInt32LE(at) * 2 ** 32 + values.readUInt32LE(at + 4)
        if (seen.has(row)) return true
        seen.add(row)
      }
    }
  }
  return false
}
