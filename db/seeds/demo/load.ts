/**
 * Loads the demo, or what is missing of it. Every import may be repeated, and that the demo is loaded is told last, in
 * one transaction with its keys: whoever was interrupted starts again and ends with the same, and keys are issued once.
 */
import type { Pool, PoolClient } from 'pg'
import type { Environment } from '../../api-keys/key-format'
import { importDays } from '../../import/import-days'
import { OperatorError } from '../../operator-error'
import { COMPANIES, FACES } from './assets'
import type { AssetDay } from './audience'
import { sensorDaysAt } from './counts'
import { completeDemo, findClashes, hasOtherCompanies, holdDemo, isDemoLoaded, readSensors } from './demo-state'
import { checkSensors } from './health'
import { importTable } from './import'
import { type DemoKey, GRANTS, keysOf } from './keys'
import { DAYS, type Post, type Sensor, sensorsAt, VENDORS } from './sensors'
import { assets, companies, demographics, origins, postedAt, sensors, vendors } from './tables'

export interface LoadedDemo {
  /** Whether this call loaded it; false when it was there before. */
  loaded: boolean
  companies: number
  assets: number
  sensors: number
  /** How many days each sensor in use was counted. */
  days: number
  /** Empty when the demo was there before. */
  keys: DemoKey[]
}

/** Whether nothing but, at most, a part of the demo is in the database. */
export async function awaitsDemo(pool: Pool): Promise<boolean> {
  if (await isDemoLoaded(pool)) return false
  return !(await hasOtherCompanies(
    pool,
    Object.values(COMPANIES).map(company => company.id),
  ))
}

/**
 * Loads the demo and issues its keys; changes nothing where it was loaded before.
 *
 * @param pool connections of the owner, at least two
 * @param now seconds since 1970; the last day that is counted is the one before
 * @param days how many days are counted
 * @throws OperatorFault when other data is in its way, or when another process takes too long to load it
 */
export async function loadDemo(
  pool: Pool,
  environment: Environment,
  now = Date.now() / 1000,
  days = DAYS,
): Promise<LoadedDemo> {
  const client = await pool.connect()
  try {
    if (!(await holdDemo(client))) throw new OperatorError('DEMO_BUSY', 'another process is loading the demo')
    const all = sensorsAt(now, days)
    const figures = { companies: Object.keys(COMPANIES).length, assets: FACES.length, sensors: all.length, days }
    if (await isDemoLoaded(client)) return { loaded: false, ...figures, keys: [] }
    await refuseClashes(client, all)
    await importTable(pool, 'companies', companies())
    await importTable(pool, 'vendors', vendors())
    await importTable(pool, 'assets', assets())
    await importSensors(pool, all)
    await importCounts(pool, now, days)
    await checkSensors(pool, now)
    return { loaded: true, ...figures, keys: keysOf(await completeDemo(client, environment, GRANTS)) }
  } finally {
    // The connection holds the lock: end it.
    client.release(true)
  }
}

async function refuseClashes(client: PoolClient, all: readonly Sensor[]): Promise<void> {
  const clashes = await findClashes(client, {
    companies: new Map(Object.values(COMPANIES).map(company => [company.name, company.id])),
    vendors: new Map(Object.values(VENDORS).map(vendor => [vendor.name, vendor.id])),
    assets: new Map(FACES.flatMap(face => (face.legacyId ? [[face.legacyId, face.id]] : []))),
    sensors: new Map(all.map(sensor => [sensor.serial, sensor.id])),
  })
  if (clashes.length > 0) {
    const others = clashes.length > 3 ? ` and ${clashes.length - 3} more` : ''
    throw new OperatorError(
      'DEMO_CLASHES',
      `the demo cannot be loaded beside data of yours that has ${clashes.slice(0, 3).join(', ')}${others}`,
    )
  }
}

/** Puts every sensor where it stood first, then moves those that moved; an earlier start may have done a part of it. */
async function importSensors(pool: Pool, all: readonly Sensor[]): Promise<void> {
  const known = new Map((await readSensors(pool, 'demo')).map(({ id, since }) => [id, since ?? -Infinity]))
  const rounds = Math.max(...all.map(sensor => sensor.posts.length))
  for (let round = 0; round < rounds; round++) {
    const posted = all.flatMap((sensor): [Sensor, Post | undefined][] => {
      const post = sensor.posts[round]
      if (!post && round > 0) return []
      return post && postedAt(post) < (known.get(sensor.id) ?? -Infinity) ? [] : [[sensor, post]]
    })
    await importTable(pool, 'sensors', sensors(posted))
  }
}

/** Counts, and from what they add up to the audiences. */
async function importCounts(pool: Pool, now: number, days: number): Promise<void> {
  const assetDays = new Map<string, AssetDay>()
  function* counted() {
    for (const day of sensorDaysAt(now, days)) {
      const { face, date, counts } = day
      const key = `${face.id} ${date}`
      const assetDay = assetDays.get(key) ?? { face, date, impressions: 0 }
      assetDays.set(key, assetDay)
      for (const count of counts) if (count > 0) assetDay.impressions += count
      yield day
    }
  }
  await importDays(pool, counted())
  await importTable(pool, 'origins', origins(assetDays.values()))
  await importTable(pool, 'demographics', demographics(assetDays.values()))
}
