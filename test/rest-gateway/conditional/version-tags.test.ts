import { gzipSync } from 'node:zlib'
import { keyHash } from '../../../db/api-keys/key-format'
import type { Dates } from '../../../db/calendar/local-days'
import type { ScopedReader, Statement } from '../../../db/postgres/scoped-reader'
import { type DataVersion, NO_PRECONDITION, type Precondition } from '../../../db/queries/data-versions'
import { readDemographics } from '../../../db/queries/demographics'
import { readMeasurement } from '../../../db/queries/impressions'
import { readOrigins } from '../../../db/queries/origins'
import type { MadeAsset, MadeSensor } from '../../support/factories'
import type { TestResponse } from '../../support/http'
import { readAs, World } from '../../support/world'

let world: World
let key: string
let asset: MadeAsset
let sensor: MadeSensor

beforeAll(async () => {
  // Each change gets a second of its own, so that several within a second have timestamps in the future.
  world = await World.open({ now: () => Date.now() + 60_000 })
})
afterAll(() => world.stop())

beforeEach(() =>
  world.make.together(async make => {
    const company = await make.company()
    key = await make.key([company])
    asset = await make.asset({ company })
    sensor = await make.sensor({ asset })
    for (const date of ['2026-01-01', '2026-01-02', '2026-02-01']) await make.counts(sensor, date, () => 1)
    await make.origin(asset, '2026-01-01', ['DE', 'DE-BE', 'Berlin'], 100)
    await make.demographics(asset, '2026-01-01', { '25-34 male': 70 })
  }),
)

const range = (from: string, to: string) => `from_date=${from}&to_date=${to}`

const JANUARY = range('2026-01-01', '2026-01-31')

const ROUTES = [
  'impressions/summary?',
  'impressions/daily?',
  'impressions/hourly?',
  'impressions/timeseries?grain=quarter_hour&',
  'impressions/by-region?',
  'impressions/by-city?',
  'demographics?',
]

const get = (route: string, dates = JANUARY, headers: Record<string, string> = {}, as = key): Promise<TestResponse> =>
  world.get(`/v1/partner/assets/${asset.id}/${route}${dates}`, { key: as, headers })

const ifChanged = ({ headers }: TestResponse) => ({ 'If-None-Match': headers.etag as string })

