/**
 * Rehearses the next upgrade: the build with one more migration, as CONTRIBUTING says, which adds a column to the tables that the
 * service reads, and a table with a policy. A service of this version runs meanwhile.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { READ_TABLES } from '../../../db/logins'
import { withPool } from '../../../db/postgres/pool'
import { generatePaths, generateQueries, POST_HEADERS, ROOT_FIELDS, ROUTES } from '../../isolation/requests'
import { namesOf, startWithTenants, TENANTS } from '../../isolation/tenants'
import { Command } from '../../support/command'
import { createDatabase, settingsOf, type TestDatabase, withoutTables } from '../../support/databases'
import { send } from '../../support/http'
import { World } from '../../support/world'

jest.setTimeout(300_000)

const ROOT = join(__dirname, '..', '..', '..')

const NEXT = '9999_next.ts'

/** All that the service reads, but for what is derived: a column there belongs into its definition, too. */
const TABLES = READ_TABLES.filter(name => !/^asset_|^measured_|^former_|^changes$/.test(name))

const MIGRATION = `
exports.up = knex => knex.raw(\`
${TABLES.map(name => `ALTER TABLE ${name} ADD COLUMN next text NOT NULL DEFAULT 'new';`).join('\n')}
CREATE TABLE asset_photos (
  asset integer PRIMARY KEY REFERENCES assets (number) ON DELETE CASCADE,
  company integer NOT NULL REFERENCES companies (number) ON DELETE CASCADE,
  url text NOT NULL
);
ALTER TABLE asset_photos ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON asset_photos TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON asset_photos FOR SELECT
  USING (company = ANY ((SELECT companies_in_scope())::integer[]));
\`)
exports.down = require('../migrate/forward-only').down
`

const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-next-'))
const [names] = TENANTS.map(namesOf)
const paths = ROUTES.flatMap(route => generatePaths(route, [names!], []))
const queries = ROOT_FIELDS.flatMap(field => generateQueries(field, names!).slice(0, 3))

let world: World
let key: string
/** The responses before the upgrade, by their requests. */
let before: string[]
let verified: string

/** Runs a command of the next version. */
const next = (args: string[], { database }: { database: TestDatabase }): Command =>
  new Command(args, { ...settingsOf(database), METRICS_ENV: 'dev' }, undefined, {
    main: join(folder, 'dist', 'cli', 'main.js'),
  })

async function mustRun(args: string[], on: { database: TestDatabase }): Promise<void> {
  expect(await next(args, on).ended).toMatchObject({ code: 0, stderr: '' })
}

async function readAll(url: string): Promise<string[]> {
  const responses: string[] = []
  for (const path of paths) {
    const { status, text } = await send(url + path, { key })
    responses.push(`${path} ${status} ${withoutCursors(text)}`)
  }
  for (const query of queries) {
    const body = JSON.stringify({ query })
    const { status, text } = await send(`${url}/graphql`, { key, method: 'POST', headers: POST_HEADERS, body })
    responses.push(`${query} ${status} ${withoutCursors(text)}`)
  }
  return responses
}

/** A restored database has other positions in the feed. */
const withoutCursors = (text: string): string => text.replace(/"(cursor|next)":"[^"]*"/g, '')

