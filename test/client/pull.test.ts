import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../../client/index'
import { connect } from '../../client/index'
import { Copy } from '../../client/pull/copy'
import { FolderStore } from '../../client/pull/folder-store'
import type { State } from '../../client/pull/store'
import { Command } from '../support/command'
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

/** Returns the files of a folder, without those of its state. */
const readFolder = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && entry.name !== 'state.json')
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map(file => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]),
  )

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

test('a copy in a folder follows what changes, and is what a new one would be', async () => {
  const copy = join(directory, 'copy')
  expect(await pullJson(copy)).toMatchObject({
    first: true,
    rows: { assets: 2, sensors: 2, impressions: 6, origins: 2, demographics: 48 },
  })
  expect(await pullJson(copy, '--verify')).toMatchObject({ first: false, changes: 0, differences: [] })
  await change('2026-02-02')
  const followed = await pull(copy, '--verify')
  expect(followed).toMatchObject({ code: 0, stderr: '' })
  expect(followed.stdout).toMatch(/^impressions of 1 asset, 20\d\d-\d\d-\d\d to 2026-0/m)
  expect(followed.stdout).toContain('verified: every asset has the impressions of the service')

  const fresh = join(directory, 'fresh')
  await pull(fresh)
  expect(readFolder(copy)).toEqual(readFolder(fresh))
  expect(Object.keys(readFolder(copy))).toEqual([
    'assets.csv',
    ...['demographics/2026-02.csv'],
    ...['impressions/2026-01.csv', 'impressions/2026-02.csv', 'impressions/2026-03.csv', 'notes.csv'],
    ...['origins/2026-03.csv', 'origins/2026-04.csv', 'sensors.csv'],
  ])
})

test('a copy of a version without notes gets them, and what has changed since', async () => {
  const copy = join(directory, 'earlier')
  await pull(copy)
  const { kinds: _, columns, ...state } = JSON.parse(readFileSync(join(copy, 'state.json'), 'utf8'))
  const { pagination } = await world.read('/v1/partner/changes?limit=500', key)
  const earlier = { ...state, columns: columns.split(',').slice(0, 5).join(), cursor: pagination.cursor }
  writeFileSync(join(copy, 'state.json'), JSON.stringify(earlier))
  rmSync(join(copy, 'notes.csv'))
  await change('2026-02-04')
  for (const isFirst of [true, false]) {
    const { changes } = await pullJson(copy)
    expect([isFirst, changes > 0]).toEqual([isFirst, isFirst])
    await pull(`${copy}2`)
    expect(readFolder(copy)).toEqual(readFolder(`${copy}2`))
  }
  expect(readFolder(copy)['notes.csv']).toContain('be careful')
})

test('a copy that is interrupted at any step is completed by further runs', async () => {
  const expected = join(directory, 'expected')
  await pull(expected, '--grain', 'hour', '--from', '2026-02-01')
  const copy = join(directory, 'interrupted')
  const metrics = connect({ url: world.url, key })
  const options = { grain: 'hour', from: '2026-02-01', withAudience: true, origin: {} } as const
  const update = (steps: number) => {
    const interrupt = () => {
      if (steps-- === 0) throw new Error('interrupted')
    }
    class InterruptedStore extends FolderStore {
      override replace(...[table, removed, rows]: Parameters<FolderStore['replace']>) {
        interrupt()
        return super.replace(table, removed, interruptedRows(rows))
      }
      override async commit(state: State) {
        interrupt()
        await super.commit(state)
      }
    }
    async function* interruptedRows(rows: AsyncIterable<Row>) {
      for await (const row of rows) {
        interrupt()
        yield row
      }
    }
    return new Copy(metrics, new InterruptedStore(copy, true), options, () => {}).update()
  }
  let interruptions = 0
  for (let steps = 1; ; steps += 11) {
    const isInterrupted = await update(steps).then(
      () => false,
      () => true,
    )
    if (!isInterrupted) break
    interruptions++
  }
  expect(interruptions).toBeGreaterThan(3)
  expect(readFolder(copy)).toEqual(readFolder(expected))
})

