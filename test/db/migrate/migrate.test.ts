import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { migrate } from '../../../db/migrate/migrate'
import { takeSchemaLock } from '../../../db/migrate/schema-lock'
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

test('an empty database can be opened by many processes at the same time', async () => {
  for (let i = 0; i < 20; i++) {
    await empty()
    const locked = [1, 2, 3, 4].map(async () => (await takeSchemaLock(database.ownerUrl)).end())
    await expect(Promise.all(locked)).resolves.toHaveLength(4)
  }
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

test('changes nothing in an empty database that must not be created', async () => {
  await empty()
  await expect(migrate(database.ownerUrl, { create: false })).rejects.toMatchObject({ code: 'NO_DATABASE' })
  const { rows } = await owner.query("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")
  expect(rows).toEqual([])
})

test('ends its wait for another process when it is interrupted', async () => {
  const other = await takeSchemaLock(database.ownerUrl)
  const controller = new AbortController()
  const migrating = migrate(database.ownerUrl, { signal: controller.signal })
  const isWaiting = "SELECT FROM pg_locks WHERE relation = 'knex_migrations_lock'::regclass AND NOT granted"
  while ((await owner.query(isWaiting)).rowCount === 0);
  controller.abort(new Error('interrupted'))
  await expect(migrating).rejects.toThrow('interrupted')
  await other.end()
})

test.each(['0030-changes-of-an-asset', '0001-companies'])(
  'says that a database with the migration %s is older than any that can be upgraded',
  async name => {
    await owner.query('INSERT INTO knex_migrations (name, batch, migration_time) VALUES ($1, 1, now())', [name])
    await expect(migrate(database.ownerUrl)).rejects.toMatchObject({
      code: 'DATABASE_TOO_OLD',
      message: expect.stringContaining(name),
    })
  },
)

test('refuses a database with migrations that this version does not know', async () => {
  await owner.query(`INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('9999_later.ts', 2, now())`)
  await expect(migrate(database.ownerUrl)).rejects.toMatchObject({
    code: 'DATABASE_NEWER',
    message: expect.stringContaining('9999_later.ts'),
  })
})
