/** Lists in CSV, CSV for spreadsheets, NDJSON and Parquet, read by independent parsers, have the rows of their JSON. */
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'
import type { Factory } from '../../support/factories'
import type { TestResponse } from '../../support/http'
import { World } from '../../support/world'

let world: World
let key: string

const RANGE = 'from_date=2026-03-28&to_date=2026-03-30'

beforeAll(async () => {
  world = await World.open()
  await world.make.together(prepare)
})
afterAll(() => world.stop())

async function prepare(make: Factory): Promise<void> {
  const company = await make.company()
  key = await make.key([company])
  for (const [i, [zone, grain]] of (
    [
      ['Europe/Berlin', 'minute'],
      ['Australia/Lord_Howe', 'quarter_hour'],
      ['America/New_York', 'hour'],
      ['Asia/Kathmandu', 'day'],
    ] as const
  ).entries()) {
    const asset = await make.asset({
      company,
      time_zone: zone,
      name: ['Plain', 'Two "quotes", and a comma', 'Two\r\nlines', "=1+1 ' ;\t"][i],
      description: i === 0 ? 'x' : null,
      venue_type_id: i === 1 ? 301 : null,
      external_ids: [{ hivestack: '1', constructor: '=2' }, { broadsign: 'a "b", c' }, {}, { hivestack: '' }][i],
      width_m: i + 0.25,
      longitude: -13.5,
      city: ['@SUM(A1)', '-', '-3.5', 'Berlin'][i],
    })
    const sensor = await make.sensor({
      asset,
      grain,
      health_status: 'healthy',
      health_checked_at: '2026-03-30T00:00:00Z',
    })
    await make.counts(sensor, '2026-03-29', at => (at % 3 === 0 ? at : 0))
    await make.origin(asset, '2026-03-29', ['DE', 'DE-BE', 'Berlin, "Mitte"'], 10 + i)
  }
}

type Row = Record<string, unknown>

/** Returns a row as flat formats have it. */
function flat(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      if (Array.isArray(value)) return [[name, value.join(' ')]]
      if (typeof value !== 'object' || value === null) return [[name, value]]
      return Object.entries(value).map(([inner, each]) => [`${name}_${inner}`, each])
    }),
  )
}

/** Returns the text of a value in CSV. csv-parse reads a null, which is empty, like an empty text, which is quoted. */
const cell = (value: unknown): string => (value === null ? '' : String(value))

/** Returns the text of a value in CSV for spreadsheets: numbers are as they are, also those in text. */
const guarded = (value: unknown): string =>
  typeof value === 'string' && /^[=@-](?!3\.5$)/.test(value) ? `'${value}` : cell(value)

const parseCsv = ({ text }: TestResponse): Row[] => parse(text, { columns: true, record_delimiter: '\r\n' })

const parseLines = ({ text }: TestResponse): Row[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

async function parseParquet({ bytes }: TestResponse): Promise<Row[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  const rows = await parquetReadObjects({ file })
  const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : (value ?? null))
  return rows.map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
}

/** Returns a row as Parquet has it: with instants. */
const withInstants = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{4}-\d\d-\d\d($|T)/.test(value) ? new Date(value) : value,
    ]),
  )

/** Returns a row with the UTC offset of its local time, which an instant lacks. */
const withOffset = (row: Row): Row => {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(row.start as string) as RegExpExecArray
  return { ...row, utc_offset_minutes: Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) }
}

async function expectFormats(
  path: string,
  expected: Row[],
  formats: readonly string[],
  inParquet = (row: Row) => row,
): Promise<void> {
  const get = (output: string) => world.get(`${path}${path.includes('?') ? '&' : '?'}output=${output}`, { key })
  expect(parseLines(await get('ndjson'))).toEqual(expected)
  const csv = await get('csv')
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
  expect(csv.text.startsWith(`${Object.keys(expected[0] ?? {}).join()}\r\n`)).toBe(true)
  expect(parseCsv(csv)).toEqual(
    expected.map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)]))),
  )
  const excel = await get('excel')
  expect([excel.headers['content-type'], excel.bytes.toString('hex', 0, 3)]).toEqual([
    csv.headers['content-type'],
    'efbbbf',
  ])
  expect(parseCsv({ ...excel, text: excel.text.slice(1) })).toEqual(
    expected.map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, guarded(value)]))),
  )
  if (formats.includes('parquet'))
    expect(await parseParquet(await get('parquet'))).toEqual(expected.map(row => withInstants(inParquet(row))))
}

test.each(['/v1/partner/assets', '/v1/partner/sensors'])('%s', async path => {
  const { data } = await world.read(path, key)
  expect(data).toHaveLength(4)
  await expectFormats(path, data.map(withSystems).map(flat), ['parquet'])
})

