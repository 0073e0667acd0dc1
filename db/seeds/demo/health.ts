/** The health checks of the demo's sensors, made up for the present moment: nobody checks them, so each start does. */
import type { Pool } from 'pg'
import { isDemoLoaded, readSensors } from './demo-state'
import { importTable } from './import'
import { chances, demoId } from './random'
import { type Sensor, sensorsAt } from './sensors'

/** Gives the demo's sensors fresh checks, as of `now` (seconds since 1970); does nothing where no demo was loaded. */
export async function refreshDemoHealth(pool: Pool, now = Date.now() / 1000): Promise<void> {
  if (await isDemoLoaded(pool)) await checkSensors(pool, now)
}

/** The same, whether or not the demo is complete. Only sensors that the demo made are touched. */
export async function checkSensors(pool: Pool, now: number): Promise<void> {
  const conditions = new Map(sensorsAt(now).map(sensor => [sensor.serial, sensor.condition]))
  const sensors = await readSensors(pool, 'demo')
  await importTable(pool, 'health', {
    columns: 'sensor,checked_at,status,last_seen_at,reason',
    rows: sensors
      .filter(({ id, serial, standing }) => standing && id === demoId('sensor', serial))
      .flatMap(({ serial }) => {
        const check = checkOf(serial, conditions.get(serial) ?? 'well', now)
        return check ? [check] : []
      }),
  })
}

function checkOf(serial: string, condition: Sensor['condition'], now: number): string[] | undefined {
  const ago = (minutes: number): string => new Date(Math.floor(now - minutes * 60) * 1000).toISOString()
  const minutes = chances('health', serial)()
  switch (condition) {
    case 'well':
      return [serial, ago(0), 'healthy', ago(3 * minutes), '']
    case 'patchy':
      return [serial, ago(0), 'degraded', ago(4 + 8 * minutes), 'intervals_missing']
    case 'silent':
      return [serial, ago(0), 'offline', ago(300 + 600 * minutes), 'no_contact']
    case 'new':
      return undefined
  }
}
