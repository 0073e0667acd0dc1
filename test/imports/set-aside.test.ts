/** Counts that are set aside are in no number, and come back as they were. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { exportAll } from '../../db/backup/export-all'
import { ExportFolder } from '../../db/backup/export-folder'
import { importAll } from '../../db/backup/import-all'
import { MISSING, unpack } from '../../db/calendar/packed-counts'
import type { Figures } from '../../db/figures'
import { verify } from '../../db/verify/verify'
import { type ImportOptions, importFile } from '../../imports/import-file'
import type { Kind } from '../../imports/kind-names'
import { createDatabase, settingsOf } from '../support/databases'
import type { Made, MadeAsset, MadeSensor } from '../support/factories'
import { scaledRuns } from '../support/fuzz'
import type { GapRow } from '../support/gaps-model'
import { intervalStarts } from '../support/impressions-model'
import { type Env, runJson } from '../support/in-process'
import { rounds } from '../support/rounds'
import { World } from '../support/world'

jest.setTimeout(rounds(180_000, 3_600_000))

let world: World
let env: Env
let company: Made
let key: string

beforeAll(async () => {
  world = await World.open()
  env = settingsOf(world.database)
  company = await world.make.company()
  key = await world.make.key([company], { scopes: ['internal:graphql:read'] })
})
afterAll(() => world.stop())
afterEach(async () => {
  await world.owner.query('DELETE FROM sensor_days; DELETE FROM set_asides')
})

const give = (kind: Kind, lines: readonly string[], options: ImportOptions = {}) =>
  importFile(world.owner, kind, Readable.from([lines.join('\n')]), options)

const count = (sensor: MadeSensor, rows: readonly string[], options: ImportOptions = {}) =>
  give('impressions', ['sensor,start,impressions', ...rows.map(row => `${sensor.serial},${row}`)], options)

const setAside = async (sensor: MadeSensor, from: string, to: string, ...args: string[]) =>
  (
    await world.runJson([
      'set-aside',
      'impressions',
      '--sensor',
      sensor.serial,
      '--from',
      from,
      '--to',
      to,
      '--reason',
      'bus',
      '--yes',
      ...args,
    ])
  ).document

const restore = async (id: number, ...args: string[]) =>
  (await world.runJson(['restore', String(id), '--yes', ...args])).document

async function verified(): Promise<void> {
  const differences: unknown[] = []
  await verify(world.owner, async difference => void differences.push(difference))
  expect(differences).toEqual([])
}

const RANGE = 'from_date=2025-03-28&to_date=2025-04-01'

const GRAINS = ['quarter_hour', 'hour', 'day', 'week', 'month']

/** Returns the responses of all routes of impressions about some assets, with the same text where only ids differ. */
async function readResponses(assets: readonly Made[], sensor?: MadeSensor): Promise<Record<string, string>> {
  const ids = assets.map(({ id }) => id)
  const routes = ['summary?', 'daily?', 'hourly?', 'profile?', ...GRAINS.map(grain => `timeseries?grain=${grain}&`)]
  const ofAsset = (id: string) => [
    `/v1/partner/assets/${id}`,
    ...routes.map(route => `/v1/partner/assets/${id}/impressions/${route}${RANGE}`),
    `/v1/metrics/assets/${id}?start=2025-03-28&end=2025-04-01`,
    `/v1/metrics/assets/${id}/per-minute?date=2025-03-30`,
  ]
  const ofAll = ['?grain=hour&', '/aggregate?', '/aggregate?group_by=format&'].map(
    route => `/v1/partner/impressions${route}asset_ids=${ids}&${RANGE}`,
  )
  const paths = [...ids.flatMap(ofAsset), ...ofAll, `/v1/partner/sensors?asset_id=${ids[0]}`]
  const texts = await Promise.all(paths.map(async path => (await world.get(path, { key })).text))
  const names = [...ids, ...(sensor ? [sensor.id, sensor.serial] : [])]
  const named = (text: string) =>
    names
      .reduce((all, name, i) => all.replaceAll(name, `name${i}`), text)
      .replace(/"(created|updated)_at":"[^"]+"/g, '')
  return Object.fromEntries(paths.map((path, i) => [named(path), named(texts[i]!)]))
}