/** The systems of all assets, in the order of their columns. */
const SYSTEMS = ['broadsign', 'constructor', 'hivestack']

/** Returns an asset with an id or null for each system. */
function withSystems({ external_ids, ...row }: Row): Row {
  if (external_ids === undefined) return row
  const known = new Map(Object.entries(external_ids as object))
  return { ...row, external_ids: Object.fromEntries(SYSTEMS.map(system => [system, known.get(system) ?? null])) }
}

test.each(['quarter_hour', 'month'])(
  '/v1/partner/impressions by %s, in Parquet with the UTC offset of each time',
  async grain => {
    const { data } = await world.read(`/v1/partner/impressions?${RANGE}&grain=${grain}&limit=10`, key)
    const expected = data.flatMap(({ asset_id, data: rows = [] }: { asset_id: string; data?: Row[] }) =>
      rows.map(row => ({ asset_id, ...row })),
    )
    // Lord Howe, New York and Kathmandu have offsets of half hours, below zero, and of quarters of an hour.
    await expectFormats(`/v1/partner/impressions?${RANGE}&grain=${grain}`, expected, ['parquet'], withOffset)
  },
)

test.each(['', '&group_by=city', '&group_by=asset', '&group_by=city&country=FR'])(
  '/v1/partner/impressions/aggregate%s',
  async query => {
    const path = `/v1/partner/impressions/aggregate?${RANGE}${query}`
    const { data } = await world.read(path, key)
    if (data.length > 0) await expectFormats(path, data, ['parquet'])
    else {
      const header = 'impressions,assets_with_data,coverage\r\n'
      expect((await world.get(`${path}&output=csv`, { key })).text).toBe(header)
      expect((await world.get(`${path}&output=excel`, { key })).text).toBe(`\ufeff${header}`)
      expect(await parseParquet(await world.get(`${path}&output=parquet`, { key }))).toEqual([])
    }
  },
)

test('/v1/partner/changes', async () => {
  const { data } = await world.read('/v1/partner/changes', key)
  expect(data.length).toBeGreaterThan(8)
  await expectFormats('/v1/partner/changes', data, ['parquet'])
})

test('what spreadsheets of some language take for separators is in quotes in the format for spreadsheets alone', async () => {
  const get = async (output: string) => (await world.get(`/v1/partner/assets?output=${output}`, { key })).text
  expect(await get('csv')).toContain(",=1+1 ' ;\t,")
  expect(await get('excel')).toContain(`,"'=1+1 ' ;\t",`)
})

test('lists of one asset', async () => {
  const { data } = await world.read('/v1/partner/assets', key)
  for (const route of ['daily', 'by-city']) {
    const path = `/v1/partner/assets/${data[1].id}/impressions/${route}?${RANGE}`
    await expectFormats(path, (await world.read(path, key)).data, [])
  }
})

test('the format is negotiated, with the parameters that its Content-Type has, and has validators of its own', async () => {
  const { data } = await world.read('/v1/partner/assets', key)
  const path = `/v1/partner/assets/${data[0].id}/impressions/daily?${RANGE}`
  const get = (accept: string, tag?: unknown) =>
    world.get(path, { key, headers: { accept, ...(tag !== undefined && { 'if-none-match': String(tag) }) } })
  const json = await get('application/json;q=0.5, */*;q=0.1')
  expect(json.body.data).toHaveLength(3)
  const csv = await get('text/csv, application/json;q=0.9')
  expect(csv.text).toMatch(/^date,impressions,coverage\r\n/)
  expect(csv.headers.vary).toBe('X-API-Key, Accept, Accept-Encoding')
  expect((await get('text/csv', csv.headers.etag)).status).toBe(304)
  expect((await get('text/csv', json.headers.etag)).status).toBe(200)
  expect((await get('application/json; charset=UTF-8')).body.data).toHaveLength(3)
  expect((await get(csv.headers['content-type'] as string)).text).toBe(csv.text)
  const none = await get('text/html, application/vnd.apache.parquet')
  expect([none.status, none.body.error.code, none.body.error.details]).toEqual([
    406,
    'NOT_ACCEPTABLE',
    { available: ['application/json', 'text/csv', 'application/x-ndjson'] },
  ])
  const wins = await world.get(`${path}&output=json`, { key, headers: { accept: 'text/html' } })
  expect(wins.body.data).toHaveLength(3)
  const wrong = await world.get(`${path}&output=parquet`, { key })
  expect(wrong.body.error).toMatchObject({
    code: 'INVALID_PARAMETER',
    details: { parameter: 'output', value: 'parquet' },
  })
})