test('a copy in PostgreSQL has the rows of the one in a folder, and a new one replaces it after a restore', async () => {
  const { owner, database } = world
  await owner.query('CREATE SCHEMA copy')
  const url = new URL(database.ownerUrl)
  url.searchParams.set('options', '-c search_path=copy')
  const { rows } = await pullJson(url.href)
  const count = async (table: string) => Number((await owner.query(`SELECT count(*) FROM copy.${table}`)).rows[0].count)
  expect(await count('impressions')).toBe(rows.impressions)
  expect([await count('notes'), rows.notes > 0]).toEqual([rows.notes, true])
  expect((await owner.query('SELECT DISTINCT start FROM copy.impressions ORDER BY start')).rows[0].start).toEqual(
    '2026-01-30T23:00:00Z',
  )
  await change('2026-02-03')
  expect(await pullJson(url.href, '--verify')).toMatchObject({ first: false, resynced: false, differences: [] })
  const copiedIds = async () => (await owner.query('SELECT DISTINCT external_ids FROM copy.assets')).rows
  await owner.query(`UPDATE assets SET external_ids = '{"hivestack": "A,1"}'`)
  await pullJson(url.href)
  expect(await copiedIds()).toEqual([{ external_ids: '{"hivestack":"A,1"}' }])
  // As if an earlier version had begun the copy, whose assets had fewer columns: they are read again, though nothing has changed.
  await owner.query(`ALTER TABLE copy.assets DROP venue_taxonomy, DROP external_ids;
    UPDATE copy.state SET value = replace(value, ' venue_taxonomy external_ids', '') WHERE name = 'columns'`)
  expect(await pullJson(url.href)).toMatchObject({ first: false, resynced: false })
  expect(await copiedIds()).toEqual([{ external_ids: '{"hivestack":"A,1"}' }])
  // As if the database had been replaced by one that lacks the position.
  await owner.query('DELETE FROM feed_transactions')
  await owner.query('UPDATE assets SET city = $1', ['Bonn'])
  expect(await pullJson(url.href, '--verify')).toMatchObject({ first: true, resynced: true, differences: [] })
  expect((await owner.query('SELECT DISTINCT city FROM copy.assets')).rows).toEqual([{ city: 'Bonn' }])
})

test.each([
  [['--grain', 'hour'], 2, /begun with another grain \(day\)/],
  [['--grain', 'week'], 2, /Allowed choices are minute, quarter_hour, hour, day/],
  [['--url', 'metrics'], 2, /--url must be like/],
  [['--to', 'postgres://nobody@127.0.0.1:1/copy'], 1, /cannot connect to the database of --to: connect ECONNREFUSED/],
  [['--to', 'postgres:copy'], 2, /--to must be a URL of the form postgres:/],
  [['--key-file', '/nowhere'], 2, /--key-file \/nowhere cannot be read/],
  [['--to', 'duckdb:x'], 1, /a copy in DuckDB needs the package @duckdb\/node-api: npm install @duckdb\/node-api/],
])('%j is an error', async (args, code, message) => {
  const result = await pull(join(directory, 'copy'), ...args)
  expect(result.code).toBe(code)
  expect(result.stderr).toMatch(message)
})

test('tables and files of somebody else are not touched', async () => {
  expect((await pull(world.database.ownerUrl)).stderr).toMatch(/has a table assets that is not of a copy/)
  expect((await pull(directory)).stderr).toMatch(/has files that are not of a copy/)
})

/** Starts a server of nobody. @returns its address */
async function listen(respond: RequestListener): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a copy goes on after the host was renamed, but not with another service', async () => {
  const copy = join(directory, 'renamed')
  await pull(copy)
  const renamed = world.url.replace('127.0.0.1', 'localhost')
  expect(await pullJson(copy, '--url', renamed, '--verify')).toMatchObject({ first: false, differences: [] })
  expect(JSON.parse(readFileSync(join(copy, 'state.json'), 'utf8')).url).toBe(renamed)

  const other = await World.open()
  writeFileSync(join(directory, 'other'), await other.make.key([]))
  const before = readFolder(copy)
  const refused = await pull(copy, '--url', other.url, '--key-file', join(directory, 'other'))
  await other.stop()
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('begun with another url') })
  expect(readFolder(copy)).toEqual(before)
})