const quarters = (first: string, values: readonly (number | '')[]) =>
  values.map((value, i) => `${new Date(Date.parse(first) + i * 900_000).toISOString()},${value}`)

describe('counts that are set aside', () => {
  let asset: MadeAsset
  let sensor: MadeSensor
  beforeEach(async () => {
    asset = await world.make.asset({ company })
    sensor = await world.make.sensor({ asset, grain: 'quarter_hour' })
    await count(
      sensor,
      quarters(
        '2025-03-30T00:00Z',
        Array.from({ length: 96 }, (_, i) => i),
      ),
    )
  })

  const total = async () => (await readSummary()).impressions
  const readSummary = async () =>
    (await world.read(`/v1/partner/assets/${asset.id}/impressions/summary?${RANGE}`, key)).data[0]

  test('are missing on every route, and are back to the byte when they are restored', async () => {
    const before = await readResponses([asset])
    const stretch = await setAside(sensor, '2025-03-30T10:00', '2025-03-30T11:00+02:00', '--public')
    const hour = { from: '2025-03-30T08:00:00Z', to: '2025-03-30T09:00:00Z', counts: 4, impressions: 32 + 33 + 34 + 35 }
    const changed = [{ id: asset.id, name: expect.any(String), from: '2025-03-30', to: '2025-03-30' }]
    const id = expect.any(Number)
    expect(stretch).toEqual({
      dry_run: false,
      id,
      sensor: sensor.serial,
      reason: 'bus',
      public: true,
      ...hour,
      changed,
    })
    const { data } = await world.read(`/v1/partner/assets/${asset.id}/impressions/hourly?${RANGE}`, key)
    const ten = data.find(({ start }: { start: string }) => start === '2025-03-30T10:00:00+02:00')
    expect(ten).toEqual({ start: ten.start, impressions: null, coverage: 0 })
    const listed = { id: stretch.id, sensor: sensor.serial, asset_id: asset.id, reason: 'bus', public: true, ...hour }
    const created_at = expect.any(String)
    expect((await world.runJson(['list', 'set-aside'])).document.rows).toEqual([{ ...listed, created_at }])
    expect((await world.runJson(['show', 'set-aside', String(stretch.id)])).document).toEqual({ ...listed, created_at })
    expect((await world.run(['list', 'set-aside'])).stdout).toMatch(/│ 2025-03-30 08:00 │ 2025-03-30 09:00 │ {6}4 │/)
    await verified()
    expect(await restore(stretch.id)).toEqual({ ...stretch, changed })
    expect(await readResponses([asset])).toEqual(before)
    expect((await world.run(['list', 'set-aside'])).stdout).toBe('nothing is set aside\n')
    expect((await world.runJson(['history', '--limit', '2'])).document.rows).toMatchObject([
      { command: 'restore', details: { id: stretch.id }, figures: { counts: 4, impressions: 134 } },
      { command: 'set-aside impressions', details: { sensor: sensor.serial, reason: 'bus', public: true } },
    ])
    await verified()
  })

  test('may be whole days, which leave nothing behind', async () => {
    const before = await readResponses([asset])
    const { id, counts } = await setAside(sensor, '2025-03-30', '2025-04-01')
    expect(counts).toBe(96)
    expect(await readSummary()).toMatchObject({ days_with_data: 0, coverage: 0 })
    expect(await world.read(`/v1/partner/assets/${asset.id}`, key)).toMatchObject({ measured_from: null })
    await restore(id)
    expect(await readResponses([asset])).toEqual(before)
  })

  test('get what is imported for their time, with figures that add up, and a dry run shows it', async () => {
    const { id } = await setAside(sensor, '2025-03-30T08:00Z', '2025-03-30T09:00Z')
    const kept = await total()
    const rows = quarters('2025-03-30T07:45Z', [31, 32, 7, '', 8, 9])
    const figures = { read: 6, rejected: 0, not_stored: 0, dropped: 0 }
    expect(await count(sensor, rows)).toEqual({ ...figures, stored: 1, unchanged: 3, set_aside: 2, erased: 0 })
    expect(await count(sensor, rows)).toEqual({ ...figures, stored: 0, unchanged: 6, set_aside: 0, erased: 0 })
    expect(await count(sensor, rows, { erase: true })).toMatchObject({ unchanged: 5, set_aside: 0, erased: 1 })
    expect(await total()).toBe(kept - 36 + 9)
    await verified()
    const file = `sensor,start,impressions\n${sensor.serial},2025-03-30T08:00Z,500\n`
    const args = ['import', 'impressions', '-', '--interval', 'quarter_hour']
    const dry = await world.runJson([...args, '--dry-run'], file)
    expect(dry.document).toMatchObject({ total: { set_aside: 1, stored: 0 }, changes: [] })
    expect((await world.run([...args, '--dry-run'], file)).stdout).toMatch(/set aside/)
    expect(await restore(id)).toMatchObject({ counts: 3, impressions: 32 + 7 + 8 })
    expect(await total()).toBe(kept - 36 + 9 + 32 + 7 + 8)
  })

  test('are merged in one file and added up as stored ones are', async () => {
    await setAside(sensor, '2025-03-30T08:00Z', '2025-03-30T09:00Z')
    const twice = await count(sensor, ['2025-03-30T08:00Z,1', '2025-03-30T08:00Z,2'])
    expect(twice).toMatchObject({ rejected: 1, not_stored: 1 })
    const parts = ['2025-03-30T08:00Z,30', '2025-03-30T08:05Z,1', '2025-03-30T08:10Z,1']
    expect(await count(sensor, parts, { sumToGrain: true })).toMatchObject({ unchanged: 3 })
    expect(await count(sensor, parts.slice(1), { sumToGrain: true })).toMatchObject({ rejected: 2 })
  })

  test('are not what an import warns of', async () => {
    const day = (date: string, value: number) => quarters(`${date}T00:00Z`, Array(96).fill(value))
    for (let i = 1; i <= 20; i++) await count(sensor, day(`2025-02-${String(i).padStart(2, '0')}`, 10))
    await setAside(sensor, '2025-02-21T00:00Z', '2025-02-22T00:00Z')
    const options = { refuseImplausible: true }
    expect(await count(sensor, day('2025-02-21', 9_000), options)).toMatchObject({ set_aside: 96 })
    await expect(count(sensor, day('2025-02-22', 9_000), options)).rejects.toThrow('is usual')
  })

  test('stay set aside while their sensor is moved, and are restored where it was then', async () => {
    const other = await world.make.asset({ company, time_zone: 'Asia/Kathmandu' })
    const before = await readResponses([asset])
    const { id } = await setAside(sensor, '2025-03-30T08:00Z', '2025-03-30T12:00Z')
    await give('sensors', ['serial,asset_id,installed_at', `${sensor.serial},${other.id},2025-03-30T10:00:00Z`])
    await restore(id)
    await verified()
    const moved = await world.read(`/v1/partner/assets/${other.id}/impressions/summary?${RANGE}`, key)
    expect(moved.total).toBe(Array.from({ length: 56 }, (_, i) => 40 + i).reduce((sum, each) => sum + each))
    await give('sensors', ['serial,asset_id,installed_at', `${sensor.serial},${asset.id},2025-03-30T10:00:00Z`])
    // The other asset has the sensor for an instant of its past no more.
    expect(await readResponses([asset])).toEqual(before)
  })

  test('are refused by name, with all others, where they have no place any more', async () => {
    const { id } = await setAside(sensor, '2025-03-30T08:00Z', '2025-03-30T09:00Z')
    const stored = () => world.owner.query('SELECT * FROM set_aside_counts')
    const { rows } = await stored()
    await count(sensor, quarters('2025-03-30T00:00Z', Array(96).fill('')), { erase: true })
    await count(sensor, quarters('2025-03-30T08:00Z', [32, 33, 34, 35]))
    await world.owner.query("UPDATE installations SET installed_at = '2025-03-30T08:30Z' WHERE sensor = $1", [
      sensor.number,
    ])
    expect(await restore(id)).toEqual({
      error: {
        code: 'RESTORE_REFUSED',
        message: `2 stored counts of sensor "${sensor.serial}" from 2025-03-30T10:00+02:00 to 2025-03-30T10:15+02:00 would be outside of every installation of the sensor: give an installed_at (and removed_at) that includes them, or delete them first (partner-metrics delete impressions); nothing was changed`,
      },
    })
    expect((await stored()).rows).toEqual(rows)
    await world.owner.query(
      "UPDATE installations SET installed_at = '2020-01-01', native_minutes = 60 WHERE sensor = $1",
      [sensor.number],
    )
    expect((await restore(id)).error.message).toContain('4 stored counts')
    expect((await restore(id)).error.message).toContain('would not have the grain of the sensor')
  })

  test('never replace counts that are stored in their place', async () => {
    const { id } = await setAside(sensor, '2025-03-30T08:00Z', '2025-03-30T09:00Z')
    // As no command does: the stretch is elsewhere while its counts are here.
    await world.owner.query("UPDATE set_asides SET from_time = '2025-05-01', to_time = '2025-05-02'")
    await count(sensor, quarters('2025-03-30T08:15Z', [33, 99, 98]))
    const { message } = (await restore(id)).error
    const other = '33 is stored at 2025-03-30T10:15+02:00, and 2 more'
    expect(message).toBe(
      `sensor "${sensor.serial}" has other counts there: ${other}; delete them first (partner-metrics delete impressions); nothing was changed`,
    )
    expect(await count(sensor, quarters('2025-03-30T08:15Z', [33, 99, 98]))).toMatchObject({ unchanged: 3 })
  })

  test.each([
    [
      ['2025-03-30T02:30', '2025-03-30T04:00'],
      'INVALID_TIME',
      '--from "2025-03-30T02:30" is a local time that the clock change skips: give another one',
    ],
    [
      ['2024-10-27T02:30', '2025-03-30T04:00'],
      'INVALID_TIME',
      '--from "2024-10-27T02:30" is two instants: give 2024-10-27T02:30+02:00 or 2024-10-27T02:30+01:00',
    ],
    [
      ['2025-03-30', '30.3.2025'],
      'INVALID_TIME',
      '--to "30.3.2025" is not a time: give a date, a local time at the asset such as 2026-10-25T08:00, or one with its offset',
    ],
    [
      ['2025-03-30', '2025-03-30T00:00+01:00'],
      'INVALID_TIME',
      '--to 2025-03-30T00:00+01:00 is not after --from 2025-03-30',
    ],
    [['2025-03-30', '2150-01-01'], 'INVALID_TIME', '--to "2150-01-01" is not between 1970 and 2100'],
  ])('cannot be from %j', async ([from, to], code, message) => {
    expect(await setAside(sensor, from!, to!)).toEqual({ error: { code, message } })
  })

  test('of one sensor do not overlap, and the other stretch is named', async () => {
    const { id } = await setAside(sensor, '2025-03-30T08:00Z', '2025-03-30T09:00Z')
    expect(await setAside(sensor, '2025-03-30T08:59Z', '2025-03-30T10:00Z')).toEqual({
      error: {
        code: 'SET_ASIDE_ALREADY',
        message: `sensor "${sensor.serial}" is set aside from 2025-03-30T08:00:00Z to 2025-03-30T09:00:00Z already, under the number ${id}: give times outside of it, or run partner-metrics restore ${id} first`,
      },
    })
    expect(await setAside(sensor, '2025-03-30T09:00Z', '2025-03-30T10:00Z')).toMatchObject({ counts: 4 })
    const text = ['--sensor', sensor.serial, '--from', '2025-03-30', '--to', '2025-03-31']
    expect((await world.run(['set-aside', 'impressions', ...text, '--reason', ' ', '--yes'])).code).toBe(2)
    expect((await world.run(['set-aside', 'impressions', ...text, '--reason', 'bus'])).stderr).toContain('--yes')
    expect((await restore(999_999)).error).toMatchObject({ code: 'UNKNOWN_SET_ASIDE' })
  })

  test('are only shown with --dry-run', async () => {
    const before = await readResponses([asset])
    const shown = await setAside(sensor, '2025-03-30T08:00Z', '2025-03-30T09:00Z', '--dry-run')
    expect(shown).toMatchObject({ dry_run: true, counts: 4, impressions: 134 })
    expect(await readResponses([asset])).toEqual(before)
    expect((await world.runJson(['list', 'set-aside'])).document).toEqual({ rows: [] })
  })

  test('say of a stretch that ends in the future that counts which arrive until then will be set aside, too', async () => {
    const year = new Date().getUTCFullYear()
    const showUntil = async (to: number) => {
      const stretch = [
        '--sensor',
        sensor.serial,
        '--from',
        `${year - 2}-03-30`,
        '--to',
        `${to}-03-30`,
        '--reason',
        'bus',
      ]
      return (await world.run(['set-aside', 'impressions', ...stretch, '--dry-run'])).stdout
    }
    const ahead = /^ {2}from .* to before .*: counts that arrive until then will be set aside, too$/m
    expect([await showUntil(year + 1), await showUntil(year - 1)]).toEqual([
      expect.stringMatching(ahead),
      expect.not.stringMatching(ahead),
    ])
  })

  test('of closed months are neither set aside nor restored without --restate, and the ledger has both', async () => {
    const time = ['2025-03-30T08:00Z', '2025-03-30T09:00Z'] as const
    const close = (date: string | null) =>
      world.owner.query('UPDATE companies SET final_through = $1 WHERE number = $2', [date, company.number])
    await close('2025-03-31')
    expect((await setAside(sensor, ...time)).error).toMatchObject({ code: 'MONTH_CLOSED' })
    expect((await setAside(sensor, ...time, '--dry-run')).error).toMatchObject({ code: 'MONTH_CLOSED' })
    const { id } = await setAside(sensor, ...time, '--restate', '--public')
    expect((await restore(id)).error).toMatchObject({ code: 'MONTH_CLOSED' })
    expect(await restore(id, '--restate', '--reason', 'not the bus')).toMatchObject({ counts: 4 })
    await close(null)
    const { rows } = await world.owner.query(
      `SELECT reason, note, note_is_public, total_before::integer, total_after::integer, observed_before, observed_after, final
       FROM restatements s JOIN revisions r ON r.number = s.revision WHERE asset = $1 ORDER BY s.revision`,
      [asset.number],
    )
    const [whole, rest] = [(87 * 88) / 2, (87 * 88) / 2 - 134]
    expect(rows).toEqual([
      {
        ...{ reason: 'set_aside', note: 'bus', note_is_public: true, final: true },
        ...{ total_before: whole, total_after: rest, observed_before: 88, observed_after: 84 },
      },
      {
        ...{ reason: 'restored', note: 'not the bus', note_is_public: false, final: true },
        ...{ total_before: rest, total_after: whole, observed_before: 84, observed_after: 88 },
      },
    ])
  })

  test('are deleted with the days of their sensor, with old days, and with their asset or sensor', async () => {
    const remove = async (...args: string[]) => (await world.runJson([...args, '--yes'])).document
    await setAside(sensor, '2025-03-29T08:00Z', '2025-03-31T09:00Z')
    await count(sensor, quarters('2025-03-29T20:00Z', Array(16).fill(5)))
    const days = ['--sensor', sensor.serial, '--from', '2025-03-29', '--to', '2025-03-29']
    const gone = await remove('delete', 'impressions', ...days)
    expect(gone.deleted).toMatchObject({ counts: 0, set_aside: 12 })
    expect(gone.changes).toMatchObject([
      { asset_id: asset.id, from_date: '2025-03-29', to_date: '2025-03-29', set_aside: 12 },
    ])
    expect((await world.runJson(['list', 'set-aside'])).document.rows).toMatchObject([{ counts: 100 }])
    expect((await world.run(['delete', 'sensors', sensor.serial, '--dry-run'])).stdout).toContain(
      '100 counts that are set aside',
    )
    expect((await remove('retain', '--months', '1')).deleted).toMatchObject({ set_aside: 100 })
    await count(sensor, ['2025-03-30T08:00Z,1'])
    expect((await remove('delete', 'assets', asset.id)).deleted).toMatchObject({ set_aside: 1, counts: 0 })
    expect((await world.runJson(['list', 'set-aside'])).document.rows).toMatchObject([{ counts: 0, asset_id: null }])
    await remove('delete', 'sensors', sensor.serial)
    expect((await world.runJson(['list', 'set-aside'])).document.rows).toEqual([])
  })

  test('travel with an export of everything', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-set-aside-'))
    const database = await createDatabase()
    const copy = await World.open({ database })
    const before = await total()
    const { id } = await setAside(sensor, '2025-03-30T08:00Z', '2025-03-30T09:00Z')
    await exportAll(world.owner, new ExportFolder(join(directory, 'all')), { version: '1' })
    await importAll(copy.owner, join(directory, 'all'))
    rmSync(directory, { recursive: true })
    const [kept, restored] = await Promise.all(
      [env, settingsOf(database)].map(async each => (await runJson(['list', 'set-aside'], each)).document),
    )
    expect(restored).toEqual(kept)
    expect((await runJson(['restore', String(id), '--yes'], settingsOf(database))).code).toBe(0)
    const path = `/v1/partner/assets/${asset.id}/impressions/summary?${RANGE}`
    expect((await copy.read(path, key)).total).toBe(before)
    await copy.stop()
  })

  test('that SQL stored in a stretch are found by verify', async () => {
    await world.owner.query(
      "INSERT INTO set_asides (sensor, from_time, to_time, reason, is_public) VALUES ($1, '2025-03-30T08:00Z', '2025-03-30T09:00Z', 'bus', false)",
      [sensor.number],
    )
    const { code, document } = await world.runJson(['verify'])
    expect([code, document.differences]).toEqual([
      1,
      [
        {
          table: 'sensor_days',
          row: `${sensor.serial} on ${asset.id} at 2025-03-30`,
          column: 'counts',
          stored: '4 in a stretch that is set aside',
          expected: 'none there',
          repaired: false,
        },
      ],
    ])
  })
})

