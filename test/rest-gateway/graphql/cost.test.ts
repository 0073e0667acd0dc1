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

const post = (query: string, variables: object = {}) =>
  service.get('/graphql', {
    key,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })

const HOURS = `query ($limit: Int!, $to: Date!) {
  assets(limit: $limit) { nodes { impressions(fromDate: "2026-01-01", toDate: $to) { hourly { rows { start } } } } } }`

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