test.each<[string, RequestListener | string, RegExp]>([
  ['a host that does not exist', 'http://nowhere.invalid', /^error: http:\/\/nowhere\.invalid: getaddrinfo/],
  ['a server that hangs up', request => request.socket.destroy(), /^error: http\S+: other side closed/],
  ['a path that does not exist', (_, response) => response.writeHead(404).end('<html>'), /has the status 404/],
  ['a page', (_, response) => response.end('<html>'), /something else than JSON/],
  ['another service', (_, response) => response.end('{"data":[]}'), /not the address of partner-metrics/],
  [
    'another environment',
    (_, response) => response.writeHead(401).end('{"error":{"code":"INVALID_API_KEY","message":"The key is wrong."}}'),
    /^error: the service refused: The key is wrong\.$/m,
  ],
])('a first run with the address of %s ends at once, and leaves nothing', async (_, server, message) => {
  const url = typeof server === 'string' ? server : await listen(server)
  await world.owner.query('CREATE SCHEMA IF NOT EXISTS untouched')
  const database = new URL(world.database.ownerUrl)
  database.searchParams.set('options', '-c search_path=untouched')
  for (const to of [join(directory, 'nothing'), database.href]) {
    const { code, stderr } = await pull(to, '--url', url)
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  }
  expect(existsSync(join(directory, 'nothing'))).toBe(false)
  expect(await world.rows("SELECT FROM pg_tables WHERE schemaname = 'untouched'")).toEqual([])
})

const ASSETS = 100

/** The cursors of three runs of a copy: the feed lists everything in the first and in the last one. */
const NEXT: Record<string, string> = { '': 'first', first: 'second', second: 'third' }

/** Serves a month of quarter hours of many assets, or a stream that stalls at one of them. */
const serveMonth = (stalls = ASSETS): RequestListener => {
  const ids = Array.from({ length: ASSETS }, (_, i) => `asset${String(i).padStart(5, '0')}`)
  const range = { from_date: '2026-01-01', to_date: '2026-01-31', changed_at: '2026-02-01T00:00:00Z' }
  const changes = ids.map(asset_id => ({ asset_id, kind: 'impressions', ...range }))
  return async ({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    if (pathname === '/v1/partner/meta') return response.end('{"version":"1","companies":[]}')
    if (pathname === '/v1/partner/changes') {
      const cursor = searchParams.get('cursor') ?? ''
      const pagination = { cursor: NEXT[cursor], has_more: false, limit: 200 }
      return response.end(JSON.stringify({ data: cursor === 'first' ? [] : changes, pagination }))
    }
    if (pathname !== '/v1/partner/impressions') return response.end()
    for (const id of ids.slice(0, stalls)) {
      const rows = Array.from({ length: 31 * 96 }, (_, i) => {
        const start = new Date(Date.UTC(2026, 0, 1, 0, 15 * i)).toISOString().replace('.000Z', '+00:00')
        return `${JSON.stringify({ asset_id: id, start, impressions: i, coverage: 1 })}\n`
      })
      if (!response.write(rows.join(''))) await once(response, 'drain')
    }
    if (stalls === ASSETS) response.end()
  }
}

const start = (to: string, url: string, options = '') => {
  const args = ['--url', url, '--key-file', join(directory, 'key'), '--to', to]
  const env = { NODE_OPTIONS: options }
  return new Command(['pull', ...args, '--grain', 'quarter_hour', '--no-audience'], env)
}

test('a copy takes memory for none of its rows, neither at first nor when all of them have changed', async () => {
  const [copy, url] = [join(directory, 'bounded'), await listen(serveMonth())]
  const rows = ASSETS * 31 * 96
  for (const message of ['2026-01 is copied\n', '']) {
    const { code, stdout, stderr } = await start(copy, url, '--max-old-space-size=50').ended
    expect([code, stderr]).toEqual([0, message])
    expect(stdout).toContain(` ${rows.toLocaleString('en')} impressions`)
  }
  const files = readFolder(copy)
  expect(Object.keys(files)).toHaveLength(31)
  expect(files['impressions/2026-01-31.csv']?.split('\r\n')).toHaveLength(ASSETS * 96 + 2)
})

test('SIGINT ends a run, which the next one continues', async () => {
  const copy = join(directory, 'interrupted by a signal')
  const url = await listen(serveMonth(50))
  const command = start(copy, url)
  while (!existsSync(join(copy, 'impressions', '2026-01-31.csv.new'))) await sleep(10)
  const { code, stdout, stderr } = await command.end('SIGINT')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toBe('error: interrupted by SIGINT: the next run continues the copy\n')
  expect(readFolder(copy)).toEqual({})
  expect(JSON.parse(readFileSync(join(copy, 'state.json'), 'utf8'))).toMatchObject({ step: 'records', url })
})