describe.each(ROUTES)('%s', route => {
  test('returns 304 for its entity tag until its data changes', async () => {
    const first = await get(route)
    expect(first.headers.etag).toMatch(/^W\/"[0-9a-z]+\.[\w-]{22}"$/)
    const second = await get(route, JANUARY, ifChanged(first))
    expect([second.status, second.text, second.headers.etag]).toEqual([304, '', first.headers.etag])
    await world.make.together(async make => {
      await make.counts(sensor, '2026-01-03', () => 2)
      await make.origin(asset, '2026-01-03', ['DE', 'DE-BE', 'Berlin'], 5)
      await make.demographics(asset, '2026-01-03', { '25-34 male': 7 })
    })
    const changed = await get(route, JANUARY, ifChanged(first))
    expect(changed.status).toBe(200)
    expect(changed.text).not.toBe(first.text)
    expect((await get(route, JANUARY, ifChanged(changed))).status).toBe(304)
  })

  test('returns 304 if it has not changed since a date, and 200 for earlier and future dates', async () => {
    const { headers } = await get(route)
    const modified = headers['last-modified'] as string
    expect(Math.abs(Date.parse(modified) - Date.now())).toBeLessThan(60_000)
    expect((await get(route, JANUARY, { 'If-Modified-Since': modified })).status).toBe(304)
    const statusSince = async (ms: number) =>
      (await get(route, JANUARY, { 'If-Modified-Since': new Date(Date.parse(modified) + ms).toUTCString() })).status
    expect([await statusSince(1_000), await statusSince(-1_000), await statusSince(3_600_000)]).toEqual([304, 200, 200])
    expect((await get(route, JANUARY, { 'If-Modified-Since': modified, 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('has an entity tag of its own, which is valid for every key with access', async () => {
    const first = await get(route)
    for (const other of ROUTES) {
      if (other !== route) expect((await get(other, JANUARY, ifChanged(first))).status).toBe(200)
    }
    expect((await get(route, range('2026-01-01', '2026-01-30'), ifChanged(first))).status).toBe(200)
    const another = await world.make.key([{ id: '', number: asset.company }])
    expect((await get(route, JANUARY, ifChanged(first), another)).status).toBe(304)
    const foreignKey = await world.make.key([await world.make.company()])
    expect((await get(route, JANUARY, ifChanged(first), foreignKey)).status).toBe(404)
  })
})

describe('the entity tag of a range of impressions', () => {
  const DAILY = 'impressions/daily?'

  test('stays valid when counts of another month change', async () => {
    const first = await get(DAILY)
    await world.make.counts(sensor, '2026-02-02', () => 3)
    const second = await get(DAILY, JANUARY, ifChanged(first))
    expect(second.status).toBe(304)
    expect(Date.parse(second.headers['last-modified'] as string)).toBeGreaterThanOrEqual(
      Date.parse(first.headers['last-modified'] as string),
    )
  })

  test('covers months without data, before, within and after the measured period', async () => {
    for (const date of ['2025-10-01', '2026-06-01']) await world.make.counts(sensor, date, () => 1)
    const A_YEAR = range('2025-08-01', '2026-07-31')
    const first = await get(DAILY, A_YEAR)
    expect((await get(DAILY, A_YEAR, ifChanged(first))).status).toBe(304)
    await world.make.counts(sensor, '2026-04-01', () => 2)
    expect((await get(DAILY, A_YEAR, ifChanged(first))).status).toBe(200)
  })

  test('changes when a sensor is installed or removed, not with a sensor’s health or the asset’s name', async () => {
    const first = await get(DAILY)
    const update = (assignments: string) =>
      world.owner.query(`UPDATE sensors SET ${assignments} WHERE number = $1`, [sensor.number])
    await update(`health_status = 'offline', health_checked_at = now()`)
    expect((await get(DAILY, JANUARY, ifChanged(first))).status).toBe(304)
    await world.owner.query(`UPDATE installations SET removed_at = '2026-01-20' WHERE sensor = $1`, [sensor.number])
    const second = await get(DAILY, JANUARY, ifChanged(first))
    expect(second.status).toBe(200)
    await world.make.sensor({ asset })
    const third = await get(DAILY, JANUARY, ifChanged(second))
    expect([third.status, third.text === second.text]).toEqual([200, false])
    await world.owner.query('UPDATE assets SET name = name || $1', ['!'])
    expect((await get(DAILY, JANUARY, ifChanged(third))).status).toBe(304)
  })

  test('changes when counts are deleted', async () => {
    const first = await get(DAILY)
    await world.owner.query('DELETE FROM sensor_days WHERE asset = $1 AND date = $2', [asset.number, '2026-01-02'])
    expect((await get(DAILY, JANUARY, ifChanged(first))).status).toBe(200)
  })

  test('is not needed to notice two changes within a second: Last-Modified tells them apart', async () => {
    const dates = new Set<string | undefined>()
    for (let day = 10; day < 14; day++) {
      await world.make.counts(sensor, `2026-01-${day}`, () => day)
      const { headers } = await get(DAILY)
      for (const date of dates)
        expect((await get(DAILY, JANUARY, { 'If-Modified-Since': date as string })).status).toBe(200)
      dates.add(headers['last-modified'])
    }
    expect(dates.size).toBe(4)
  })

  test('never changes twice within one second, so that Last-Modified identifies a version', async () => {
    const seconds = new Set<number>()
    for (let day = 10; day < 14; day++) {
      await world.make.counts(sensor, `2026-01-${day}`, () => day)
      const { rows } = await world.owner.query(
        'SELECT data_version / 1000000 AS second FROM asset_versions WHERE asset = $1',
        [asset.number],
      )
      seconds.add(rows[0].second)
    }
    expect(seconds.size).toBe(4)
    const { headers } = await get(DAILY)
    expect(Date.parse(headers['last-modified'] as string)).toBeLessThanOrEqual(Date.now() + 60_000)
  })

  test('gets 401 with a deactivated key', async () => {
    const first = await get(DAILY)
    await world.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE hash = $1', [keyHash(key)])
    expect((await get(DAILY, JANUARY, ifChanged(first))).status).toBe(401)
  })

  test('is found among several tags, and any other tag gets the full response', async () => {
    const { headers, text } = await get(DAILY)
    const [version, resource] = (headers.etag as string).slice(3, -1).split('.')
    for (const tag of [
      '',
      '"',
      `W/"${version}"`,
      `".${resource}"`,
      `"zzzzzzzzzzzzzzzzzzzz.${resource}"`,
      `"-1.${resource}"`,
      gzipSync('x').toString('hex'),
    ]) {
      const response = await get(DAILY, JANUARY, { 'If-None-Match': tag })
      expect([response.status, response.text]).toEqual([200, text])
    }
    expect((await get(DAILY, JANUARY, { 'If-None-Match': `"x", "${version}.${resource}"` })).status).toBe(304)
    expect((await get(DAILY, JANUARY, { 'If-None-Match': '*' })).status).toBe(304)
  })
})

describe('a response that has not changed', () => {
  interface Plan {
    'Relation Name'?: string
    'Actual Loops': number
    Plans?: Plan[]
  }

  const collectNodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(collectNodes)]

  /** Counts how often the statements of `read` scan a table, by EXPLAIN ANALYZE. */
  async function countScans(table: string, read: (reader: ScopedReader) => Promise<unknown>): Promise<number> {
    const explained = await readAs(world.gateway, keyHash(key), async reader => {
      let plan: Promise<unknown[]> | undefined
      const explain = ({ name, text }: Statement, values?: unknown[]) => {
        plan = reader.read({ name: `explain-${name}`, text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}` }, values)
        return Promise.resolve([])
      }
      await read({ read: explain } as unknown as ScopedReader)
      return plan
    })
    const [row] = explained as unknown[]
    return collectNodes((row as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan)
      .filter(plan => plan['Relation Name'] === table)
      .reduce((sum, plan) => sum + plan['Actual Loops'], 0)
  }

  type Read = (
    dates: Dates,
    reader: ScopedReader,
    id: string,
    precondition: Precondition,
  ) => Promise<{ dataVersion: DataVersion } | undefined>

  const READS: Record<string, Read> = {
    sensor_days: (dates, reader, id, precondition) => readMeasurement(reader, id, dates, 'counts', precondition),
    origin_months: (dates, reader, id, precondition) => readOrigins(reader, 'region', id, dates, precondition),
    demographic_days: (dates, reader, id, precondition) => readDemographics(reader, id, dates, precondition),
  }

  describe.each(Object.entries(READS))('is recognised without scanning %s', (table, read) => {
    test.each([
      ['one month', ['2026-01-01', '2026-01-31']],
      ['several months, some of them without data', ['2025-11-01', '2026-06-30']],
    ] as const)('for %s', async (_, dates) => {
      await world.make.counts(sensor, '2026-06-01', () => 1)
      const found = await readAs(world.gateway, keyHash(key), reader => read(dates, reader, asset.id, NO_PRECONDITION))
      const { version } = (found as { dataVersion: DataVersion }).dataVersion
      const scansWith = (precondition: Precondition) =>
        countScans(table, reader => read(dates, reader, asset.id, precondition))
      expect(await scansWith({ version: version - 1, unchangedSince: null })).toBeGreaterThan(0)
      expect(await scansWith({ version, unchangedSince: null })).toBe(0)
    })
  })
})
