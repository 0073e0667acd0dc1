import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Client } from 'pg'
import { importAll } from '../../db/backup/import-all'
import { FORMAT } from '../../db/backup/manifest'
import { withPool } from '../../db/postgres/pool'
import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { run, runJson } from '../support/in-process'
import { World } from '../support/world'

jest.setTimeout(120_000)

const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-backup-'))
const exported = join(directory, 'exported')

let world: World
/** A migrated database without data. */
let empty: TestDatabase
let owner: Client

const FILES =
  'assets changes closed_months companies demographics impressions installation_revisions installations keys late_days legacy_calls notes operations origins restatements revisions sensor_health sensors service set_aside_counts set_asides vendors zone_rules'
    .split(' ')
    .map(name => `${name}.csv.gz`)

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

function flipByte(path: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1
  writeFileSync(path, bytes)
}

function truncate(path: string): void {
  writeFileSync(path, readFileSync(path).subarray(0, -20))
}

// biome-ignore lint/suspicious/noExplicitAny: any part of the manifest
const edit = (change: (manifest: any) => unknown) => (folder: string) => {
  const path = join(folder, 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  change(manifest)
  writeFileSync(path, JSON.stringify(manifest))
}

/** Starts a command that waits for a table, does something meanwhile, and returns the command. */
async function whileLocked(
  settings: TestDatabase,
  mode: 'SHARE' | 'ACCESS EXCLUSIVE',
  args: string[],
  act: (command: Command, blocker: Client) => Promise<unknown>,
): Promise<Command> {
  const blocker = new Client({ connectionString: settings.ownerUrl })
  await blocker.connect()
  await blocker.query(`BEGIN; LOCK TABLE demographic_days IN ${mode} MODE`)
  const command = new Command(args, settingsOf(settings))
  const waiting = `SELECT FROM pg_locks WHERE relation = 'demographic_days'::regclass AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  while ((await blocker.query(waiting)).rowCount === 0);
  await act(command, blocker)
  await blocker.query('COMMIT')
  await blocker.end()
  return command
}

describe('partner-metrics import all', () => {
  const damage = (file: string, change: (path: string) => void) => (folder: string) => change(join(folder, file))
  test.each<[string, string, (folder: string) => void, RegExp]>([
    ['one other byte', 'EXPORT_DAMAGED', damage('vendors.csv.gz', flipByte), /vendors\.csv\.gz is damaged/],
    ['a truncated file', 'EXPORT_DAMAGED', damage('keys.csv.gz', truncate), /keys\.csv\.gz is damaged/],
    ['a missing file', 'EXPORT_DAMAGED', damage('origins.csv.gz', rmSync), /origins\.csv\.gz is missing/],
    ['no manifest', 'NOT_AN_EXPORT', damage('manifest.json', rmSync), /has no manifest\.json/],
    ['a damaged manifest', 'EXPORT_DAMAGED', damage('manifest.json', truncate), /manifest\.json is damaged/],
    ['a shorter list', 'EXPORT_DAMAGED', edit(m => m.files.pop()), /does not list installation_revisions\.csv\.gz/],
    ['more rows', 'IMPORT_REFUSED', edit(m => m.files[0].rows++), /companies\.csv\.gz: 1 rows could be stored, not 2/],
    [
      'a later form',
      'EXPORT_NEWER',
      edit(m => Object.assign(m, { format: FORMAT + 1, version: '9.8.7' })),
      /later version \(9\.8\.7\), in format \d/,
    ],
  ])('refuses an export with %s, and stores nothing', async (name, code, change, message) => {
    const folder = copyExport(name)
    change(folder)
    const refused = withPool(empty.ownerUrl, { max: 1 }, pool => importAll(pool, folder))
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    expect([await rowsIn('companies'), await rowsIn('operations')]).toEqual([0, 0])
  })

  test('that is killed in the middle leaves an empty database; what the next one imports is verified', async () => {
    await whileLocked(empty, 'SHARE', ['import', 'all', exported], command => command.end('SIGKILL'))
    // It takes the lock of imports once PostgreSQL has rolled back what was interrupted.
    const { code, document } = await runJson(['import', 'all', exported], settingsOf(empty))
    expect(code).toBe(0)
    expect(document).toMatchObject({ folder: exported, format: FORMAT, version: expect.stringMatching(/^\d/) })
    expect(document.files.map(({ name }: { name: string }) => name).sort()).toEqual(FILES)
    expect((await runJson(['verify'], settingsOf(empty))).document.found).toBe(0)
    expect((await runJson(['list', 'assets'], settingsOf(empty))).document.rows).toMatchObject([{ name: 'Alder 1' }])
  })

  test('refuses a database with data, and leaves it as it is; a damaged file is found before', async () => {
    const { code, document } = await runJson(['import', 'all', exported], settingsOf(empty))
    expect([code, document.error.code]).toEqual([1, 'DATABASE_NOT_EMPTY'])
    expect(document.error.message).toMatch(/^the database has data already \(companies.*\): import into a new one/)
    expect([await rowsIn('companies'), await rowsIn('assets')]).toEqual([1, 1])
    const damaged = copyExport('damaged')
    truncate(join(damaged, 'assets.csv.gz'))
    expect(await run(['import', 'all', damaged], settingsOf(empty))).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ${damaged}/assets.csv.gz is damaged: it is not the file that was exported; nothing was imported\n`,
    })
  })

  test('reads an export of a version without the ids of assets in other systems, and without each close', async () => {
    const other = await createDatabase()
    const target = settingsOf(other)
    const folder = copyExport('earlier')
    const replaceFile = (name: string, rows: number, change: (text: string) => string) => {
      const path = join(folder, name)
      const earlier = gzipSync(change(gunzipSync(readFileSync(path)).toString()))
      writeFileSync(path, earlier)
      const sha256 = createHash('sha256').update(earlier).digest('hex')
      edit(m =>
        Object.assign(
          m.files.find((file: { name: string }) => file.name === name),
          { sha256, rows },
        ),
      )(folder)
    }
    const { id } = (await world.owner.query('SELECT id FROM companies')).rows[0]
    replaceFile('assets.csv.gz', 1, text => text.replace(/,venue_taxonomy,external_ids$|,,\{\}$/gm, ''))
    replaceFile('set_aside_counts.csv.gz', 0, text => text.replace(/,(asset_id|c\w+)?$/gm, ''))
    replaceFile('closed_months.csv.gz', 1, () => `company_id,final_through\n${id},2026-01-31\n`)
    edit(m => Object.assign(m, { format: 3 }))(folder)
    expect(await run(['import', 'all', folder], target)).toMatchObject({ code: 0, stderr: '' })
    const { rows } = (await runJson(['list', 'assets'], target)).document
    expect(rows).toMatchObject([{ name: 'Alder 1', venue_taxonomy: null, external_ids: {} }])
    const undo = ['close', '2026-01', '--undo', '--reason', 'mistyped']
    expect((await runJson(undo, target)).document.companies).toMatchObject([{ final_through: null }])
    await other.drop()
  })
})

