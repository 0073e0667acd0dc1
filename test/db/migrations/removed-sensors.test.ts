/** The migration that takes sensors with a removed_at from the records of their assets. */
import createKnex from 'knex'
import { migrate } from '../../../db/migrate/migrate'
import { migrationNames, migrationSource } from '../../../db/migrate/migration-source'
import { openPool } from '../../../db/postgres/pool'
import { verify } from '../../../db/verify/verify'
import { createDatabase, type TestDatabase } from '../../support/databases'
import { Factory } from '../../support/factories'

jest.setTimeout(60_000)

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

test('removed sensors leave their assets, as the feed and updated_at say, and nothing else changes', async () => {
  const pool = openPool(database.ownerUrl, { max: 2 })
  await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  const db = createKnex({ client: 'pg', connection: database.ownerUrl, pool: { min: 0, max: 1 } })
  const names = migrationNames().filter(name => name < '0133')
  await db.migrate.latest({ migrationSource: { ...migrationSource, getMigrations: async () => names } })
  await db.destroy()
  const make = new Factory(pool)
  const assets = [await make.asset(), await make.asset()] as const
  const kept = await make.sensor({ asset: assets[0], grain: 'minute' })
  await make.sensor({ asset: assets[0], grain: 'hour', removed_at: '2026-02-01T00:00:00Z' })
  await make.sensor({ asset: assets[1] })
  await pool.query(`UPDATE assets SET updated_at = '2026-01-01'`)
  const records = async () =>
    (await pool.query('SELECT sensor_ids, sensor_minutes, updated_at FROM assets ORDER BY number')).rows
  const versions = async () =>
    (await pool.query('SELECT data_version FROM asset_versions ORDER BY asset')).rows.map(row => row.data_version)
  const [before, versionsBefore] = [await records(), await versions()]
  const { rows } = await pool.query('SELECT max(number) AS number FROM feed_transactions')
  expect(before[0].sensor_ids).toHaveLength(2)
  await migrate(database.ownerUrl)
  const after = await records()
  expect(after).toEqual([
    { sensor_ids: [kept.id], sensor_minutes: 1, updated_at: expect.stringMatching(/^20(?!26-01-01)/) },
    before[1],
  ])
  expect((await versions()).map((version, i) => version === versionsBefore[i])).toEqual([false, true])
  const changes = await pool.query('SELECT asset_id, kind FROM changes WHERE number > $1 ORDER BY kind', [
    rows[0].number,
  ])
  expect(changes.rows).toEqual(['asset', 'sensors'].map(kind => ({ asset_id: assets[0].id, kind })))
  expect((await verify(pool, async difference => expect(difference).toBeUndefined())).found).toBe(0)
  await pool.end()
})
