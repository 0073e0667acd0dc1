import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Knex } from 'knex'
import { Client } from 'pg'
import type { Manifest } from '../../db/backup/manifest'
import * as source from '../../db/migrate/migration-source'
import { withPool } from '../../db/postgres/pool'
import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase, withoutTables } from '../support/databases'
import { run, runJson } from '../support/in-process'
import { Lock } from '../support/lock'
import { World } from '../support/world'

jest.setTimeout(120_000)

const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-backup-'))
const exported = join(directory, 'exported')

let world: World
/** A migrated database without data. */
let empty: TestDatabase
let owner: Client

const migration = source.migrationNames().at(-1)!

/** Adds a migration to those of this version, as the next one may have it. */
function addMigration(name: string, up: Knex.Migration['up']): void {
  const { migrationNames, migrationSource } = source
  jest.spyOn(source, 'migrationNames').mockImplementation(() => [...migrationNames(), name])
  jest.spyOn(source, 'migrationSource').mockImplementation(names => {
    const known = migrationSource(names)
    const getMigration = async (each: string) =>
      each === name ? { up, down: async () => {} } : known.getMigration(each)
    return { ...known, getMigration }
  })
}

beforeAll(async () => {
  world = await World.open()
  const { make } = world
  const asset = await make.asset({ name: 'Alder 1' })
  await make.counts(await make.sensor({ asset, grain: 'hour' }), '2026-01-01', hour => hour)
  await make.demographics(asset, '2026-01-01', { '25-34 male': 70 })
  const { code, stderr } = await world.run(['export', 'all', '--output', exported])
  expect([code, stderr]).toEqual([0, ''])
  empty = await createDatabase()
  owner = new Client({ connectionString: empty.ownerUrl })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await empty.drop()
  await world.stop()
  rmSync(directory, { recursive: true })
})

const rowsIn = async (table: string) => (await owner.query(`SELECT FROM ${table}`)).rowCount

/** Returns a copy of the export. */
function copyExport(name: string): string {
  const copy = join(directory, name)
  cpSync(exported, copy, { recursive: true })
  return copy
}

function truncate(path: string): void {
  writeFileSync(path, readFileSync(path).subarray(0, -20))
}

