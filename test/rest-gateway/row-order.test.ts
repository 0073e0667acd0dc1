/**
 * No response depends on the order in which rows arrive, nor on PostgreSQL's plan: every route and the fields of groups, over
 * the ends of months, leap days and years, before and after ANALYZE.
 */
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { batchesOf } from '../../db/postgres/pipelined-batch'
import { ReaderPool } from '../../db/postgres/reader-pool'
import { createGatewayServer } from '../../rest-gateway/server'
import { withoutPosition } from '../isolation/tenants'
import type { Factory, Made, MadeAsset, MadeSensor } from '../support/factories'
import { scaledRuns } from '../support/fuzz'
import { rounds } from '../support/rounds'
import { Service, send } from '../support/service'
import { shuffledRows } from '../support/shuffled-rows'

jest.setTimeout(120_000)

/** Each month has days at both ends; all lengths of February are followed by days of March. */
const DATES =
  `2023-12-30 2023-12-31 2024-01-01 2024-01-31 2024-02-01 2024-02-28 2024-02-29 2024-03-01 2024-03-31 2024-04-01
  2024-06-30 2024-07-01 2024-07-02 2024-10-27 2024-12-31 2025-01-01 2025-02-28 2025-03-01 2025-03-02 2025-03-03`.split(
    /\s+/,
  )

/** Nodes of plans that are forbidden together, so that PostgreSQL chooses others. */
const FORBIDDEN = rounds(
  [
    ['indexscan', 'bitmapscan', 'hashagg'],
    ['seqscan', 'hashjoin'],
  ],
  [['indexscan'], ['bitmapscan'], ['seqscan'], ['hashjoin'], ['hashagg']],
)

const PLACES = [
  { country: 'DE', region: 'DE-BE', city: 'Berlin', time_zone: 'Europe/Berlin' },
  { country: 'DE', region: 'DE-HH', city: null, time_zone: 'Europe/Berlin' },
  { country: 'US', region: 'US-NY', city: 'New York', time_zone: 'America/New_York' },
  { country: 'AU', region: null, city: 'Äpfelberg', time_zone: 'Australia/Lord_Howe' },
]

let service: Service
let key: string
let assets: MadeAsset[]

beforeAll(async () => {
  service = await Service.start()
  const scopes = ['internal:graphql:read', 'partner:metrics:legacy:read']
  await service.make.together(async make => {
    const companies = [await make.company(), await make.company()]
    assets = []
    for (let i = 0; i < 6; i++) assets.push(await makeAsset(make, i, companies[i % 2] as Made))
    key = await make.key(companies, { scopes, reseller: true })
  })
})
afterAll(() => service.stop())

/** Makes an asset with sensors of up to three grains and all kinds of facts. */
async function makeAsset(make: Factory, i: number, company: Made): Promise<MadeAsset> {
  const attributes = { ...PLACES[i % PLACES.length], format: i % 2 ? 'transit' : 'billboard', legacy_id: 100 + i }
  const asset = await make.asset({ company, ...attributes })
  const grains = (['quarter_hour', 'day', 'hour'] as const).slice(0, (i % 3) + 1)
  const sensors: MadeSensor[] = []
  for (const grain of grains) sensors.push(await make.sensor({ asset, grain }))
  for (const [day, date] of DATES.entries()) {
    // Some days have no counts, or those of some sensors only; assets have equal sums, which are ordered by id.
    for (const [n, sensor] of sensors.entries()) {
      if ((day + i + n) % 7 !== 3) await make.counts(sensor, date, at => (at % 5) * (day + 1))
    }
    await make.demographics(asset, date, { '25-34 male': 7 * day + i, '65+ female': 11 })
  }
  const origins = DATES.flatMap((date, day) =>
    ['DE-BE', 'DE-HH', 'DE-BY'].flatMap(region =>
      ['Berlin', 'Hamburg', 'Ähren'].map(city => ({ date, region, city, impressions: 10 * ((day + i) % 4) })),
    ),
  )
  await make.origins(asset, origins)
  return asset
}

const DAYS = 'fromDate: "2024-02-27", toDate: "2024-03-02"'

const GROUP_FIELDS = [
  'total assetCount daysWithData',
  `day: series(grain: day, groupBy: format) { date format impressions assetsWithData }
    week: series(grain: week) { date impressions assetsWithData }
    month: series(grain: month, groupBy: city) { date city impressions assetsWithData }`,
  `byCompany { company { id } impressions share assetCount } byRegion { country region impressions share assetCount }
    top(limit: 4) { asset { id } impressions share } byAsset { assetId impressions }
    compare(fromDate: "2024-01-01", toDate: "2024-06-30") { impressions comparedWith }`,
]

/** The assets whose own routes are requested, by index: with one, two and three sensors. */
const REQUESTED = rounds([1, 2, 3], [0, 1, 2, 3, 4, 5])

