/**
 * An export that is imported into a new database, and exported again, has the same files: every table with everything that text can be.
 * Histories of test/world go on in such a database, and compare what is served.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Manifest } from '../../../db/backup/manifest'
import { startWithTenants, TENANTS } from '../../isolation/tenants'
import { readCatalogue } from '../../support/catalogue'
import { createDatabase, settingsOf, withoutTables } from '../../support/databases'
import { send } from '../../support/http'
import { run } from '../../support/in-process'
import { World } from '../../support/world'

jest.setTimeout(120_000)

const TEXT = 'He said "no",\n\\.\r\nand \\N; tab\t, \'quote\', emoji 🙂, "'

const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-round-trip-'))

let old: World
let restored: World
let key: string
let position: string

const must = async ({ database }: Pick<World, 'database'>, ...args: string[]): Promise<void> => {
  expect(await run(args, settingsOf(database))).toMatchObject({ code: 0, stderr: '' })
}

beforeAll(async () => {
  const tenants = await startWithTenants(TENANTS, [TENANTS], { cursorSecret: undefined })
  old = tenants.service
  key = tenants.keys.get(TENANTS.join('+')) as string
  await old.rows('UPDATE companies SET name = name || $1', [TEXT])
  await old.rows('UPDATE assets SET description = $1, width_m = 0.1::float8 + 0.2, external_ids = $2', [
    TEXT,
    { [TEXT]: TEXT },
  ])
  await must(old, 'delete', 'assets', 'cedarasset1', '--yes', '--restate', '--reason', TEXT)
  await send(`${old.url}/v1/metrics/assets`)
  await old.gateway.legacyCalls.flush()
  position = (await old.read('/v1/partner/changes?limit=500', key)).pagination.cursor
  await must(old, 'export', 'all', '--output', join(directory, 'first'))
  const database = await createDatabase()
  await withoutTables(database)
  await must({ database }, 'import', 'all', join(directory, 'first'))
  await must({ database }, 'export', 'all', '--output', join(directory, 'second'))
  restored = await World.open({ database })
})
afterAll(async () => {
  await old?.stop()
  await restored?.stop()
  rmSync(directory, { recursive: true })
})

const readTables = (folder: string): Manifest['tables'] =>
  JSON.parse(readFileSync(join(directory, folder, 'manifest.json'), 'utf8')).tables

test('the files are the same, but for the record of the import, and no table is empty', () => {
  const others = (folder: string) => readTables(folder).filter(({ name }) => name !== 'operations')
  expect(readTables('first').filter(({ rows }) => rows === 0)).toEqual([])
  expect(others('second')).toEqual(others('first'))
  const operations = (folder: string) =>
    `${gunzipSync(readFileSync(join(directory, folder, 'operations.tsv.gz')))}`.trimEnd().split('\n')
  expect(operations('second').slice(0, -1)).toEqual(operations('first'))
  expect(operations('second').at(-1)).toContain('\timport all\t')
})

test('the catalogue is the same, too', async () => {
  expect(await readCatalogue(restored.owner)).toEqual(await readCatalogue(old.owner))
})

test('cursors of lists go on where they were, whereas a copy of the feed begins anew', async () => {
  const { cursor } = (await old.read('/v1/partner/assets?limit=1', key)).pagination
  const next = `/v1/partner/assets?cursor=${cursor}`
  expect((await restored.read(next, key)).data).toEqual((await old.read(next, key)).data)
  const { status, body } = await restored.get(`/v1/partner/changes?cursor=${position}`, { key })
  expect([status, body.error.code]).toEqual([410, 'RESYNC_REQUIRED'])
})

test('the files can be read by their owner only', () => {
  const folder = join(directory, 'first')
  const files = readdirSync(folder).map(name => join(folder, name))
  expect([folder, ...files].map(path => statSync(path).mode & 0o777)).toEqual([0o700, ...files.map(() => 0o600)])
})

test('every table is exported but those of processes and those that are empty between transactions', async () => {
  const exported = readTables('first').map(({ name }) => name)
  const rows = await old.rows(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> ALL ($1) ORDER BY 1",
    [exported],
  )
  expect(rows.map(({ name }) => name)).toEqual([
    ...['knex_migrations', 'knex_migrations_lock', 'locks', 'service_processes', 'touched_month_rows', 'touched_rows'],
  ])
})
