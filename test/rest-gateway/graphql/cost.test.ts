import { watchTraffic } from '../../support/traffic'
import { World } from '../../support/world'

let world: World
/** The key of a company with one asset. */
let key: string
/** The key of a company with thirty assets, of which one is in Kiel. */
let large: string

const scopes = ['internal:graphql:read']

beforeAll(async () => {
  world = await World.open()
  const { make } = world
  const company = await make.company()
  await make.asset({ company })
  key = await make.key([company], { scopes })
  const network = await make.company()
  await make.together(async () => {
    for (let i = 0; i < 29; i++) await make.asset({ company: network, region: 'DE-BE', city: `City ${i}` })
    await make.asset({ company: network, region: 'DE-SH', city: 'Kiel' })
  })
  large = await make.key([network], { scopes })
})
afterAll(() => world.stop())

const post = (query: string, variables: object = {}, as = key) =>
  world.get('/graphql', {
    key: as,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })

const HOURS = `query ($limit: Int!, $to: Date!, $filter: AssetFilter) {
  assets(limit: $limit, filter: $filter) { nodes { impressions(fromDate: "2026-01-01", toDate: $to) { hourly { rows { start } } } } } }`

/** Every batch authenticates the key again. */
const COUNTING = (statement: string) => ['authenticate-key', statement]

describe('the rows of groups', () => {
  const BY_REGION = `{ assets { impressions(fromDate: "2026-01-01", toDate: "2026-01-01") {
    series(groupBy: region) { date country region impressions assetsWithData } } } }`

  const AGGREGATE = (fields: string) =>
    `{ impressionsAggregate(fromDate: "2026-01-01", toDate: "2026-12-31", groupBy: city) { rows { ${fields} } } }`

  test('of one day by region are returned with all their fields', async () => {
    const { statements } = await watchTraffic(async () => expect((await post(BY_REGION)).status).toBe(200))
    expect(statements.filter(name => name === 'group-counts')).toHaveLength(1)
  })

  test('are refused where the groups in scope have too many values, before any of them is read', async () => {
    const fields = Array.from({ length: 10 }, (_, i) => `a${i}: impressions`).join(' ')
    expect((await post(AGGREGATE(fields))).status).toBe(200)
    const { statements } = await watchTraffic(async () => {
      const { status, body } = await post(AGGREGATE(fields), {}, large)
      expect(status).toBe(400)
      expect(body.errors[0].extensions).toMatchObject({
        code: 'QUERY_TOO_COSTLY',
        details: { narrow: 'impressionsAggregate.rows' },
      })
    })
    expect(statements).toEqual(['authenticate-key', ...COUNTING('group-counts'), ...COUNTING('count-assets')])
  })

  test('are counted only for queries that return some', async () => {
    const { statements } = await watchTraffic(() => post('{ assets { nodes { id } } }'))
    expect(statements).not.toContain('group-counts')
  })
})

test('hours of the week of a group cost the hours of the assets that match', async () => {
  const hours = `query ($filter: AssetFilter) { assets(limit: 1, filter: $filter) {
    impressions(fromDate: "2025-01-01", toDate: "2025-12-31") { byHourOfWeek { weekday hour impressions } } } }`
  const { status, body } = await post(hours, {}, large)
  const { code, details } = body.errors[0].extensions
  expect([status, code, details.cost, details.max_days]).toEqual([400, 'QUERY_TOO_COSTLY', 30 * 365 * 24, 277])
  const some = await post(hours, { filter: { city: ['Kiel'] } }, large)
  expect(some.body.data.assets.impressions.byHourOfWeek).toHaveLength(168)
})

test('origins of many assets over many years are refused before they are read', async () => {
  const origins = `{ assets(limit: 500) { nodes { impressions(fromDate: "2016-01-01", toDate: "2025-12-31") { byRegion { total } } } } }`
  const { statements } = await watchTraffic(async () => {
    const { status, body } = await post(origins, {}, large)
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'QUERY_TOO_COSTLY'])
  })
  expect(statements).toEqual(['authenticate-key', ...COUNTING('count-assets')])
})

