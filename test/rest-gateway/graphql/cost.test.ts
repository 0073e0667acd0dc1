import { request } from 'node:http'
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

/** Posts a query; its status and body. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into the body freely
function post(query: string, variables: object = {}): Promise<{ status: number | undefined; body: any }> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const asking = request(`${service.url}/graphql`, { method: 'POST', headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) }),
      )
    })
    asking.on('error', reject)
    asking.end(JSON.stringify({ query, variables }))
  })
}

const HOURS = `query ($limit: Int!, $to: Date!) {
  assets(limit: $limit) { nodes { impressions(fromDate: "2026-01-01", toDate: $to) { hourly { rows { start } } } } } }`

describe('a query that may cost too much', () => {
  test('is refused by the values of its variables, before anything is read, with what to narrow', async () => {
    expect((await post(HOURS, { limit: 1, to: '2026-01-31' })).status).toBe(200)
    const { statements } = await watchTraffic(async () => {
      const { status, body } = await post(HOURS, { limit: 500, to: '2026-12-31' })
      expect(status).toBe(400)
      expect(body.data).toBeUndefined()
      expect(body.errors[0].message).toMatch(/may come to \d+ rows; 200000 are allowed\. Narrow assets/)
      expect(body.errors[0].extensions).toMatchObject({
        code: 'QUERY_TOO_COSTLY',
        details: { limit: 200_000, narrow: 'assets' },
      })
    })
    expect(statements).toEqual(['authenticate-key'])
  })

  test.each([
    [
      'QUERY_TOO_COSTLY',
      'by aliases',
      `{ ${Array.from({ length: 110 }, (_, i) => `a${i}: vendors { id }`).join(' ')} }`,
    ],
    [
      'GRAPHQL_VALIDATION_FAILED',
      'by fragments that double one another',
      `{ asset(id: "x") { ...F0 } } ${Array.from({ length: 12 }, (_, i) => `fragment F${i} on Asset { a: company { id } ...F${i + 1} b${i}: company { id } ...F${i + 1} }`).join(' ')} fragment F12 on Asset { company { name } }`,
    ],
  ])('is refused as %s %s', async (code, _, query) => {
    const { status, body } = await post(query)
    expect([status, body.errors[0].extensions.code]).toEqual([400, code])
  })
})
