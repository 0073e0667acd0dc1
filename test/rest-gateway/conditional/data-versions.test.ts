import { gzipSync } from 'node:zlib'
import { keyHash } from '../../../db/api-keys/key-format'
import type { Dates } from '../../../db/calendar/local-days'
import type { ScopedReader, Statement } from '../../../db/postgres/scoped-reader'
import { type DataVersion, NO_PRECONDITION, type Precondition } from '../../../db/queries/data-versions'
import { readDemographics } from '../../../db/queries/demographics'
import { readMeasurement } from '../../../db/queries/impressions'
import { readOrigins } from '../../../db/queries/origins'
import type { MadeAsset, MadeSensor } from '../../support/factories'
import { readAs, Service, type TestResponse } from '../../support/service'

let service: Service
let key: string
let asset: MadeAsset
let sensor: MadeSensor

beforeAll(async () => {
  // What the tests make within a second is told a second apart: let all of it be past.
  service = await Service.start({ now: () => Date.now() + 60_000 })
})
afterAll(() => service.stop())

beforeEach(async () => {
  const company = await service.make.company()
  key = await service.make.key([company])
  asset = await service.make.asset({ company })
  sensor = await service.make.sensor({ asset })
  for (const date of ['2026-01-01', '2026-01-02', '2026-02-01']) await service.make.counts(sensor, date, () => 1)
  await service.make.origin(asset, '2026-01-01', ['DE', 'DE-BE', 'Berlin'], 100)
  await service.make.demographics(asset, '2026-01-01', { '25-34 male': 70 })
})

const range = (from: string, to: string) => `from_date=${from}&to_date=${to}`

const JANUARY = range('2026-01-01', '2026-01-31')

const WAYS = [
  'impressions/summary?',
  'impressions/daily?',
  'impressions/hourly?',
  'impressions/timeseries?grain=quarter_hour&',
  'impressions/by-region?',
  'impressions/by-city?',
  'demographics?',
]

const ask = (way: string, dates = JANUARY, headers: Record<string, string> = {}, as = key): Promise<TestResponse> =>
  service.get(`/v1/partner/assets/${asset.id}/${way}${dates}`, { key: as, headers })

const holding = ({ headers }: TestResponse) => ({ 'If-None-Match': headers.etag as string })