const edit = (change: (manifest: Manifest) => unknown) => (folder: string) => {
  const path = join(folder, 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  change(manifest)
  writeFileSync(path, JSON.stringify(manifest))
}

/** Starts a command that waits for a table, does something meanwhile, and returns the command. */
async function whileLocked(
  settings: TestDatabase,
  args: string[],
  act: (command: Command) => Promise<unknown>,
  mode = 'ACCESS EXCLUSIVE',
): Promise<Command> {
  const lock = await Lock.take(settings.ownerUrl, `LOCK TABLE demographic_days IN ${mode} MODE`)
  const command = new Command(args, settingsOf(settings))
  await lock.untilAwaited()
  await act(command)
  await lock.release()
  return command
}

describe('partner-metrics import all', () => {
  const damage = (file: string, change: (path: string) => void) => (folder: string) => change(join(folder, file))
  test.each<[string, string, (folder: string) => void, RegExp]>([
    ['a truncated file', 'EXPORT_DAMAGED', damage('api_keys.tsv.gz', truncate), /api_keys\.tsv\.gz is damaged/],
    ['a missing file', 'EXPORT_DAMAGED', damage('assets.tsv.gz', rmSync), /assets\.tsv\.gz is missing/],
    ['no manifest', 'NOT_AN_EXPORT', damage('manifest.json', rmSync), /has no manifest\.json/],
    ['no tables', 'EXPORT_DAMAGED', edit(m => Object.assign(m, { tables: {} })), /manifest\.json is damaged/],
    ['a longer list', 'EXPORT_DAMAGED', edit(m => m.tables[0]!.columns.push('x')), /only one .* has api_keys \(/],
    ['more rows', 'IMPORT_REFUSED', edit(m => m.tables[0]!.rows++), /api_keys\.tsv\.gz: 0 rows could be stored, not 1/],
    [
      'rows that refer to rows that are missing',
      'IMPORT_REFUSED',
      folder => {
        const file = 'installations.tsv.gz'
        const rows = gzipSync(
          gunzipSync(readFileSync(join(folder, file)))
            .toString()
            .replace(/^\d+/gm, '999'),
        )
        writeFileSync(join(folder, file), rows)
        const sha256 = createHash('sha256').update(rows).digest('hex')
        edit(m => Object.assign(m.tables.find(({ name }) => name === 'installations')!, { sha256 }))(folder)
      },
      /the database refused the data \(SQLSTATE 23503\)/,
    ],
    [
      'a migration of a later version',
      'EXPORT_NEWER',
      edit(m => Object.assign(m, { migration: '9999_later.ts', version: '9.8.7' })),
      /was exported by version 9\.8\.7 with the migration 9999_later\.ts, which this version does not know/,
    ],
    [
      'the migration of a version before the first release',
      'DATABASE_INCOMPATIBLE',
      edit(m => Object.assign(m, { migration: '0300_schema.ts' })),
      /made before the first release \(.* 0300_schema\.ts\), and cannot be upgraded: import the sources again/,
    ],
  ])('refuses an export with %s, and stores nothing', async (name, code, change, message) => {
    const folder = copyExport(name)
    change(folder)
    const refused = await runJson(['import', 'all', folder], settingsOf(empty))
    expect(refused.code).toBe(1)
    expect(refused.document.error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect([await rowsIn('companies'), await rowsIn('operations')]).toEqual([0, 0])
  })

  test('that is killed in the middle leaves an empty database; what the next one imports is verified', async () => {
    await whileLocked(empty, ['import', 'all', exported], command => command.end('SIGKILL'), 'SHARE')
    // It takes the lock of imports once PostgreSQL has rolled back what was interrupted.
    const { code, document } = await runJson(['import', 'all', exported], settingsOf(empty))
    expect(code).toBe(0)
    expect(document).toMatchObject({ folder: exported, migration, version: expect.stringMatching(/^\d/) })
    expect((await runJson(['verify'], settingsOf(empty))).document.found).toBe(0)
    expect((await runJson(['list', 'assets'], settingsOf(empty))).document.rows).toMatchObject([{ name: 'Alder 1' }])
  })

  test('refuses a database with data, and leaves it as it is; a damaged file is found before', async () => {
    const { code, document } = await runJson(['import', 'all', exported], settingsOf(empty))
    expect([code, document.error.code]).toEqual([1, 'DATABASE_NOT_EMPTY'])
    expect(document.error.message).toMatch(
      /^the database has data already \(asset_demographics.*\): import into a new one/,
    )
    expect([await rowsIn('companies'), await rowsIn('assets')]).toEqual([1, 1])
    const damaged = copyExport('damaged')
    truncate(join(damaged, 'assets.tsv.gz'))
    expect(await run(['import', 'all', damaged], settingsOf(empty))).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ${damaged}/assets.tsv.gz is damaged: it is not the file that was exported; nothing was imported\n`,
    })
  })

  test('migrates a new database up to the migration of the export, and then on; refuses one that is further', async () => {
    const [fresh, further] = [await createDatabase(), await createDatabase()]
    await withoutTables(fresh)
    try {
      addMigration('9000_next.ts', knex => knex.raw("ALTER TABLE companies ADD motto text DEFAULT 'added'"))
      expect(await run(['import', 'all', exported], settingsOf(fresh))).toMatchObject({ code: 0, stderr: '' })
      expect((await runJson(['verify'], settingsOf(fresh))).document.found).toBe(0)
      await withPool(fresh.ownerUrl, { max: 1 }, async pool => {
        expect((await pool.query('SELECT motto FROM companies')).rows).toEqual([{ motto: 'added' }])
      })
      expect(await run(['migrate'], settingsOf(further))).toMatchObject({ code: 0, stdout: 'ran 9000_next.ts\n' })
      const { document } = await runJson(['import', 'all', exported], settingsOf(further))
      expect(document.error).toMatchObject({
        code: 'DATABASE_NOT_EMPTY',
        message: expect.stringContaining(`a later schema (9000_next.ts) than the backup (${migration})`),
      })
    } finally {
      jest.restoreAllMocks()
      await fresh.drop()
      await further.drop()
    }
  })
})

describe('partner-metrics export all', () => {
  const rowsOf = (folder: string, name: string) =>
    gunzipSync(readFileSync(join(folder, `${name}.tsv.gz`)))
      .toString()
      .trimEnd()
      .split('\n')

  test('writes the state of one moment, whatever is imported meanwhile', async () => {
    const folder = join(directory, 'snapshot')
    const args = ['export', 'all', '--output', folder]
    const command = await whileLocked(world.database, args, () =>
      world.rows(`
        INSERT INTO companies (id, name) VALUES ('latecompany', 'Late');
        INSERT INTO api_keys (id, hash, environment, scopes, companies)
          SELECT 'latekeyoflate', sha256('late'), 'dev', '{}', ARRAY[number] FROM companies WHERE id = 'latecompany'`),
    )
    expect(await command.ended).toMatchObject({ code: 0, stderr: '' })
    for (const name of ['companies', 'api_keys']) expect(rowsOf(folder, name)).toEqual(rowsOf(exported, name))
    expect(readdirSync(folder)).toEqual(readdirSync(exported))
  })

  test('refuses a folder with files, and leaves it as it is', async () => {
    const folder = join(directory, 'in use')
    mkdirSync(folder)
    writeFileSync(join(folder, 'notes.txt'), 'x')
    const { code, document } = await world.runJson(['export', 'all', '--output', folder])
    expect([code, document.error.code]).toEqual([1, 'FOLDER_NOT_EMPTY'])
    expect(readdirSync(folder)).toEqual(['notes.txt'])
    for (const nowhere of ['/dev/null/x', '/dev/null', '/proc/x/y']) {
      const { code, document } = await world.runJson(['export', 'all', '--output', nowhere])
      expect([code, document.error.code]).toEqual([1, 'FOLDER_UNUSABLE'])
    }
  })

  test('that is interrupted deletes its files, and the next one may use an empty folder', async () => {
    const folder = join(directory, 'interrupted')
    const args = ['export', 'all', '--output', folder]
    await whileLocked(world.database, args, command => command.end('SIGTERM'))
    expect(readdirSync(directory).filter(name => name.startsWith('interrupted'))).toEqual([])
    mkdirSync(folder)
    expect(await world.run(args)).toMatchObject({ code: 0 })
    expect(readdirSync(folder)).toEqual(readdirSync(exported))
  })
})
