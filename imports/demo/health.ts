/** Health checks of the demo's sensors. Nothing checks them, so each start of the service adds one. */
import type { Pool } from 'pg'
import { SENSORS } from '../../db/seeds/demo/sensors'
import { importRows } from './import-rows'

/** By condition: status, minutes since the sensor was seen, and reason. */
const CHECKS: Record<string, [status: string, silence: number, reason: string]> = {
  '!': ['degraded', 9, 'intervals_missing'],
  '?': ['offline', 7_500, 'no_contact'],
}

/** Stores a check of each sensor that the demo has installed, at `now` (seconds since 1970). */
export async function refreshDemoHealth(pool: Pool, now = Date.now() / 1000): Promise<void> {
  const { rows } = await pool.query('SELECT id FROM sensors WHERE asset IS NOT NULL')
  const installed = new Set(rows.map(({ id }) => id))
  const instant = (minutesAgo: number) => new Date(Math.floor(now - 60 * minutesAgo) * 1000).toISOString()
  const checked = SENSORS.filter(({ id, condition }) => condition !== '+' && installed.has(id))
  const checks = checked.map(({ serial, condition }) => {
    const [status, silence, reason] = CHECKS[condition] ?? ['healthy', 2, '']
    return { sensor: serial, checked_at: instant(0), status, last_seen_at: instant(silence), reason }
  })
  await importRows(pool, 'health', checks)
}
