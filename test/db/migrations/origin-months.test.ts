/** The migration of origins from a row for each asset, day and city to months. */
import createKnex from 'knex'
import { Client } from 'pg'
import { migrate } from '../../../db/migrate/migrate'
import { migrationNames, migrationSource } from '../../../db/migrate/migration-source'
import { openPool } from '../../../db/postgres/pool'
import { verify } from '../../../db/verify/verify'
import { createDatabase, type TestDatabase } from '../../support/databases'
import { Factory } from '../../support/factories'

jest.setTimeout(60_000)

const NAME = '0120_origin-months.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** Migrates an empty database up to the migration before. */
async function migrateBefore(): Promise<void> {
  const db = createKnex({ client: 'pg', connection: database.ownerUrl, pool: { min: 0, max: 1 } })
  const names = migrationNames().filter(name => name < NAME)
  await db.migrate.latest({ migrationSource: { ...migrationSource, getMigrations: async () => names } })
  await db.destroy()
}

test('stored origins are the same rows after it, the feed reports no change, and verify no difference', async () => {
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  await migrateBefore()
  const pool = openPool(database.ownerUrl, { max: 2 })
  const make = new Factory(pool)
  const company = await make.company()
  const assets = [await make.asset({ company }), await make.asset({ company }), await make.asset()]
  for (const { number, company } of assets) {
    await owner.query(
      `INSERT INTO origins (asset, company, date, country, region, city, impressions)
       SELECT $1, $2, '2024-01-15'::date + day, left(region, 2), region, city, ($1 * 977 + day * 7919 + n * 31) % (CASE day % 3 WHEN 0 THEN 200 WHEN 1 THEN 60000 ELSE 3000000000 END)
       FROM generate_series(0, 80) AS day,
         (VALUES (1, 'DE-BE', 'Berlin'), (2, 'DE-B', 'New York, "NY"'), (3, 'JP-13', '東京 🙂'), (4, 'US-NY', 'It''s' || chr(10) || '\\x41')) AS p (n, region, city)
       WHERE (day + n) % 5 > 0`,
      [number, company],
    )
  }
  await owner.query(
    `INSERT INTO origins SELECT 5, number, company, '2024-02-29', 'FR', 'FR-IDF', 'City ' || n FROM assets, generate_series(1, 300) AS n WHERE number = $1`,
    [assets[0]?.number],
  )
  const rows = async () =>
    (
      await owner.query(
        'SELECT asset, company, date, country, region, city, impressions FROM origins ORDER BY 1, 3, 5, 6',
      )
    ).rows
  const feed = async () => (await owner.query('SELECT * FROM changes ORDER BY asset_id, kind, month')).rows
  const [before, changes] = [await rows(), await feed()]
  expect(before.length).toBeGreaterThan(1_000)
  expect(await migrate(database.ownerUrl)).toContain(NAME)
  expect(await rows()).toEqual(before)
  expect(await feed()).toEqual(changes)
  const differences: unknown[] = []
  await verify(pool, async difference => void differences.push(difference))
  expect(differences).toEqual([])
  await owner.end()
  await pool.end()
})
