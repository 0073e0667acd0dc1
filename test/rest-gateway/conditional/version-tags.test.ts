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
import { collectNodes, type PlanNode } from '../../support/plans'
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

const statusOf = async (...request: Parameters<typeof get>) => (await get(...request)).status

test.each(ROUTES)(
  '%s returns 304 for its entity tag or its date until its data change, to every key with access',
  async route => {
    const first = await get(route)
    const cached = ifChanged(first)
    expect(first.headers.etag).toMatch(/^W\/"[0-9a-z]+\.[\w-]{22}"$/)
    const second = await get(route, JANUARY, cached)
    expect([second.status, second.text, second.headers.etag]).toEqual([304, '', first.headers.etag])

    const modified = first.headers['last-modified'] as string
    const since = (ms: number) => ({ 'If-Modified-Since': new Date(Date.parse(modified) + ms).toUTCString() })
    for (const [ms, status] of [
      [0, 304],
      [1_000, 304],
      [-1_000, 200],
      [3_600_000, 200],
    ] as const) {
      expect([ms, await statusOf(route, JANUARY, since(ms))]).toEqual([ms, status])
    }
    expect(await statusOf(route, JANUARY, { ...since(0), 'If-None-Match': '"other"' })).toBe(200)

    for (const other of ROUTES) if (other !== route) expect(await statusOf(other, JANUARY, cached)).toBe(200)
    expect(await statusOf(route, range('2026-01-01', '2026-01-30'), cached)).toBe(200)
    const another = await world.make.key([{ id: '', number: asset.company }])
    expect(await statusOf(route, JANUARY, cached, another)).toBe(304)
    const foreignKey = await world.make.key([await world.make.company()])
    expect(await statusOf(route, JANUARY, cached, foreignKey)).toBe(404)

    await world.make.together(async make => {
      await make.counts(sensor, '2026-01-03', () => 2)
      await make.origin(asset, '2026-01-03', ['DE', 'DE-BE', 'Berlin'], 5)
      await make.demographics(asset, '2026-01-03', { '25-34 male': 7 })
    })
    const changed = await get(route, JANUARY, cached)
    expect([changed.status, changed.text === first.text]).toEqual([200, false])
    expect(await statusOf(route, JANUARY, ifChanged(changed))).toBe(304)
  },
)

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

  test('changes when counts are deleted or a sensor is installed or removed, not with its health or the name of the asset', async () => {
    let last = await get(DAILY)
    const expectChange = async (isChange: boolean, statement: string) => {
      await world.owner.query(statement)
      const next = await get(DAILY, JANUARY, ifChanged(last))
      expect([statement, next.status]).toEqual([statement, isChange ? 200 : 304])
      if (isChange) last = next
    }
    const of = `WHERE sensor = ${sensor.number}`
    await expectChange(false, `UPDATE sensors SET health_status = 'offline', health_checked_at = now()`)
    await expectChange(true, `UPDATE installations SET removed_at = '2026-01-20' ${of}`)
    await expectChange(true, `DELETE FROM sensor_days ${of} AND date = '2026-01-02'`)
    await expectChange(false, `UPDATE assets SET name = name || '!'`)
    await world.make.sensor({ asset })
    expect(await statusOf(DAILY, JANUARY, ifChanged(last))).toBe(200)
  })

  test('never changes twice within one second, so that Last-Modified identifies a version', async () => {
    const dates = new Set<string | undefined>()
    for (let day = 10; day < 13; day++) {
      await world.make.counts(sensor, `2026-01-${day}`, () => day)
      const { headers } = await get(DAILY)
      for (const date of dates)
        expect(await statusOf(DAILY, JANUARY, { 'If-Modified-Since': date as string })).toBe(200)
      dates.add(headers['last-modified'])
    }
    expect(dates.size).toBe(3)
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
    return collectNodes((row as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN'][0].Plan)
      .filter(plan => plan['Relation Name'] === table)
      .reduce((sum, plan) => sum + (plan['Actual Loops'] ?? 0), 0)
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

  test.each(Object.entries(READS))('is recognised without scanning %s', async (table, read) => {
    await world.make.counts(sensor, '2026-06-01', () => 1)
    // Several months, some of them without data.
    const dates = ['2025-11-01', '2026-06-30'] as const
    const found = await readAs(world.gateway, keyHash(key), reader => read(dates, reader, asset.id, NO_PRECONDITION))
    const { version } = (found as { dataVersion: DataVersion }).dataVersion
    const scansWith = (precondition: Precondition) =>
      countScans(table, reader => read(dates, reader, asset.id, precondition))
    expect(await scansWith({ version: version - 1, unchangedSince: null })).toBeGreaterThan(0)
    expect(await scansWith({ version, unchangedSince: null })).toBe(0)
  })
})