beforeAll(async () => {
  const tenants = await startWithTenants(TENANTS, [TENANTS])
  world = tenants.service
  key = tenants.keys.get(TENANTS.join('+')) as string
  for (const name of ['dist', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'dist', 'db', 'migrations', NEXT.replace('.ts', '.js')), MIGRATION)
  const logins = join(folder, 'dist', 'db', 'logins.js')
  writeFileSync(logins, readFileSync(logins, 'utf8').replace(/READ_TABLES = \[/, "$&'asset_photos',"))
  before = await readAll(world.url)
  verified = (await world.run(['verify'])).stdout
  await world.run(['export', 'all', '--output', join(folder, 'export')])
})
afterAll(async () => {
  await world.stop()
  rmSync(folder, { recursive: true })
})

test('requests are recorded, of which most find something', () => {
  expect(before.filter(response => / 200 /.test(response)).length).toBeGreaterThan(before.length / 2)
})

test('a migration that is killed half-way has changed nothing', async () => {
  const reader = await world.owner.connect()
  await reader.query(`BEGIN; SELECT FROM ${TABLES.at(-1)}`)
  const migrating = next(['migrate'], world)
  const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ADD COLUMN next%'"
  while ((await world.rows(waiting)).length === 0) await sleep(20)
  await migrating.end('SIGKILL')
  await reader.query('COMMIT')
  reader.release()
  while ((await world.rows(waiting)).length > 0) await sleep(20)
  expect(await world.rows("SELECT FROM information_schema.columns WHERE column_name = 'next'")).toEqual([])
  expect((await world.run(['list', 'keys'])).code).toBe(0)
})

test('a service of this version gives the same responses while the next one migrates, and afterwards', async () => {
  const migrating = next(['migrate'], world)
  let isOver = false
  void migrating.ended.then(() => {
    isOver = true
  })
  do expect(await readAll(world.url)).toEqual(before)
  while (!isOver)
  expect(await migrating.ended).toMatchObject({ code: 0, stdout: expect.stringContaining(NEXT) })
  expect(await readAll(world.url)).toEqual(before)
})

test('a migration that is ended in a deadlock begins again', async () => {
  const database = await createDatabase()
  await withPool(database.ownerUrl, { max: 1 }, async reader => {
    await reader.query('BEGIN; SELECT FROM notes')
    const migrating = next(['migrate'], { database })
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'notes'::regclass
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    while ((await reader.query(waiting)).rowCount === 0) await sleep(20)
    await reader.query('SELECT FROM companies; COMMIT')
    expect(await migrating.ended).toMatchObject({ code: 0, stderr: '' })
  })
  await database.drop()
})

test('a read that a migration meets in a deadlock is repeated', async () => {
  const migration = await world.owner.connect()
  await migration.query('BEGIN; LOCK TABLE notes')
  const reading = world.get('/v1/partner/notes?from_date=2026-01-01&to_date=2026-01-03', { key })
  const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
  while ((await world.rows(waiting)).length === 0) await sleep(20)
  await migration.query('LOCK TABLE api_keys; COMMIT')
  migration.release()
  expect((await reading).status).toBe(200)
})

test('commands and starts of this version then say in one sentence that the database is newer', async () => {
  const sentence =
    /^error: the database has migrations of a later version \(9999_next\.ts\): use that version, or a later one$/
  for (const command of [['list', 'keys'], ['migrate'], ['serve']]) {
    const { code, stderr } = await world.run(command)
    expect([code, stderr.trimEnd()]).toEqual([1, expect.stringMatching(sentence)])
  }
})

test('the next version verifies, exports and serves what is there', async () => {
  expect((await next(['verify'], world).ended).stdout).toBe(verified)
  const service = next(['serve'], world)
  const answers = await readAll(await service.url())
  expect(answers.map(answer => answer.split(' ', 2))).toEqual(before.map(answer => answer.split(' ', 2)))
  expect((await service.end('SIGTERM')).code).toBe(0)
})

test('the next version reads an export of this one', async () => {
  const database = await createDatabase()
  await withoutTables(database)
  await mustRun(['import', 'all', join(folder, 'export')], { database })
  const restored = await World.open({ database, cursorSecret: Buffer.alloc(32, 7), now: world.gateway.now })
  try {
    expect(await restored.rows('SELECT count(*)::integer AS photos FROM asset_photos')).toEqual([{ photos: 0 }])
    expect(await readAll(restored.url)).toEqual(before)
    await mustRun(['export', 'all', '--output', join(folder, 'again')], restored)
    const { tables } = JSON.parse(readFileSync(join(folder, 'again', 'manifest.json'), 'utf8'))
    expect(tables).toContainEqual(expect.objectContaining({ name: 'asset_photos' }))
    expect((await next(['verify'], restored).ended).stdout).toBe(verified)
  } finally {
    await restored.stop()
  }
})