describe('daily counts that are set aside', () => {
  let asset: MadeAsset
  let sensor: MadeSensor
  const dates = ['2025-03-28', '2025-03-29', '2025-03-30', '2025-03-31']
  const days = (values: readonly (number | '')[]) => values.map((value, i) => `${dates[i]},${value}`)
  const move = (zone: string) => give('assets', ['id,time_zone', `${asset.id},${zone}`])
  const stored = async () => {
    const { rows } = await world.owner.query('SELECT date::text, impressions FROM sensor_days ORDER BY date')
    return Object.fromEntries(rows.map(({ date, impressions }) => [date, impressions]))
  }
  beforeEach(async () => {
    asset = await world.make.asset({ company, time_zone: 'America/New_York', country: 'US' })
    sensor = await world.make.sensor({ asset, grain: 'day' })
    await count(sensor, days([1, 2, 3, 4]))
  })

  test('are those of the dates that begin in the stretch, and get what is imported for them', async () => {
    const { id } = await setAside(sensor, '2025-03-29', '2025-03-31')
    expect(await stored()).toEqual({ '2025-03-28': 1, '2025-03-31': 4 })
    expect(await count(sensor, days([1, 2, 30, 5]))).toMatchObject({ stored: 1, unchanged: 2, set_aside: 1 })
    await verified()
    await restore(id)
    expect(await stored()).toEqual({ '2025-03-28': 1, '2025-03-29': 2, '2025-03-30': 30, '2025-03-31': 5 })
    expect(await setAside(sensor, '2025-03-29T00:01', '2025-03-30T00:00')).toMatchObject({ counts: 0 })
  })

  test('keep their dates when the time zone is corrected, and take no others that then begin in the stretch', async () => {
    const { id } = await setAside(sensor, '2025-03-29', '2025-03-31')
    await move('Asia/Tokyo')
    expect(await stored()).toEqual({ '2025-03-28': 1, '2025-03-31': 4 })
    const { data } = await world.read(`/v1/partner/assets/${asset.id}/impressions/gaps?${RANGE}`, key)
    expect(data.map(({ from, reason, missing }: GapRow) => `${from} ${reason} ${missing}`)).toEqual([
      '2025-03-29T00:00:00+09:00 set_aside 2',
      '2025-04-01T00:00:00+09:00 not_delivered 1',
    ])
    await verified()
    expect(await count(sensor, days([1, 2, 3, 4]))).toMatchObject({ unchanged: 4 })
    await restore(id)
    expect(await stored()).toEqual({ '2025-03-28': 1, '2025-03-29': 2, '2025-03-30': 3, '2025-03-31': 4 })
    await verified()
  })

  test('are those of both assets where a move between time zones gave a date two', async () => {
    const there = await world.make.asset({ company, time_zone: 'Pacific/Honolulu', country: 'US' })
    await give('sensors', ['serial,asset_id,installed_at', `${sensor.serial},${there.id},2025-03-29T06:00Z`])
    await world.owner.query(
      `INSERT INTO sensor_days SELECT (jsonb_populate_record(d, jsonb_build_object('asset', $1::int))).* FROM sensor_days d
       WHERE date = '2025-03-29'`,
      [there.number],
    )
    const before = await stored()
    const { id, counts } = await setAside(sensor, '2025-03-28T00:00Z', '2025-03-31T00:00Z')
    expect(counts).toBe(4)
    await restore(id)
    expect(await stored()).toEqual(before)
    await verified()
  })
})

