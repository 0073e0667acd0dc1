/** Commands change and record data: deletions, retention, the history, the status, calls of the legacy API, failures of the database. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, userInfo } from 'node:os'
import { Command } from '../support/command'
import { settingsOf } from '../support/databases'
import { Lock } from '../support/lock'
import { like } from '../support/text'
import { World } from '../support/world'
import { fillNetwork, readContent } from './operations/network'

jest.setTimeout(120_000)

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

const json = async (...args: string[]) => (await world.runJson(args)).document
const history = async (...args: string[]) => (await json('history', ...args)).rows
const issue = (...args: string[]) => json('keys', 'issue', ...args)

describe('a new database', () => {
  test('has a status and no history', async () => {
    const database = {
      ...{ location: like('127.0.0.1:…/test_…'), version: expect.any(String), migration: like('…_….ts') },
      ...{ size_bytes: expect.any(Number), companies: 0, assets: 0, sensors: 0, programs: null },
    }
    expect(await world.runJson(['status'])).toEqual({
      code: 1,
      document: {
        ...{ running: false, ready: false, services: [], database, imports: [] },
        last_commit: { at: expect.any(String), in_future: false },
        silent_sensors: { count: 0, rows: [] },
        outdated_zones: [],
      },
    })
    expect(await world.run(['status'])).toMatchObject({
      code: 1,
      stdout: like('the service is not running\ndatabase: …'),
    })
    expect(await world.run(['history'])).toEqual({ code: 0, stdout: 'no changes are recorded\n', stderr: '' })
  })

  test.each([
    ['another program at the address of a killed service', hostname(), '', 0, 1, []],
    ['a service elsewhere that reported a minute ago', 'other.invalid', 'http://0.0.0.0:1', 60, 0, ['unreachable']],
    ['a service elsewhere that has not reported for two', 'other.invalid', 'http://0.0.0.0:1', 120, 1, []],
  ])('status exits for %s', async (_, host, address, age, code, states) => {
    const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    const url = address || `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    await world.rows(
      `INSERT INTO service_processes (id, host, pid, url, version, seen_at) VALUES ('x', $1, 1, $2, '1', now() - $3 * interval '1 second')`,
      [host, url, age],
    )
    const ended = await world.runJson(['status'])
    other.close()
    await world.rows('DELETE FROM service_processes')
    expect(ended).toMatchObject({ code, document: { services: states.map(state => ({ state })) } })
  })

  test('the history has imports with account, file, options and figures, and failed ones', async () => {
    const options = ['--map', 'name=title', '--ignore', 'x', '--skip-faulty']
    await world.run(['import', 'companies', '-', ...options], 'title,x\nBirch,1\n"",2\n')
    await world.run(['import', 'companies', '-'], 'name\n""\nCedar\n')
    const details = { file: '-', map: [['name', 'title']], ignore: ['x'], skipFaulty: true }
    const figures = { read: 2, stored: 1, unchanged: 0, rejected: 1, not_stored: 0 }
    const recorded = { id: expect.any(Number), at: expect.any(String), account: userInfo().username }
    expect(await history()).toMatchObject([
      { ...recorded, command: 'failed import companies' },
      { ...recorded, command: 'import companies', details, figures },
    ])
    expect(await history('--limit', '1')).toHaveLength(1)
    const { stdout } = await world.run(['history'])
    expect(stdout).toContain('file -, map name title, ignore x, skip faulty')
    expect((await json('status')).imports).toMatchObject([{ command: 'import companies', details }])
  })
})

test('the history has the rotation of a key, and no key', async () => {
  const { id } = await issue('--no-company')
  await json('keys', 'rotate', id)
  expect(await history('--limit', '1')).toMatchObject([{ command: 'keys rotate', details: { replaces: id } }])
  expect(JSON.stringify(await history())).not.toContain('msk_')
})

describe('deletions', () => {
  const FEW = ['--from', '2026-01-02', '--to', '2026-01-03']
  beforeAll(async () => {
    await world.clear()
    await world.rows('DELETE FROM api_keys')
    await fillNetwork(world)
  })

  test('that are killed before their commit leave everything as it was', async () => {
    const before = await readContent(world)
    const lock = await Lock.take(world.database.ownerUrl, 'LOCK TABLE operations IN SHARE MODE')
    const deletion = new Command(['delete', 'companies', 'Alder Ltd', '--yes'], settingsOf(world.database))
    await lock.untilAwaited()
    await deletion.end('SIGKILL')
    await lock.release()
    // Waits until the connection of the killed process is gone.
    await world.rows(`SELECT FROM locks WHERE name = 'import' FOR UPDATE`)
    expect(await readContent(world)).toEqual(before)
  })

  test('of companies take everything they own, take them from keys, and leave other companies as they were', async () => {
    const companies = ['Birch Ltd'].map(name => ['--company', name])
    const one = await issue(...companies[0]!, '--label', 'one')
    const both = await issue('--company', 'Alder Ltd', 'Birch Ltd')
    const other = await issue('--company', 'Alder Ltd')
    const all = await issue('--all-companies', '--scope', 'internal:graphql:read')
    const before = await readContent(world)
    const preview = await json('delete', 'companies', 'companybirch', '--dry-run')
    const document = await json('delete', 'companies', 'companybirch', '--yes')
    const facts = { counts: 12, impressions: 406, origins: 2, demographics: 2, set_aside: 0 }
    const days = { asset: 'Birch 201', from_date: '2026-01-01', to_date: '2026-01-04', ...facts }
    expect(document).toEqual({
      ...{ dry_run: false, in_closed_months: false, changes: [{ asset_id: expect.any(String), ...days }] },
      deleted: { companies: 1, assets: 1, sensors: 1, installations: 2, ...facts },
      companies: [{ id: 'companybirch', name: 'Birch Ltd' }],
      keys: [
        { id: one.id, label: 'one', deactivated: true },
        { id: both.id, label: null, deactivated: false },
      ],
    })
    expect({ ...document, dry_run: true }).toEqual(preview)
    const keys = await world.rows(`SELECT id, deactivated_at IS NOT NULL AS gone, cardinality(companies) AS size
      FROM api_keys ORDER BY created_at`)
    expect(keys).toEqual([
      { id: one.id, gone: true, size: 0 },
      ...[both, other].map(({ id }) => ({ id, gone: false, size: 1 })),
      { id: all.id, gone: false, size: 0 },
    ])
    // Its sensor that was elsewhere before keeps its counts there.
    const left = await readContent(world)
    const sizes = Object.fromEntries(Object.entries(left).map(([table, rows]) => [table, rows.length]))
    expect(sizes).toEqual({ companies: 1, assets: 2, sensors: 4, counts: 10, origins: 2, demographics: 1 })
    for (const table of ['companies', 'assets', 'counts', 'origins', 'demographics'])
      expect(before[table]).toEqual(expect.arrayContaining(left[table]!))
    await json('delete', 'impressions', '--sensor', 'SN-1', ...FEW, '--yes')
    const details = { sensor: ['SN-1'], from: '2026-01-02', to: '2026-01-03' }
    expect(await history('--limit', '2')).toMatchObject([
      { command: 'delete impressions', details, figures: { counts: 4 } },
      { command: 'delete companies', details: { ids: ['companybirch'] }, figures: document.deleted },
    ])
  })

  test('of old data keep the first day of the month N months ago, also in closed months', async () => {
    await world.clear()
    const { make } = world
    const now = new Date()
    const [first, before] = [1, 0].map(day =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 5, day)).toISOString().slice(0, 10),
    ) as [string, string]
    await make.together(async make => {
      const asset = await make.asset()
      const sensor = await make.sensor({ asset, grain: 'day' })
      for (const date of [before, first]) {
        await make.counts(sensor, date, () => 9)
        await make.origin(asset, date, ['DE', 'DE-BE', 'Berlin'], 5)
        await make.demographics(asset, date, { '25-34 male': 7 })
      }
    })
    const retain = (months: number, option: string) => json('retain', '--months', `${months}`, option)
    expect((await retain(6, '--yes')).deleted).toMatchObject({ counts: 0, origins: 0, demographics: 0 })
    await world.run(['close', before.slice(0, 7), '--yes'])
    const preview = await retain(5, '--dry-run')
    expect(preview.in_closed_months).toBe(true)
    const document = await retain(5, '--yes')
    expect(document.deleted).toMatchObject({ counts: 1, impressions: 9, origins: 1, demographics: 1 })
    expect({ ...document, dry_run: true }).toEqual(preview)
    for (const table of ['sensor_days', 'origin_days', 'demographic_days'])
      expect([table, await world.rows(`SELECT date FROM ${table}`)]).toEqual([table, [{ date: first }]])
    const details = { months: 5, before: first }
    expect(await history('--limit', '1')).toMatchObject([{ command: 'retain', details, figures: document.deleted }])
  })
})

describe('legacy-traffic', () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  const traffic = (...args: string[]) => json('legacy-traffic', ...args)

  test('reports that it is safe only after 30 days of recorded silence', async () => {
    const verdict = async (days: number) => {
      await world.rows(`UPDATE service SET legacy_counted_from = now() - $1 * interval '1 day'`, [days])
      return (await traffic('--since', daysAgo(0))).verdict
    }
    const reason = like(
      '30 whole days in a row without a call are needed, and 0 were recorded (no call was recorded; …)',
    )
    expect(await verdict(0)).toEqual({ safe_to_retire: false, reason })
    expect(await verdict(29.9)).toMatchObject({ safe_to_retire: false })
    expect(await verdict(30.1)).toMatchObject({ safe_to_retire: true, reason: like('no call was recorded, …') })
    expect(await traffic()).toMatchObject({ since: daysAgo(30), rows: [] })
  })

  test('reports the trend, and the calls since a given day', async () => {
    const { id } = await issue('--no-company', '--label', 'till 7')
    for (const [days, calls] of [
      [2, 5],
      [9, 50],
      [40, 7],
    ] as const) {
      const columns = [daysAgo(days), id, calls, `${daysAgo(days)}T10:00:00Z`]
      await world.rows(`INSERT INTO legacy_calls VALUES ($1, $2, '/v1/metrics/assets', $3, $4)`, columns)
    }
    expect((await traffic()).rows).toMatchObject([{ calls: 55 }])
    expect((await traffic('--since', daysAgo(60))).rows).toMatchObject([{ calls: 62 }])
    const verdict = { safe_to_retire: false, reason: like(`…the last call was at ${daysAgo(2)}…`) }
    expect(await traffic('--since', daysAgo(1))).toMatchObject({ rows: [], verdict })
    expect((await world.run(['legacy-traffic'])).stdout).toMatch(/till 7\tassets\t55\t\S+\n/)
  })
})

test('a condition of the database that only its operator can change is named, by commands and imports', async () => {
  for (const [state, code, message] of [
    ['53100', 'DISK_FULL', 'the disk of the database is full'],
    ['53200', 'OUT_OF_MEMORY', 'the database is out of memory'],
    ['53300', 'TOO_MANY_CONNECTIONS', 'the database has no connection left…'],
    ['25006', 'DATABASE_READ_ONLY', 'the database is read-only…'],
  ] as const) {
    await world.rows(`
      CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'text of the server' USING ERRCODE = '${state}'; END $$;
      CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION refuse();
      CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON companies FOR EACH ROW EXECUTE FUNCTION refuse()`)
    expect(await issue('--no-company')).toEqual({ error: { code, message: like(message) } })
    const { code: exit, stderr } = await world.run(['import', 'companies', '-'], 'name\nAcme\n')
    expect([exit, stderr]).toEqual([1, like(`…${message}…`)])
    expect(stderr).not.toMatch(/text of the server|unexpected/)
  }
})
