/**
 * Every route with the greatest sizes that a request may ask for, on a network whose every asset has a city and another system of its own:
 * what the service receives and allocates is bounded, whether it answers or refuses.
 */
import { Session } from 'node:inspector/promises'
import { parquetMetadata } from 'hyparquet'
import { addMissingRules } from '../../db/zones/rules-in-force'
import { withoutTriggers } from '../support/databases'
import { type RequestOptions, send } from '../support/http'
import { watchTraffic } from '../support/traffic'
import { World } from '../support/world'

jest.setTimeout(120_000)

const ASSETS = 500

const ENTITIES = `
INSERT INTO companies (id, name) VALUES ('widecompany', 'Wide');
INSERT INTO vendors (id, name, own, native_minutes) VALUES ('vendorone', 'One', false, 60);
INSERT INTO assets (id, company, name, media_type, format, status, indoors, latitude, longitude, country, city, time_zone, external_ids)
  SELECT 'asset' || lpad(n::text, 5, '0'), c.number, 'Asset ' || n, 'digital', 'billboard', 'active', false, 50, 10, 'DE', 'City ' || n, 'Europe/Berlin',
    jsonb_build_object('system' || n, n::text)
  FROM generate_series(1, ${ASSETS}) AS n, companies c;
INSERT INTO sensors (id, serial, model, vendor, native_minutes, asset, company, billable_state, installed_at)
  SELECT 'sensor' || lpad(a.number::text, 5, '0'), 'SN ' || a.number, 'M', v.number, 60, a.number, company, 'billable', '2010-01-01' FROM vendors v, assets a;
INSERT INTO installations (sensor, asset, company, native_minutes, installed_at)
  SELECT number, asset, company, native_minutes, installed_at FROM sensors`

const DAYS_OF_MONTH = Array.from({ length: 31 }, (_, i) => i + 1)
const of = (column: string) => DAYS_OF_MONTH.map(day => `${column}_${day}`)

const DATA = withoutTriggers(`
INSERT INTO asset_months (asset, company, kind, month, total, observed_total, days_with_data, newest, oldest, ${of('day')}, ${of('observed')}, since)
  SELECT number, company, 'impressions', month, 31, 744, 31, 1, 1, ${DAYS_OF_MONTH.map(() => 1)}, ${DAYS_OF_MONTH.map(() => 24)}, array_fill(1::bigint, '{31}')
  FROM assets, generate_series(2016 * 12, 2025 * 12 + 11) AS month;
INSERT INTO measured_assets (kind, company, date, block, assets)
  SELECT 'impressions', company, date, number / 2048, bit_or(set_bit(B'0'::bit(2048), number % 2048, 1))
  FROM assets, generate_series(date '2016-01-01', '2025-12-31', '1 day') AS date GROUP BY company, date, number / 2048`)

const DECADE = 'from_date=2016-01-01&to_date=2025-12-31'
const DAYS = 'fromDate: "2016-01-01", toDate: "2025-12-31"'

let world: World
let key: string
let asOf: string

beforeAll(async () => {
  world = await World.open({ statementTimeoutMs: 30_000 })
  const { owner, make } = world
  await addMissingRules(owner, ['Europe/Berlin'])
  await owner.query(ENTITIES)
  await owner.query(DATA)
  await owner.query('ANALYZE')
  const { rows } = await owner.query('SELECT id, number FROM companies')
  key = await make.key(rows, { scopes: ['internal:graphql:read'] })
  asOf = new Date().toISOString()
})
afterAll(() => world.stop())

/** The global object of the modules of the service, which are not evaluated in that of the test. */
const { global: realm } = new Function('return { global: requireOnce.constructor("return globalThis")() }')() as {
  global: typeof globalThis
}

const TYPED_ARRAYS = ['Float64Array', 'Int32Array'] as const

/** Returns the bytes that are allocated while something runs, those that are free again at its end included. */
async function countBytes(action: () => Promise<unknown>): Promise<number> {
  let bytes = 0
  const originals = TYPED_ARRAYS.map(name => [name, realm[name]] as const)
  for (const [name, original] of originals) {
    Object.assign(realm, {
      [name]: new Proxy(original, {
        construct(target, args, newTarget) {
          const made = Reflect.construct(target, args, newTarget) as Float64Array
          bytes += made.byteLength
          return made
        },
      }),
    })
  }
  const session = new Session()
  session.connect()
  const collected = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }
  await session.post('HeapProfiler.startSampling', { samplingInterval: 65_536, ...collected })
  try {
    await action()
    const { profile } = await session.post('HeapProfiler.stopSampling')
    return bytes + sizeOf(profile.head)
  } finally {
    session.disconnect()
    Object.assign(realm, Object.fromEntries(originals))
  }
}

interface ProfileNode {
  selfSize: number
  children: ProfileNode[]
}

const sizeOf = ({ selfSize, children }: ProfileNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize)