/** Returns every request with a range, by its path; queries of GraphQL as a body. */
function requests(): { path: string; query?: string }[] {
  const range = 'from_date=2023-12-31&to_date=2025-03-02'
  const days = 'from_date=2024-02-28&to_date=2024-03-01'
  const paths = REQUESTED.flatMap(i => {
    const { id } = assets[i] as MadeAsset
    const asset = `/v1/partner/assets/${id}`
    const impressions = `${asset}/impressions`
    return [
      asset,
      ...['summary', 'daily', 'by-region', 'by-city'].map(route => `${impressions}/${route}?${range}`),
      ...['by-region', 'by-city', 'hourly', 'profile'].map(route => `${impressions}/${route}?${days}`),
      ...['quarter_hour', 'hour'].map(grain => `${impressions}/timeseries?${days}&grain=${grain}`),
      ...['day', 'week', 'month', 'quarter'].map(grain => `${impressions}/timeseries?${range}&grain=${grain}`),
      `${asset}/demographics?${range}`,
      `/v1/metrics/assets/${100 + i}?start=2024-01-31&end=2024-07-02`,
      `/v1/metrics/assets/${id}/per-minute?date=2024-03-31`,
    ]
  })
  const groups = ['country', 'region', 'city', 'media_type', 'format'].flatMap(by =>
    ['day', 'week', 'month', 'quarter'].map(grain => `&group_by=${by}&grain=${grain}`),
  )
  const some = `&asset_ids=${[0, 3, 4].map(i => (assets[i] as MadeAsset).id)}`
  const filters = ['', '&country=DE', '&city=Berlin&format=billboard', some]
  paths.push(
    ...['json', 'csv', 'ndjson'].flatMap(output =>
      ['assets', 'sensors', `impressions?${range}`, `impressions?${days}&grain=hour`, 'changes'].map(
        path => `/v1/partner/${path}${path.includes('?') ? '&' : '?'}output=${output}`,
      ),
    ),
    ...['', ...groups, '&group_by=asset'].map(group => `/v1/partner/impressions/aggregate?${range}${group}`),
    ...filters.map(filter => `/v1/partner/impressions/aggregate?${days}${filter}`),
    ...filters.map(filter => `/v1/partner/impressions/aggregate?${range}&group_by=asset${filter}`),
    ...['', '&country=DE', '&city=Berlin', some].map(filter => `/v1/partner/demographics/aggregate?${range}${filter}`),
    '/v1/partner/meta',
    '/v1/metrics/assets',
    '/v1/metrics/assets/legacy-ids',
  )
  const queries = ['', 'country: "DE"', 'hasOwnSensor: false'].flatMap(filter =>
    GROUP_FIELDS.map(fields => `{ assets(limit: 1, filter: { ${filter} }) { impressions(${DAYS}) { ${fields} } } }`),
  )
  queries.push(`{ assets(limit: 50, sort: { by: name }) { nodes { id company { name } sensors { id }
    impressions(${DAYS}) { summary { total } byRegion { rows { region impressions } } byCity { rows { city impressions } }
      timeseries(grain: month) { rows { start impressions } } } demographics(${DAYS}) { total } } } }`)
  return [...paths.map(path => ({ path })), ...queries.map(query => ({ path: '/graphql', query }))]
}

async function responses(url: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const headers = { 'Content-Type': 'application/json' }
  for (const { path, query } of requests()) {
    const post = query === undefined ? {} : { method: 'POST', headers, body: JSON.stringify({ query }) }
    const { status, text } = await send(url + path, { key, ...post })
    found.set(`${path} ${query ?? ''}`, `${status} ${withoutPosition(text)}`)
  }
  return found
}

/** Returns all responses of another service on the same database. */
async function responsesWith(createBatch = batchesOf('reader')): Promise<Map<string, string>> {
  const limits = { connections: 2, statementTimeoutMs: 10_000, connectTimeoutMs: 15_000 }
  const database = new ReaderPool(service.database.readerUrl, limits, createBatch)
  const server = createGatewayServer({ ...service.gateway, database })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    return await responses(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
    await database.close()
  }
}

test('responses are the same for any order of rows and any plan', async () => {
  const expected = await responsesWith()
  for (const each of expected) expect(each[1]).toMatch(/^200 (?!.*"errors")|^400 .*GRAIN_NOT_AVAILABLE/)
  for (const seed of rounds([1], [1, 2, 3])) expect(await responsesWith(shuffledRows(seed))).toEqual(expected)
  await service.owner.query('ANALYZE')
  expect(await responsesWith()).toEqual(expected)
  const { rows } = await service.owner.query('SELECT current_database() AS name')
  for (const nodes of FORBIDDEN) {
    for (const node of nodes) await service.owner.query(`ALTER DATABASE ${rows[0].name} SET enable_${node} = off`)
    expect(await responsesWith()).toEqual(expected)
    await service.owner.query(`ALTER DATABASE ${rows[0].name} RESET ALL`)
  }
})

const range = fc
  .record({ date: fc.constantFrom(...DATES), before: fc.nat({ max: 3 }), days: fc.nat({ max: 4 }) })
  .map(({ date, before, days }) => {
    const first = Date.parse(date) - before * 86_400_000
    return Array.from({ length: days + before + 1 }, (_, i) =>
      new Date(first + i * 86_400_000).toISOString().slice(0, 10),
    )
  })

/** Routes with rows of days or shorter. */
const ROWS = (id: string) => [
  `/v1/partner/assets/${id}/impressions/daily?`,
  `/v1/partner/assets/${id}/impressions/timeseries?grain=day&`,
  `/v1/partner/assets/${id}/impressions/timeseries?grain=hour&`,
  `/v1/partner/impressions/aggregate?`,
  `/v1/partner/impressions/aggregate?country=DE&group_by=city&`,
]

test('the rows of a range are those of each of its days requested alone', async () => {
  const index = fc.nat({ max: 5 })
  await fc.assert(
    fc.asyncProperty(range, index, fc.nat({ max: 4 }), async (dates, asset, route) => {
      const path = ROWS((assets[asset] as MadeAsset).id)[route] as string
      const { error, data, total } = await read(`${path}from_date=${dates[0]}&to_date=${dates.at(-1)}`)
      const alone = []
      for (const date of dates) alone.push(await read(`${path}from_date=${date}&to_date=${date}`))
      if (error) return expect(alone.map(each => each.error.code)).toContain(error.code)
      expect(data).toEqual(alone.flatMap(each => each.data))
      expect(total).toBe(alone.reduce((sum, each) => sum + each.total, 0))
    }),
    scaledRuns(40),
  )
})

const read = async (path: string) => (await service.get(path, { key })).body