describe('partner-metrics export all', () => {
  const rowsOf = (folder: string, name: string) =>
    gunzipSync(readFileSync(join(folder, `${name}.csv.gz`)))
      .toString()
      .trimEnd()
      .split('\n')
      .slice(1)

  test('writes the state of one moment, whatever is imported meanwhile', async () => {
    const folder = join(directory, 'snapshot')
    const args = ['export', 'all', '--output', folder]
    const command = await whileLocked(world.database, 'ACCESS EXCLUSIVE', args, (_, blocker) =>
      blocker.query(`
        INSERT INTO companies (id, name) VALUES ('latecompany', 'Late');
        INSERT INTO api_keys (id, hash, environment, scopes, companies)
          SELECT 'latekeyoflate', sha256('late'), 'dev', '{}', ARRAY[number] FROM companies WHERE id = 'latecompany'`),
    )
    expect(await command.ended).toMatchObject({ code: 0, stderr: '' })
    for (const name of ['companies', 'keys']) expect(rowsOf(folder, name)).toEqual(rowsOf(exported, name))
    expect(readdirSync(folder).sort()).toEqual([...FILES, 'manifest.json'].sort())
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

  test('that is interrupted deletes its files; what one leaves behind that was killed does not disturb the next', async () => {
    const folder = join(directory, 'interrupted')
    const args = ['export', 'all', '--output', folder]
    const interrupt = (signal: NodeJS.Signals) =>
      whileLocked(world.database, 'ACCESS EXCLUSIVE', args, command => command.end(signal))
    await interrupt('SIGTERM')
    expect(existsSync(folder)).toBe(false)
    await interrupt('SIGKILL')
    expect(readdirSync(folder).every(name => name.endsWith('.partial'))).toBe(true)
    chmodSync(folder, 0o755)
    expect(await world.run(args)).toMatchObject({ code: 0 })
  })
})
