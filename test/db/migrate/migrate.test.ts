import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { checkSchema } from '../../../db/migrate/check-schema'
import { migrate } from '../../../db/migrate/migrate'
import { takeSchemaLock } from '../../../db/migrate/schema-lock'
import { withPool } from '../../../db/postgres/pool'
import { readCatalogue } from '../../support/catalogue'
import { createDatabase, type TestDatabase } from '../../support/databases'
import { like } from '../../support/text'

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

test('changes nothing when a migration fails, and succeeds once its cause is gone', async () => {
  await empty()
  await owner.query('CREATE VIEW legacy_calls AS SELECT 1 AS one')
  await expect(migrate(database.ownerUrl)).rejects.toThrow('relation "legacy_calls" already exists')
  const { rows } = await owner.query("SELECT relname FROM pg_class WHERE relname = 'companies'")
  expect(rows).toEqual([])
  await owner.query('DROP VIEW legacy_calls')
  expect(await migrate(database.ownerUrl)).toEqual(MIGRATIONS)
})

test('leaves the database of another program as it is, and its users their rights', async () => {
  await empty()
  await owner.query('CREATE TABLE users ()')
  await expect(migrate(database.ownerUrl)).rejects.toMatchObject({
    code: 'DATABASE_OF_ANOTHER_PROGRAM',
    message: expect.stringContaining('(users): create one for partner-metrics alone'),
  })
  const { rows } = await owner.query(
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  )
  expect(rows).toEqual([{ relname: 'users' }])
})

test('refuses a database whose encoding does not have every character', async () => {
  const url = new URL(database.ownerUrl)
  url.pathname = `${url.pathname.slice(1)}_latin1`
  const name = url.pathname.slice(1)
  await owner.query(`CREATE DATABASE ${name} ENCODING LATIN1 LOCALE 'C' TEMPLATE template0`)
  try {
    await expect(migrate(url.href)).rejects.toMatchObject({
      code: 'DATABASE_ENCODING',
      message: expect.stringContaining('the encoding LATIN1'),
    })
  } finally {
    await owner.query(`DROP DATABASE ${name} WITH (FORCE)`)
  }
})

test('waits for a lock in short turns, and then runs', async () => {
  await empty()
  const other = new Client({ connectionString: database.ownerUrl })
  await other.connect()
  await other.query('BEGIN; CREATE TABLE companies ()')
  const migrating = migrate(database.ownerUrl)
  const isWaiting = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  const waiting = new Set<number>()
  // The transaction begins again when its turn is over.
  const begun =
    "SELECT xact_start::text FROM pg_stat_activity WHERE query LIKE '%CREATE TABLE companies%' AND pid <> pg_backend_pid()"
  const turns = new Set<string>()
  while (turns.size < 3) {
    for (const { pid } of (await owner.query(isWaiting)).rows) waiting.add(pid)
    for (const { xact_start } of (await owner.query(begun)).rows) if (xact_start) turns.add(xact_start)
    await sleep(50)
  }
  expect(waiting.size).toBeGreaterThan(0)
  await other.end()
  expect(await migrating).toEqual(MIGRATIONS)
})

describe('a check of the schema', () => {
  const check = () => withPool(database.ownerUrl, { max: 1 }, pool => checkSchema(pool, 'db.example/metrics'))

  test('accepts the schema of this version, also while another process has the lock of migrations', async () => {
    const other = await takeSchemaLock(database.ownerUrl)
    await expect(check()).resolves.toBeUndefined()
    await other.end()
  })

  test('says what to run where migrations are missing, and runs none', async () => {
    const next = '9999_later.ts'
    await withPool(database.ownerUrl, { max: 1 }, async pool => {
      const checked = checkSchema(pool, 'db.example/metrics', [...MIGRATIONS, next])
      await expect(checked).rejects.toMatchObject({
        code: 'DATABASE_NOT_MIGRATED',
        message: expect.stringMatching(/earlier version: create a backup, then run `partner-metrics migrate`$/),
      })
    })
    const { rows } = await owner.query('SELECT name FROM knex_migrations ORDER BY id')
    expect(rows.map(({ name }) => name)).toEqual(MIGRATIONS)
  })
})

test('ends its wait for another process when it is interrupted', async () => {
  const other = await takeSchemaLock(database.ownerUrl)
  const controller = new AbortController()
  const migrating = migrate(database.ownerUrl, { signal: controller.signal })
  const isWaiting =
    "SELECT FROM pg_locks WHERE relation = 'knex_migrations_lock'::regclass AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
  while ((await owner.query(isWaiting)).rowCount === 0) await sleep(5)
  controller.abort(new Error('interrupted'))
  await expect(migrating).rejects.toThrow('interrupted')
  await other.end()
})

test.each([
  [['0030-changes-of-an-asset', '0001-companies']],
  [['0200_baseline.ts', '0260_dates_of_assets.ts']],
  [['0300_schema.ts']],
])('a database of before the first release (%j) is refused in one sentence, and left as it is', async names => {
  await owner.query('DELETE FROM knex_migrations')
  await owner.query('INSERT INTO knex_migrations (name, batch, migration_time) SELECT unnest($1::text[]), 1, now()', [
    names,
  ])
  const before = await readCatalogue(owner)
  const message = like(`the database was made before the first release (with the migration ${names.at(-1)}), …`)
  const check = () => withPool(database.ownerUrl, { max: 1 }, pool => checkSchema(pool, 'db.example/metrics'))
  for (const refused of [() => migrate(database.ownerUrl), check])
    await expect(refused()).rejects.toMatchObject({ code: 'DATABASE_INCOMPATIBLE', message })
  const { rows } = await owner.query('SELECT name FROM knex_migrations ORDER BY id')
  expect(rows.map(({ name }) => name)).toEqual(names)
  expect(await readCatalogue(owner)).toEqual(before)
})
