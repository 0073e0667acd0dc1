/** Commits of a connection that has lived since tables were empty: its plans are kept, and do as little work as plans of now. */
import { readFileSync } from 'node:fs'
import type { PoolClient } from 'pg'
import { World } from '../../support/world'

jest.setTimeout(120_000)

const ASSETS = 150

const DAYS = 60

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

/** Makes an asset with a sensor. Two of them are of one class. */
async function makeAsset(index: number): Promise<number> {
  const asset = await world.make.asset({ city: `City ${index >> 1}` })
  await world.make.sensor({ asset, grain: 'hour', installed_at: '2025-01-01T00:00Z' })
  return asset.number
}

const DATES = `generate_series(date '2026-03-31' - ${DAYS - 1}, '2026-03-31', interval '1 day') AS date`

/** Statements that change the assets with the numbers in $1. */
const CHANGES = {
  'new counts': `
    INSERT INTO sensor_days (asset, company, date, sensor, native_minutes, impressions, observed, hours, counts)
    SELECT a.number, a.company, date, s.number, 60, 24, 24, '\\x01', decode(repeat('01', 24), 'hex')
    FROM assets a JOIN sensors s ON s.asset = a.number, ${DATES} WHERE a.number = ANY ($1)`,
  'new demographics': `
    INSERT INTO demographic_days (asset, company, date, male_25_34)
    SELECT number, company, date, 3 FROM assets, ${DATES} WHERE number = ANY ($1)`,
  'corrected counts': 'UPDATE sensor_days SET impressions = impressions + 1 WHERE asset = ANY ($1)',
  'corrected demographics': 'UPDATE demographic_days SET male_25_34 = 4 WHERE asset = ANY ($1)',
  'another format of assets':
    "UPDATE assets SET format = CASE format WHEN 'transit' THEN 'billboard' ELSE 'transit' END WHERE number = ANY ($1)",
  'removed sensors': "UPDATE installations SET removed_at = '2026-03-10T00:00Z' WHERE asset = ANY ($1)",
  'sensors that are back': 'UPDATE installations SET removed_at = NULL WHERE asset = ANY ($1)',
  'another time zone':
    "UPDATE assets SET time_zone = CASE time_zone WHEN 'UTC' THEN 'Europe/Berlin' ELSE 'UTC' END WHERE number = ANY ($1)",
  'no demographics': 'DELETE FROM demographic_days WHERE asset = ANY ($1)',
  'no counts': 'DELETE FROM sensor_days WHERE asset = ANY ($1)',
}

/** Returns the CPU that each change of assets takes, in milliseconds. */
async function change(client: PoolClient, assets: number[], isAnalyzed: boolean): Promise<Map<string, number>> {
  const [{ pid }] = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows as [{ pid: number }]
  const cpu = () => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  const costs = new Map<string, number>()
  for (const [name, sql] of Object.entries(CHANGES)) {
    if (isAnalyzed) await client.query('ANALYZE')
    const before = cpu()
    await client.query(sql, [assets])
    costs.set(name, cpu() - before)
  }
  return costs
}

test('the work of a commit does not depend on how much there was when its plan was made', async () => {
  const old = await world.owner.connect()
  const young = await world.owner.connect()
  try {
    await old.query('ANALYZE')
    const { number } = await world.make.asset()
    await change(old, [number], false)
    await change(old, [await makeAsset(0)], false)
    const assets: number[] = []
    for (let i = 1; i <= ASSETS; i++) assets.push(await makeAsset(i))
    const kept = await change(old, assets, false)
    const now = await change(young, assets, true)
    expect([...kept].filter(([name, cost]) => cost > 3 * now.get(name)! + 100)).toEqual([])
    expect(await world.rows('SELECT FROM asset_months WHERE days_with_data > 0')).toEqual([])
  } finally {
    old.release()
    young.release()
  }
})
