/** Lists in CSV, NDJSON and Parquet, read by independent parsers, have the rows of their JSON. */
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'
import type { Factory } from '../../support/factories'
import type { TestResponse } from '../../support/http'
import { World } from '../../support/world'

let world: World
let key: string
/** The first asset, in Berlin. */
let berlin: string

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
    if (i === 0) berlin = asset.id
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

/** Returns the text of a value in CSV, in which null is empty and an empty text is quoted. */
const cell = (value: unknown): string | null => (value === null ? null : String(value))

const parseCsv = ({ text }: TestResponse): Row[] =>
  parse(text, {
    columns: true,
    record_delimiter: '\r\n',
    cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
  })

const parseLines = ({ text }: TestResponse): Row[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

async function parseParquet({ bytes }: TestResponse): Promise<Row[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  const rows = await parquetReadObjects({ file })
  return rows.map(row => mapValues(row, value => (typeof value === 'bigint' ? Number(value) : (value ?? null))))
}

/** Returns a value as Parquet has it: a time is an instant. */
const instantOf = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d($|T)/.test(value) ? new Date(value) : value

const mapValues = (row: Row, map: (value: unknown) => unknown): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, map(value)]))

/** Returns a row with the UTC offset of its local time, which an instant lacks. */
const withOffset = (row: Row): Row => {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(row.start as string) as RegExpExecArray
  return { ...row, utc_offset_minutes: Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) }
}

/** The systems of all assets, in the order of their columns. */
const SYSTEMS = ['broadsign', 'constructor', 'hivestack']

/** Returns an asset with an id or null for each system. */
function withSystems({ external_ids, ...row }: Row): Row {
  if (external_ids === undefined) return row
  const known = new Map(Object.entries(external_ids as object))
  return { ...row, external_ids: Object.fromEntries(SYSTEMS.map(system => [system, known.get(system) ?? null])) }
}

/** Returns the rows of all assets of a page as one list. */
const unnest = (entries: Row[]): Row[] =>
  entries.flatMap(({ asset_id, data = [] }) => (data as Row[]).map(row => ({ asset_id, ...row })))

/** Lists, with the number of their rows. Lord Howe, New York and Kathmandu have offsets of half hours, below zero, and of quarters of an hour. */
test.each<[path: string, rows: number, parquet: ((row: Row) => Row) | null]>([
  ['assets?', 4, row => row],
  ['sensors?', 4, row => row],
  ['changes?', 12, row => row],
  [`impressions?${RANGE}&grain=quarter_hour&`, 572, withOffset],
  [`impressions?${RANGE}&grain=month&`, 4, withOffset],
  [`impressions/profiles?${RANGE}&seconds=30&`, 504, row => row],
  [`impressions/profiles?${RANGE}&`, 504, row => row],
  [`impressions/aggregate?${RANGE}&`, 3, row => row],
  [`impressions/aggregate?${RANGE}&group_by=city&`, 12, row => row],
  [`impressions/aggregate?${RANGE}&group_by=asset&`, 4, row => row],
  [`assets/{id}/impressions/daily?${RANGE}&`, 3, null],
  [`assets/{id}/impressions/by-city?${RANGE}&`, 1, null],
])('%s has %i rows or more in every format', async (template, count, parquet) => {
  const path = `/v1/partner/${template.replace('{id}', berlin)}`
  const { data } = await world.read(path, key)
  const rows: Row[] = (/impressions(\/profiles)?\?/.test(path) ? unnest(data) : data.map(withSystems)).map(flat)
  expect(rows.length).toBeGreaterThanOrEqual(count)
  const get = (output: string) => world.get(`${path}output=${output}`, { key })
  expect(parseLines(await get('ndjson'))).toEqual(rows)
  const csv = await get('csv')
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
  expect(csv.text.startsWith(`${Object.keys(rows[0] ?? {}).join()}\r\n`)).toBe(true)
  expect(parseCsv(csv)).toEqual(rows.map(row => mapValues(row, cell)))
  if (parquet)
    expect(await parseParquet(await get('parquet'))).toEqual(rows.map(row => mapValues(parquet(row), instantOf)))
})

test('a list without rows has its columns', async () => {
  const path = `/v1/partner/impressions/aggregate?${RANGE}&group_by=city&country=FR`
  const header = 'impressions,assets_with_data,coverage\r\n'
  expect((await world.get(`${path}&output=csv`, { key })).text).toBe(header)
  expect(await parseParquet(await world.get(`${path}&output=parquet`, { key }))).toEqual([])
})

test.each<[accept: string, output: string, type: string | undefined]>([
  ['application/json;q=0.5, */*;q=0.1', '', 'application/json; charset=utf-8'],
  ['application/json; charset=UTF-8', '', 'application/json; charset=utf-8'],
  ['text/csv, application/json;q=0.9', '', 'text/csv; charset=utf-8; header=present'],
  // The parameters that the Content-Type of a response has.
  ['text/csv; charset=utf-8; header=present', '', 'text/csv; charset=utf-8; header=present'],
  ['application/x-ndjson', '', 'application/x-ndjson'],
  ['text/html', '&output=json', 'application/json; charset=utf-8'],
  ['text/html, application/vnd.apache.parquet', '', undefined],
])('a client that accepts %s gets its format%s: %s', async (accept, output, type) => {
  const path = `/v1/partner/assets/${berlin}/impressions/daily?${RANGE}${output}`
  const get = (tag = '') => world.get(path, { key, headers: { accept, 'if-none-match': tag } })
  const { status, headers, body } = await get()
  if (type === undefined) {
    expect([status, body.error.code]).toEqual([406, 'NOT_ACCEPTABLE'])
    expect(body.error.details).toEqual({ available: ['application/json', 'text/csv', 'application/x-ndjson'] })
    return
  }
  expect([status, headers['content-type'], headers.vary]).toEqual([200, type, 'X-API-Key, Accept, Accept-Encoding'])
  // Each format has a validator of its own.
  expect((await get(headers.etag)).status).toBe(304)
  const other = await world.get(path.replace(RANGE, `${RANGE}&output=ndjson`).replace('&output=json', ''), { key })
  expect((await get(other.headers.etag)).status).toBe(type.includes('ndjson') ? 304 : 200)
})