/** Quarter hours of four days with a clock change. */
const SLOTS = 4 * 96
const slot = fc.integer({ min: 0, max: SLOTS - 1 })
const part = { first: slot, length: fc.integer({ min: 1, max: 150 }) }
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe']
const action = fc.oneof(
  fc.record({ kind: fc.constant('count' as const), ...part, value: fc.constantFrom(0, 3, 70_000, '' as const) }),
  fc.record({ kind: fc.constant('set aside' as const), ...part }),
  fc.record({ kind: fc.constant('restore' as const), index: fc.nat(5) }),
  fc.record({ kind: fc.constant('move' as const), asset: fc.nat(1), at: slot }),
  fc.record({ kind: fc.constant('zone' as const), asset: fc.nat(1), zone: fc.nat(ZONES.length - 1) }),
)
const START = Date.parse('2025-03-28T22:00Z')
const at = (index: number) => new Date(START + index * 900_000).toISOString()

test('whatever is imported, moved and corrected meanwhile, all responses are those of a sensor without it in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 12 }), async actions => {
      const vendor = await world.make.vendor('quarter_hour')
      const make = () =>
        world.make.together(async make => {
          const serial = `s${Math.random()}`
          const id = serial.replace('.', 'x')
          const assets = [
            await make.asset({ company, name: 'A', id: `${id}a` }),
            await make.asset({ company, name: 'B', id: `${id}b` }),
          ]
          return { assets, sensor: await make.sensor({ asset: assets[0]!, grain: 'quarter_hour', vendor, serial }) }
        })
      const [subject, twin] = [await make(), await make()]
      const stretches: { id: number; first: number; end: number }[] = []
      const both = async (change: (each: typeof twin) => Promise<unknown>) => [
        await change(subject),
        await change(twin),
      ]
      for (const action of actions) {
        if (action.kind === 'count') {
          const { first, length, value } = action
          const values = Array.from({ length: Math.min(length, SLOTS - first) }, (_, i) =>
            value === '' ? '' : value + i,
          )
          const given = await both(({ sensor }) =>
            count(sensor, quarters(at(first), values), { erase: true, interval: 'quarter_hour' }),
          )
          const [{ stored, set_aside, ...figures }, { stored: all, set_aside: none, ...others }] = given as [
            Figures,
            Figures,
          ]
          expect([stored + set_aside, figures, none]).toEqual([all, others, 0])
        } else if (action.kind === 'set aside') {
          const { first, length } = action
          const { id, error } = await setAside(subject.sensor, at(first), at(first + length))
          const overlaps = stretches.some(other => other.first < first + length && first < other.end)
          expect(error?.code).toBe(overlaps ? 'SET_ASIDE_ALREADY' : undefined)
          if (!overlaps) stretches.push({ id, first, end: first + length })
        } else if (action.kind === 'restore') {
          const [stretch] = stretches.splice(action.index, 1)
          if (stretch) await restore(stretch.id)
        } else if (action.kind === 'move') {
          await both(({ sensor, assets }) =>
            give('sensors', [
              'serial,asset_id,installed_at',
              `${sensor.serial},${assets[action.asset]!.id},${at(action.at)}`,
            ]),
          )
        } else {
          await both(({ assets }) =>
            give('assets', ['id,time_zone', `${assets[action.asset]!.id},${ZONES[action.zone]}`]),
          )
        }
        // In each quarter hour, either both have the same count, or it is set aside.
        const [has, all] = await Promise.all([subject, twin].map(({ sensor }) => readCounts(sensor)))
        const isSetAside = (index: number) => stretches.some(({ first, end }) => index >= first && index < end)
        expect(has).toEqual(new Map([...all!].filter(([index]) => !isSetAside(index))))
      }
      await verified()
      for (const { id } of stretches) expect(await restore(id)).not.toHaveProperty('error')
      const [restored, expected] = await Promise.all(
        [subject, twin].map(({ assets, sensor }) => readResponses(assets, sensor)),
      )
      expect(Object.keys(expected!).filter(path => restored![path] !== expected![path])).toEqual([])
    }),
    scaledRuns(3),
  )
})

/** Returns the stored counts of a sensor by quarter hour. */
async function readCounts(sensor: MadeSensor): Promise<Map<number, number>> {
  const { rows } = await world.owner.query(
    `SELECT d.date::text, d.counts, a.time_zone AS zone FROM sensor_days d JOIN assets a ON a.number = d.asset
     WHERE sensor = $1 ORDER BY d.date`,
    [sensor.number],
  )
  const found = rows.flatMap(({ date, counts, zone }) => {
    const starts = intervalStarts(zone, date, 15)
    return [...unpack(counts, starts.length)].flatMap((each, i): [number, number][] =>
      each === MISSING ? [] : [[(starts[i]! - START) / 900_000, each]],
    )
  })
  return new Map(found)
}
