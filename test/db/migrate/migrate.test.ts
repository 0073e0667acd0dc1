import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { migrate } from '../../../db/migrate/migrate'
import { createDatabase, type TestDatabase } from '../../support/databases'

const MIGRATIONS = readdirSync(join(__dirname, '..', '..', '..', 'db', 'migrations')).filter(file =>
  file.endsWith('.ts'),
)

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

const empty = () => owner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')

test('runs every migration once, however many processes start at the same time', async () => {
  await empty()
  const runs = await Promise.all([1, 2, 3].map(() => migrate(database.ownerUrl)))
  expect(runs.sort((a, b) => a.length - b.length)).toEqual([[], [], MIGRATIONS])
})

test('runs nothing on a database that is up to date', async () => {
  expect(await migrate(database.ownerUrl)).toEqual([])
})

test('changes nothing when a migration fails, and succeeds once its cause is gone', async () => {
  await empty()
  await owner.query('CREATE TABLE legacy_calls ()')
  await expect(migrate(database.ownerUrl)).rejects.toThrow('relation "legacy_calls" already exists')
  const { rows } = await owner.query("SELECT relname FROM pg_class WHERE relname = 'companies'")
  expect(rows).toEqual([])
  await owner.query('DROP TABLE legacy_calls')
  expect(await migrate(database.ownerUrl)).toEqual(MIGRATIONS)
})

test('refuses a database with migrations that this version does not know', async () => {
  await owner.query(`INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('9999_later.ts', 2, now())`)
  await expect(migrate(database.ownerUrl)).rejects.toMatchObject({
    code: 'DATABASE_NEWER',
    message: expect.stringContaining('9999_later.ts'),
  })
})