describe('a query over the cost limit', () => {
  test('is rejected for the values of its variables before anything is read, and names the field to narrow', async () => {
    expect((await post(HOURS, { limit: 1, to: '2026-01-31' })).status).toBe(200)
    const { statements } = await watchTraffic(async () => {
      const { status, body } = await post(HOURS, { limit: 500, to: '2026-12-31' }, large)
      expect(status).toBe(400)
      expect(body.data).toBeUndefined()
      expect(body.errors[0].message).toMatch(/\d+ rows.*200000.*Narrow assets: lower limit to 10,/)
      expect(body.errors[0].extensions).toMatchObject({
        code: 'QUERY_TOO_COSTLY',
        details: { limit: 200_000, narrow: 'assets', max_limit: 10 },
      })
    })
    expect(statements).toEqual(['authenticate-key', ...COUNTING('count-assets')])
  })

  test('with the arguments that its message names is allowed', async () => {
    const { body } = await post(HOURS, { limit: 500, to: '2026-12-31' }, large)
    const { max_limit: limit, max_days: days } = body.errors[0].extensions.details
    expect((await post(HOURS, { limit, to: '2026-12-31' }, large)).status).toBe(200)
    const to = new Date(Date.UTC(2026, 0, days)).toISOString().slice(0, 10)
    expect((await post(HOURS, { limit: 500, to }, large)).status).toBe(200)
  })

  test('is allowed where few rows match, whatever the limit: assets by filter and scope, sensors, groups', async () => {
    const to = '2026-12-31'
    expect(
      (await post(HOURS, { limit: 500, to, filter: { city: ['Kiel'] } }, large)).body.data.assets.nodes,
    ).toHaveLength(1)
    expect((await post(HOURS, { limit: 500, to })).body.data.assets.nodes).toHaveLength(1)
    const sensors = `{ sensors(limit: 500) { nodes { asset { impressions(fromDate: "2026-01-01", toDate: "${to}") { hourly { total } } } } } }`
    expect((await post(sensors, {}, large)).body).toEqual({ data: { sensors: { nodes: [] } } })
    const fields = Array.from({ length: 10 }, (_, i) => `a${i}: impressions`).join(' ')
    const byCity = `query ($filter: AssetFilter) { impressionsAggregate(fromDate: "2026-01-01", toDate: "${to}", groupBy: city, filter: $filter) { rows { ${fields} } } }`
    expect((await post(byCity, {}, large)).status).toBe(400)
    const { body } = await post(byCity, { filter: { city: ['Kiel'] } }, large)
    expect(body.data.impressionsAggregate.rows).toHaveLength(365)
  })

  test('is counted by what matches only if it would be refused otherwise', async () => {
    const { statements } = await watchTraffic(() => post(HOURS, { limit: 500, to: '2026-01-02' }, large))
    expect(statements).not.toContain('count-assets')
  })

  test.each([
    [
      'many aliases',
      'QUERY_TOO_COSTLY',
      `{ ${Array.from({ length: 110 }, (_, i) => `a${i}: vendors { id }`).join(' ')} }`,
    ],
    [
      'fragments that multiply',
      'GRAPHQL_VALIDATION_FAILED',
      `{ asset(id: "x") { ...F0 } } ${Array.from({ length: 12 }, (_, i) => `fragment F${i} on Asset { a: company { id } ...F${i + 1} b${i}: company { id } ...F${i + 1} }`).join(' ')} fragment F12 on Asset { company { name } }`,
    ],
  ])('with %s gets %s', async (_, code, query) => {
    const { status, body } = await post(query)
    expect([status, body.errors[0].extensions.code]).toEqual([400, code])
  })
})
