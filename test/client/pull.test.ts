import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Row } from '../../client/index'
import { connect } from '../../client/index'
import { Copy } from '../../client/pull/copy'
import { connectPostgres } from '../../client/pull/databases'
import { SqlStore } from '../../client/pull/sql-store'
import { TABLE_NAMES } from '../../client/pull/tables'
import type { Made, MadeAsset, MadeSensor } from '../support/factories'
import { run } from '../support/in-process'
import { World } from '../support/world'

const BERLIN = ['DE', 'DE-BE', 'Berlin']

jest.setTimeout(120_000)

let world: World
let key: string
let company: Made
let directory: string
let asset: MadeAsset
let sensor: MadeSensor
const servers: Server[] = []

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'partner-metrics-pull-'))
  world = await World.open({ quota: 100_000 })
  const { make } = world
  company = await make.company()
  key = await make.key([company])
  writeFileSync(join(directory, 'key'), `${key}\n`)
  for (const zone of ['Europe/Berlin', 'America/New_York']) {
    asset = await make.asset({ company, name: `A "${zone}",\nasset`, time_zone: zone })
    sensor = await make.sensor({ asset, grain: 'hour' })
    for (const date of ['2026-01-31', '2026-02-01', '2026-03-29']) await make.counts(sensor, date, hour => hour)
    // Beyond the days with counts.
    await make.origin(asset, '2026-04-02', BERLIN, 20)
    await make.demographics(asset, '2026-02-01', { '25-34 male': 60 })
  }
})
afterAll(async () => {
  await world.stop()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(directory, { recursive: true })
})

const pull = (to: string, ...args: string[]) =>
  run(['pull', '--url', world.url, '--key-file', join(directory, 'key'), '--to', to, ...args], {})

const pullJson = async (to: string, ...args: string[]) => {
  const { code, stdout, stderr } = await pull(to, ...args, '--json')
  if (code !== 0) throw new Error(stderr + stdout)
  return JSON.parse(stdout)
}

let schemas = 0

/** Returns the address of a database for a copy: a schema of its own. */
async function emptyCopy(): Promise<string> {
  const schema = `copy${++schemas}`
  await world.owner.query(`CREATE SCHEMA ${schema}`)
  const url = new URL(world.database.ownerUrl)
  url.searchParams.set('options', `-c search_path=${schema}`)
  return url.href
}

const schemaOf = (copy: string) => new URL(copy).searchParams.get('options')!.split('=')[1]

/** Returns the rows of all tables of a copy. */
async function readCopy(copy: string): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {}
  for (const table of TABLE_NAMES) {
    tables[table] = (await world.rows(`SELECT t::text FROM ${schemaOf(copy)}.${table} t ORDER BY 1`)).map(row => row.t)
  }
  return tables
}