describe.each(WAYS)('%s', way => {
  test('is told as unchanged until something changes what it tells', async () => {
    const first = await ask(way)
    expect(first.headers.etag).toMatch(/^W\/"[0-9a-z]+\.[\w-]{22}"$/)
    const again = await ask(way, JANUARY, holding(first))
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag])
    await service.make.counts(sensor, '2026-01-03', () => 2)
    await service.make.origin(asset, '2026-01-03', ['DE', 'DE-BE', 'Berlin'], 5)
    await service.make.demographics(asset, '2026-01-03', { '25-34 male': 7 })
    const changed = await ask(way, JANUARY, holding(first))
    expect(changed.status).toBe(200)
    expect(changed.text).not.toBe(first.text)
    expect((await ask(way, JANUARY, holding(changed))).status).toBe(304)
  })

  test('tells when the asset’s data changed last, and takes that for an answer', async () => {
    const { headers } = await ask(way)
    const modified = headers['last-modified'] as string
    expect(Math.abs(Date.parse(modified) - Date.now())).toBeLessThan(60_000)
    expect((await ask(way, JANUARY, { 'If-Modified-Since': modified })).status).toBe(304)
    for (const other of [new Date(0), new Date(Date.parse(modified) + 5_000)].map(date => date.toUTCString())) {
      expect((await ask(way, JANUARY, { 'If-Modified-Since': other })).status).toBe(200)
    }
    expect((await ask(way, JANUARY, { 'If-Modified-Since': modified, 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('has a tag that is good for no other answer and the same for every key', async () => {
    const first = await ask(way)
    for (const other of WAYS) {
      if (other !== way) expect((await ask(other, JANUARY, holding(first))).status).toBe(200)
    }
    expect((await ask(way, range('2026-01-01', '2026-01-30'), holding(first))).status).toBe(200)
    const another = await service.make.key([{ id: '', number: asset.company }])
    expect((await ask(way, JANUARY, holding(first), another)).status).toBe(304)
    const stranger = await service.make.key([await service.make.company()])
    expect((await ask(way, JANUARY, holding(first), stranger)).status).toBe(404)
  })
})

describe('a range of impressions', () => {
  const DAILY = 'impressions/daily?'

  test('is unchanged when another month has changed, though the asset has', async () => {
    const first = await ask(DAILY)
    await service.make.counts(sensor, '2026-02-02', () => 3)
    const again = await ask(DAILY, JANUARY, holding(first))
    expect(again.status).toBe(304)
    expect(Date.parse(again.headers['last-modified'] as string)).toBeGreaterThanOrEqual(
      Date.parse(first.headers['last-modified'] as string),
    )
  })

  test('may begin before all data, end after it and go over months without', async () => {
    for (const date of ['2025-10-01', '2026-06-01']) await service.make.counts(sensor, date, () => 1)
    const A_YEAR = range('2025-08-01', '2026-07-31')
    const first = await ask(DAILY, A_YEAR)
    expect((await ask(DAILY, A_YEAR, holding(first))).status).toBe(304)
    await service.make.counts(sensor, '2026-04-01', () => 2)
    expect((await ask(DAILY, A_YEAR, holding(first))).status).toBe(200)
  })

  test('changes with what is installed on the asset, and not with its sensors’ health', async () => {
    const first = await ask(DAILY)
    const change = (what: string) =>
      service.owner.query(`UPDATE sensors SET ${what} WHERE number = $1`, [sensor.number])
    await change(`health_status = 'offline', health_checked_at = now()`)
    expect((await ask(DAILY, JANUARY, holding(first))).status).toBe(304)
    await change(`removed_at = '2026-01-20'`)
    const second = await ask(DAILY, JANUARY, holding(first))
    expect(second.status).toBe(200)
    await service.make.sensor({ asset })
    const third = await ask(DAILY, JANUARY, holding(second))
    expect([third.status, third.text === second.text]).toEqual([200, false])
    await service.owner.query('UPDATE assets SET name = name || $1', ['!'])
    expect((await ask(DAILY, JANUARY, holding(third))).status).toBe(304)
  })

  test('changes when a count is taken back', async () => {
    const first = await ask(DAILY)
    await service.owner.query('DELETE FROM sensor_days WHERE asset = $1 AND date = $2', [asset.number, '2026-01-02'])
    expect((await ask(DAILY, JANUARY, holding(first))).status).toBe(200)
  })

  test('has no two versions in one second, so that a date tells them apart', async () => {
    const seen = new Set<number>()
    for (let day = 10; day < 14; day++) {
      await service.make.counts(sensor, `2026-01-${day}`, () => day)
      const { rows } = await service.owner.query(
        'SELECT data_version / 1000000 AS second FROM assets WHERE number = $1',
        [asset.number],
      )
      seen.add(rows[0].second)
    }
    expect(seen.size).toBe(4)
    const { headers } = await ask(DAILY)
    expect(Date.parse(headers['last-modified'] as string)).toBeLessThanOrEqual(Date.now() + 60_000)
  })

  test('is not unchanged for a key that is good no longer', async () => {
    const first = await ask(DAILY)
    await service.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE hash = $1', [keyHash(key)])
    expect((await ask(DAILY, JANUARY, holding(first))).status).toBe(401)
  })

  test('answers any tag that is none of ours with all of it', async () => {
    const { headers, text } = await ask(DAILY)
    const [version, name] = (headers.etag as string).slice(3, -1).split('.')
    for (const tag of [
      '',
      '"',
      `W/"${version}"`,
      `".${name}"`,
      `"zzzzzzzzzzzzzzzzzzzz.${name}"`,
      `"-1.${name}"`,
      gzipSync('x').toString('hex'),
    ]) {
      const answer = await ask(DAILY, JANUARY, { 'If-None-Match': tag })
      expect([answer.status, answer.text]).toEqual([200, text])
    }
    expect((await ask(DAILY, JANUARY, { 'If-None-Match': `"x", "${version}.${name}"` })).status).toBe(304)
    expect((await ask(DAILY, JANUARY, { 'If-None-Match': '*' })).status).toBe(304)
  })
})

describe('what the caller holds already', () => {
  interface Plan {
    'Relation Name'?: string
    'Actual Loops': number
    Plans?: Plan[]
  }

  const scans = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(scans)]

  /** How often the plan of what `read` asks for looks into a table. */
  async function looks(table: string, read: (reader: ScopedReader) => Promise<unknown>): Promise<number> {
    const explained = await readAs(service.gateway, keyHash(key), async reader => {
      let plan: Promise<unknown[]> | undefined
      const explain = ({ name, text }: Statement, values?: unknown[]) => {
        plan = reader.read({ name: `explain-${name}`, text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}` }, values)
        return Promise.resolve([])
      }
      await read({ read: explain } as unknown as ScopedReader)
      return plan
    })
    const [row] = explained as unknown[]
    return scans((row as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan)
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
    origins: (dates, reader, id, precondition) => readOrigins(reader, 'region', id, dates, precondition),
    demographic_days: (dates, reader, id, precondition) => readDemographics(reader, id, dates, precondition),
  }

  describe.each(Object.entries(READS))('is found out without a look into %s', (table, read) => {
    test.each([
      ['a month', ['2026-01-01', '2026-01-31']],
      ['months of which some have no data', ['2025-11-01', '2026-06-30']],
    ] as const)('over %s', async (_, dates) => {
      await service.make.counts(sensor, '2026-06-01', () => 1)
      const found = await readAs(service.gateway, keyHash(key), reader =>
        read(dates, reader, asset.id, NO_PRECONDITION),
      )
      const { version } = (found as { dataVersion: DataVersion }).dataVersion
      const looksOf = (precondition: Precondition) =>
        looks(table, reader => read(dates, reader, asset.id, precondition))
      expect(await looksOf({ version: version - 1, changedSecond: null })).toBeGreaterThan(0)
      expect(await looksOf({ version, changedSecond: null })).toBe(0)
    })
  })
})
