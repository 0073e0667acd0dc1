import knex from 'knex'
import { Client } from 'pg'
import { loadMigration, migrationNames } from '../../../db/migrate/migration-source'
import { createDatabase, type TestDatabase } from '../../support/databases'
import { FORMER_DATABASE } from '../../support/former-database'
import { findObstacles } from '../../support/online-migrations'

let database: TestDatabase
let owner: Client
beforeEach(async () => {
  database = await createDatabase()
  owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
})
afterEach(async () => {
  await owner.end()
  await database.drop()
})

/** Migrations before which the services stop, as the changelog says. */
const OFFLINE = ['0300_schema.ts']

test('every migration but those announced can run while the version before serves', async () => {
  await owner.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${FORMER_DATABASE}`)
  const db = knex({ client: 'pg', connection: database.ownerUrl, pool: { min: 0, max: 1 } })
  try {
    for (const name of migrationNames()) {
      const migration = loadMigration(name)
      const run = () => migration.up(db)
      const obstacles = await findObstacles(owner, run, migration.config?.transaction !== false)
      const expected = OFFLINE.includes(name) ? expect.arrayContaining([expect.any(String)]) : []
      expect({ name, obstacles }).toEqual({ name, obstacles: expected })
    }
  } finally {
    await db.destroy()
  }
})

test.each([
  ['CREATE INDEX ON assets (name)', 'builds an index on assets without CONCURRENTLY'],
  ['ALTER TABLE companies ADD UNIQUE (name, id)', 'builds an index on companies without CONCURRENTLY'],
  ['ALTER TABLE assets ADD COLUMN x double precision DEFAULT random()', 'rewrites assets'],
  ['ALTER TABLE assets ADD COLUMN x integer CHECK (x > 0)', 'scans assets for assets_x_check'],
  ['ALTER TABLE assets ADD COLUMN x text REFERENCES vendors (id)', 'scans assets for assets_x_fkey'],
  ['ALTER TABLE companies RENAME COLUMN name TO title', 'removes, renames or converts companies.name'],
  ['DROP TABLE demographic_days CASCADE', 'removes, renames or converts demographic_days.asset'],
  ['UPDATE sensor_days SET date = date', 'UPDATE of rows of sensor_days'],
  ['DELETE FROM changes', 'DELETE of rows of changes'],
  ['DROP FUNCTION feed_position(bigint, uuid) CASCADE', 'removes feed_position(bigint, uuid)'],
])('%s is found: it %s', async (sql, obstacle) => {
  const obstacles = await findObstacles(owner, () => owner.query(sql))
  expect(obstacles.join('\n')).toContain(obstacle)
})

test.each([
  'CREATE TABLE remarks (id text PRIMARY KEY, asset integer, note text NOT NULL CHECK (note <> $$$$)); CREATE INDEX ON remarks (asset)',
  "ALTER TABLE assets ADD COLUMN x text NOT NULL DEFAULT 'none'",
  'ALTER TABLE assets ADD COLUMN x integer; ALTER TABLE assets ADD CHECK (x > 0) NOT VALID',
])('%s can run online', async sql => {
  expect(await findObstacles(owner, () => owner.query(sql))).toEqual([])
})

test('an index that is built concurrently can be added online', async () => {
  const run = () => owner.query('CREATE INDEX CONCURRENTLY ON assets (name)')
  expect(await findObstacles(owner, run, false)).toEqual([])
})