async function readState(copy: string): Promise<Record<string, unknown>> {
  const rows = await world.rows(`SELECT name, value FROM ${schemaOf(copy)}.state`)
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/** Changes one of everything. */
async function change(date: string): Promise<void> {
  const { make, owner } = world
  await owner.query('DELETE FROM sensor_days WHERE (asset, date) = ($1, $2)', [asset.number, '2026-02-01'])
  await make.counts(sensor, date, () => 7)
  await make.origin(asset, '2026-03-29', BERLIN, 5)
  await owner.query('UPDATE assets SET city = $2 WHERE number = $1', [asset.number, 'Köln'])
  const removed = await make.asset({ company })
  await owner.query('DELETE FROM assets WHERE number = $1', [removed.number])
  await make.sensor({ asset, grain: 'hour' })
  await addNote(asset, `Since "${date}",\nbe careful`)
}

let notes = 0
const addNote = ({ number }: MadeAsset, text: string) =>
  world.owner.query(
    `INSERT INTO notes (id, asset, from_date, kind, text, is_internal) VALUES ($1, $2, '2026-01-01', 'caveat', $3, false)`,
    [`noteof${String(++notes).padStart(4, '0')}`, number, text],
  )

test('a copy follows what changes, and is what a new one would be', async () => {
  const copy = await emptyCopy()
  expect(await pullJson(copy)).toMatchObject({
    first: true,
    rows: { assets: 2, sensors: 2, impressions: 6, origins: 2, demographics: 48 },
  })
  const leaving = await world.make.asset({ company })
  expect(await pullJson(copy, '--verify')).toMatchObject({ first: false, changes: 1, differences: [] })
  await change('2026-02-02')
  await world.owner.query('DELETE FROM assets WHERE number = $1', [leaving.number])
  const followed = await pull(copy, '--verify')
  expect(followed).toMatchObject({ code: 0, stderr: '' })
  expect(followed.stdout).toMatch(/^changes: \d+$/m)
  expect(followed.stdout).toContain('verified: every asset has the impressions of the service')
  const fresh = await emptyCopy()
  const { rows } = await pullJson(fresh)
  const copied = await readCopy(copy)
  expect(copied).toEqual(await readCopy(fresh))
  expect(Object.entries(copied).map(([table, { length }]) => [table, length])).toEqual(Object.entries(rows))
  expect((await world.rows(`SELECT min(start) AS first FROM ${schemaOf(copy)}.impressions`))[0]?.first).toBe(
    '2026-01-30T23:00:00Z',
  )
})

test('a copy that is interrupted at any step is completed by further runs', async () => {
  const expected = await emptyCopy()
  await pull(expected, '--grain', 'hour', '--from', '2026-02-01')
  const copy = await emptyCopy()
  const metrics = connect({ url: world.url, key })
  const options = { grain: 'hour', from: '2026-02-01', origin: {} } as const
  const update = async (steps: number) => {
    const interrupt = () => {
      if (steps-- === 0) throw new Error('interrupted')
    }
    async function* interruptedRows(rows: AsyncIterable<Row>) {
      for await (const row of rows) {
        interrupt()
        yield row
      }
    }
    const store = await SqlStore.open(await connectPostgres(copy))
    const [replace, commit] = [store.replace.bind(store), store.commit.bind(store)]
    store.replace = (table, removed, rows) => {
      interrupt()
      return replace(table, removed, interruptedRows(rows))
    }
    store.commit = state => {
      interrupt()
      return commit(state)
    }
    return new Copy(metrics, store, options, () => {}).update().finally(() => store.close())
  }
  const isInterrupted = (steps: number) =>
    update(steps).then(
      () => false,
      () => true,
    )
  let interruptions = 0
  while (await isInterrupted(1 + 11 * interruptions)) interruptions++
  expect(interruptions).toBeGreaterThan(3)
  expect(await readCopy(copy)).toEqual(await readCopy(expected))
})

test('a new copy replaces one of data that were restored since', async () => {
  const { owner } = world
  const copy = await emptyCopy()
  await pull(copy)
  await change('2026-02-03')
  await owner.query(`UPDATE assets SET external_ids = '{"hivestack": "A,1"}'`)
  expect(await pullJson(copy, '--verify')).toMatchObject({ first: false, resynced: false, differences: [] })
  expect(await world.rows(`SELECT DISTINCT external_ids FROM ${schemaOf(copy)}.assets`)).toEqual([
    { external_ids: '{"hivestack":"A,1"}' },
  ])
  // As if the database had been replaced by one that lacks the position.
  await owner.query('UPDATE transactions SET mark = gen_random_uuid()')
  await owner.query('UPDATE assets SET city = $1', ['Bonn'])
  expect(await pullJson(copy, '--verify')).toMatchObject({ first: true, resynced: true, differences: [] })
  expect(await world.rows(`SELECT DISTINCT city FROM ${schemaOf(copy)}.assets`)).toEqual([{ city: 'Bonn' }])
})

test.each([
  [['--grain', 'hour'], 2, /begun with another grain \(day\)/],
  [['--grain', 'week'], 2, /Allowed choices are minute, quarter_hour, hour, day/],
  [['--url', 'metrics'], 2, /--url must be like/],
  [['--to', 'copy'], 2, /--to must be sqlite:FILE, duckdb:FILE or postgres:/],
  [['--to', 'OWNER'], 1, /has a table assets that is not of a copy/],
  [['--key-file', '/nowhere'], 2, /--key-file \/nowhere does not exist/],
  [['--key-file', 'KEY'], 2, /an argument contains an API key/],
  [['--to', 'duckdb:x'], 1, /a copy in DuckDB needs the package @duckdb\/node-api: npm install @duckdb\/node-api/],
])('%j is an error', async (args, code, message) => {
  const copy = await emptyCopy()
  await pull(copy)
  const values: Record<string, string> = { OWNER: world.database.ownerUrl, KEY: key }
  const result = await pull(copy, ...args.map(text => values[text] ?? text))
  expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(message)])
  // A key in place of its file is not repeated.
  expect(result.stdout + result.stderr).not.toContain(key)
})

/** Starts a server of nobody. @returns its address */
async function listen(respond: RequestListener): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a copy goes on after the host was renamed, but not with another service', async () => {
  const copy = await emptyCopy()
  await pull(copy)
  const renamed = world.url.replace('127.0.0.1', 'localhost')
  expect(await pullJson(copy, '--url', renamed, '--verify')).toMatchObject({ first: false, differences: [] })
  expect((await readState(copy)).url).toBe(renamed)

  const other = await World.open()
  writeFileSync(join(directory, 'other'), await other.make.key([]))
  const before = await readCopy(copy)
  const refused = await pull(copy, '--url', other.url, '--key-file', join(directory, 'other'))
  await other.stop()
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('begun with another url') })
  expect(await readCopy(copy)).toEqual(before)
})

test.each<[string, RequestListener, RegExp]>([
  ['a path that does not exist', (_, response) => response.writeHead(404).end('<html>'), /has the status 404/],
  ['another service', (_, response) => response.end('{"data":[]}'), /not the address of partner-metrics/],
  [
    'another environment',
    (_, response) => response.writeHead(401).end('{"error":{"code":"INVALID_API_KEY","message":"The key is wrong."}}'),
    /^error: the service refused: The key is wrong\.$/m,
  ],
])('a first run with the address of %s ends at once, and leaves nothing', async (_, server, message) => {
  const copy = await emptyCopy()
  const { code, stderr } = await pull(copy, '--url', await listen(server))
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(await world.rows('SELECT FROM pg_tables WHERE schemaname = $1', [schemaOf(copy)])).toEqual([])
})
