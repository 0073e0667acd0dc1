import { Service, watchTraffic } from '../../support/service'

let service: Service
let key: string

beforeAll(async () => {
  service = await Service.start()
  const company = await service.make.company()
  await service.make.asset({ company })
  key = await service.make.key([company], { scopes: ['internal:graphql:read'] })
})
afterAll(() => service.stop())

const post = (query: string, variables: object = {}, as = key) =>
  service.get('/graphql', {
    key: as,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })

const HOURS = `query ($limit: Int!, $to: Date!) {
  assets(limit: $limit) { nodes { impressions(fromDate: "2026-01-01", toDate: $to) { hourly { rows { start } } } } } }`

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
    const company = await service.make.company()
    for (let i = 0; i < 30; i++) await service.make.asset({ company, region: 'DE-BE', city: `City ${i}` })
    const large = await service.make.key([company], { scopes: ['internal:graphql:read'] })
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
    expect(statements).toEqual(['authenticate-key', 'authenticate-key', 'group-counts'])
  })

  test('are counted only for queries that return some', async () => {
    const { statements } = await watchTraffic(() => post('{ assets { nodes { id } } }'))
    expect(statements).not.toContain('group-counts')
  })
})

test('origins of many assets over many years are refused before they are read', async () => {
  const origins = `{ assets(limit: 500) { nodes { impressions(fromDate: "2016-01-01", toDate: "2025-12-31") { byRegion { total } } } } }`
  const { statements } = await watchTraffic(async () => {
    const { status, body } = await post(origins)
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'QUERY_TOO_COSTLY'])
  })
  expect(statements).toEqual(['authenticate-key'])
})

describe('a query over the cost limit', () => {
  test('is rejected for the values of its variables before anything is read, and names the field to narrow', async () => {
    expect((await post(HOURS, { limit: 1, to: '2026-01-31' })).status).toBe(200)
    const { statements } = await watchTraffic(async () => {
      const { status, body } = await post(HOURS, { limit: 500, to: '2026-12-31' })
      expect(status).toBe(400)
      expect(body.data).toBeUndefined()
      expect(body.errors[0].message).toMatch(/\d+ rows.*200000.*Narrow assets/)
      expect(body.errors[0].extensions).toMatchObject({
        code: 'QUERY_TOO_COSTLY',
        details: { limit: 200_000, narrow: 'assets' },
      })
    })
    expect(statements).toEqual(['authenticate-key'])
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