/**
 * @param code of the error, if the request is refused
 * @param megabytes that are allocated, by the test as well, which parses the response
 * @param rows that the service receives from PostgreSQL
 */
async function expectBounded(
  path: string,
  code: string | undefined,
  megabytes: number,
  rows: number,
  options: RequestOptions = {},
): Promise<void> {
  let received = 0
  const bytes = await countBytes(async () => {
    const { batched } = await watchTraffic(async () => {
      const { text } = await send(world.url + path, { key, ...options })
      expect(/RANGE_TOO_LARGE|QUERY_TOO_COSTLY/.exec(text.slice(0, 1_000))?.[0]).toBe(code)
    })
    received = batched.reduce((sum, statement) => sum + statement.rows.length, 0)
  })
  expect(received).toBeLessThanOrEqual(rows)
  expect(bytes / 1e6).toBeLessThan(megabytes)
}

const BY_CITY = `impressions/aggregate?${DECADE}&group_by=city`

test.each([
  BY_CITY,
  `${BY_CITY}&output=csv`,
  `${BY_CITY}&output=parquet`,
  `${BY_CITY}&as_of={as_of}`,
  `impressions?${DECADE}&grain=day&limit=14`,
  `impressions/profiles?${DECADE}&limit=298`,
  `gaps?${DECADE}&limit=14`,
])('/%s is refused before anything is read or allocated for it', path =>
  expectBounded(`/v1/partner/${path.replace('{as_of}', asOf)}`, 'RANGE_TOO_LARGE', 10, 10),
)

test('a tool is refused like its route', () => {
  const range = { from_date: '2016-01-01', to_date: '2025-12-31', group_by: 'city' }
  const params = { name: 'read_aggregate_impressions', arguments: range }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  // Its library is loaded, too.
  return expectBounded('/mcp', 'RANGE_TOO_LARGE', 40, 10, { method: 'POST', headers, body })
})

test.each([
  ['impressions/aggregate?from_date=2025-01-01&to_date=2025-04-10&group_by=city', 150, 53_000],
  [`impressions/aggregate?${DECADE}&group_by=asset`, 15, 510],
  [`impressions/aggregate?${DECADE}`, 20, 3_800],
  [`impressions?${DECADE}&grain=quarter&limit=500`, 700, 61_010],
  [`impressions?${DECADE}&grain=day&limit=13`, 70, 1_600],
  ['impressions/profiles?from_date=2024-01-01&to_date=2025-02-23&limit=297', 130, 650],
  [`gaps?${DECADE}&limit=13`, 170, 50],
  ['assets?output=csv', 100, 1_010],
  ['assets?output=parquet', 170, 1_010],
  ['assets?limit=500', 10, 510],
  ['sensors?limit=500', 10, 510],
  ['changes?limit=500', 10, 510],
  [`notes?${DECADE}&limit=500`, 10, 10],
  [`demographics/aggregate?${DECADE}`, 10, 10],
])('/%s takes at most %i MB and %i rows', (path, megabytes, rows) =>
  expectBounded(`/v1/partner/${path}`, undefined, megabytes, rows),
)

const ROWS = '{ total average rows { start city impressions } }'
const MONTHS = 'toDate: "2025-12-31", groupBy: city, grain: month'

test.each([
  [`impressionsAggregate(${DAYS}, groupBy: city) { total }`, 'QUERY_TOO_COSTLY', 10, 10],
  [`impressionsAggregate(fromDate: "2024-04-01", ${MONTHS}) ${ROWS}`, 'RANGE_TOO_LARGE', 10, 10],
  [`impressionsAggregate(fromDate: "2024-05-01", ${MONTHS}) ${ROWS}`, undefined, 80, 20_800],
  ['impressionsAggregate(fromDate: "2025-01-01", toDate: "2025-05-20", groupBy: city) { total }', undefined, 10, 150],
] as const)('the GraphQL query %s is bounded, too', (query, code, megabytes, rows) =>
  expectBounded(`/graphql?query=${encodeURIComponent(`{ ${query} }`)}`, code, megabytes, rows),
)

test('assets with long ranges are read in parts', async () => {
  const { batched } = await watchTraffic(() =>
    send(`${world.url}/v1/partner/impressions?${DECADE}&grain=quarter&limit=160`, { key }),
  )
  const reads = batched.filter(({ statement }) => statement.name.startsWith('impressions-totals'))
  const assets = reads.map(({ values }) => (values[0] as string[]).length)
  expect(assets.reduce((sum, ofPart) => sum + ofPart)).toBe(160)
  expect(Math.max(...assets)).toBeLessThan(150)
})

test('a group of Parquet has fewer rows where there are more columns', async () => {
  const { bytes } = await send(`${world.url}/v1/partner/assets?output=parquet`, { key })
  const { row_groups: groups } = parquetMetadata(new Uint8Array(bytes).buffer)
  expect(groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0)).toBe(ASSETS)
  for (const { num_rows, columns } of groups) expect(Number(num_rows) * columns.length).toBeLessThan(255_000)
})
