/**
 * Loads the demo. Each import can be repeated, and the keys are issued last, in the transaction that marks the demo as
 * loaded: a load that was interrupted is completed by the next one, and keys are issued only once.
 */
import type { ClientBase, Pool } from 'pg'
import { issueKey, type KeyGrant } from '../../db/api-keys/api-keys'
import type { Environment } from '../../db/api-keys/key-format'
import { type OnWait, reportingWaits, takeLock } from '../../db/locks'
import { recordOperation } from '../../db/operations/record'
import { OperatorError } from '../../db/operator-error'
import { ASSETS, COMPANIES } from '../../db/seeds/demo/assets'
import { generateDemographics, generateOrigins } from '../../db/seeds/demo/audience'
import { sensorDays } from '../../db/seeds/demo/counts'
import { notesAt, type Sensor, sensorsAt, VENDORS } from '../../db/seeds/demo/sensors'
import { BEGIN, CommitError, commitShownBy } from '../../db/transaction'
import { refreshDemoHealth } from './health'
import { importDays } from './import-days'
import { importRows } from './import-rows'

/** The API keys of the demo. */
const [ids, [first, second, third]] = [COMPANIES.map(({ id }) => id), COMPANIES.map(({ name }) => name)]

const GRANTS = [
  ...COMPANIES.map(({ id, name }) => grant('partner', name, [id])),
  grant('two_companies', `${second} and ${third}`, ids.slice(1)),
  grant('reseller', `reseller of ${first} and ${second}`, ids.slice(0, 2), { reseller: true }),
  grant('legacy', `legacy ids of ${first}`, ids.slice(0, 1), { scopes: ['partner:metrics:legacy:read'] }),
  grant('no_company', 'no company', []),
  grant('analyst', 'analyst of all companies', 'all', { scopes: ['internal:graphql:read'] }),
]

function grant(kind: string, label: string, companies: KeyGrant['companies'], options: Partial<KeyGrant> = {}) {
  return { companies, scopes: [], reseller: false, rate: null, ...options, kind, label: `Demo: ${label}` }
}

export type LoadedDemo = Awaited<ReturnType<typeof loadDemo>>
export type DemoKey = LoadedDemo['keys'][number]

/** Returns whether the database has no companies, or only those of a demo whose load was interrupted. */
export async function canLoadDemo(pool: Pool): Promise<boolean> {
  const ids = COMPANIES.map(({ id }) => id)
  const { rowCount } = await pool.query('SELECT FROM companies WHERE NOT id = ANY ($1) LIMIT 1', [ids])
  return rowCount === 0 && !(await isDemoLoaded(pool))
}

async function isDemoLoaded(db: Pool | ClientBase): Promise<boolean> {
  const { rows } = await db.query('SELECT demo_loaded_at IS NOT NULL AS loaded FROM service')
  return rows[0].loaded
}

/**
 * Loads the demo and issues its keys. If it was loaded before, nothing changes and there are no keys.
 *
 * @param pool connections of the owner, at least two
 * @param now seconds since 1970; the day before is the last one with counts
 * @throws OperatorError when other data conflicts with it, or another process is loading it for a minute
 */
export async function loadDemo(
  pool: Pool,
  environment: Environment,
  now = Date.now() / 1000,
  days = 90,
  onWait?: OnWait,
) {
  const client = await pool.connect()
  try {
    await client.query(`${BEGIN}; SET LOCAL lock_timeout = '60s'`)
    await reportingWaits(pool, client, onWait, () => takeLock(client, 'demo')).catch(error => {
      throw error.code === '55P03' ? new OperatorError('DEMO_BUSY', 'another process is loading the demo') : error
    })
    const sensors = sensorsAt(now)
    const figures = { companies: COMPANIES.length, assets: ASSETS.length, sensors: sensors.length, days }
    if (await isDemoLoaded(client)) return { loaded: false, ...figures, keys: [] }
    await importEntities(pool, sensors, onWait)
    await importCounts(pool, sensors, now, days, onWait)
    await importRows(pool, 'notes', notesAt(now, sensors), onWait)
    await refreshDemoHealth(pool, now)
    await recordOperation(client, { command: 'demo', figures })
    return { loaded: true, ...figures, keys: await issueKeys(client, environment) }
  } catch (error) {
    // The history has no imports of the demo, which goes on if it is loaded again.
    throw error instanceof CommitError ? new CommitError('demo') : error
  } finally {
    // Closing the connection rolls the transaction back, unless it is committed, and releases the lock.
    client.release(true)
  }
}

async function importEntities(pool: Pool, sensors: readonly Sensor[], onWait?: OnWait): Promise<void> {
  await importRows(pool, 'companies', COMPANIES, onWait)
  await importRows(pool, 'vendors', Object.values(VENDORS), onWait)
  await importRows(pool, 'assets', ASSETS, onWait)
  // A row says where a sensor is from its installed_at on, so that those that move need two.
  for (const index of [0, 1]) {
    const placed = sensors.filter(({ installations }) => index === 0 || installations[index])
    await importRows(
      pool,
      'sensors',
      placed.map(sensor => installed(sensor, index)),
      onWait,
    )
  }
}

function installed(sensor: Sensor, index: number): object {
  const { asset, from } = sensor.installations[index] ?? {}
  return { ...sensor, asset_id: asset?.id, installed_at: from }
}

/** Imports the counts, and the audiences that follow from them. */
async function importCounts(
  pool: Pool,
  sensors: readonly Sensor[],
  now: number,
  days: number,
  onWait?: OnWait,
): Promise<void> {
  const totals = ASSETS.map(asset => ({ asset, dates: new Map<string, number>() }))
  function* counted() {
    for (const day of sensorDays(sensors, now, days)) {
      const { dates } = totals[ASSETS.indexOf(day.asset)]!
      dates.set(
        day.date,
        day.counts.reduce((sum, count) => sum + Math.max(0, count), dates.get(day.date) ?? 0),
      )
      yield day
    }
  }
  await importDays(pool, counted(), onWait)
  const generateRows = (audienceOf: typeof generateOrigins | typeof generateDemographics): object[] =>
    totals.flatMap(({ asset, dates }) =>
      [...dates].flatMap(([date, total]): object[] => audienceOf(asset, date, total)),
    )
  await importRows(pool, 'origins', generateRows(generateOrigins), onWait)
  await importRows(pool, 'demographics', generateRows(generateDemographics), onWait)
}

/** Issues the keys, marks the demo as loaded, and commits. */
async function issueKeys(client: ClientBase, environment: Environment) {
  await client.query('UPDATE service SET demo_loaded_at = now()')
  const keys = []
  for (const grant of GRANTS) {
    const { id, key } = await issueKey(client, environment, grant)
    keys.push({ kind: grant.kind, id, key, label: grant.label })
  }
  await commitShownBy('demo', client)
  return keys
}
