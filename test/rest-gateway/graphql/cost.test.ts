import { watchTraffic } from '../../support/traffic'
import { World } from '../../support/world'

let world: World
let key: string

beforeAll(async () => {
  world = await World.open()
  const { make } = world
  const company = await make.company()
  const asset = await make.asset({ company })
  await make.counts(await make.sensor({ asset }), '2026-01-01', () => 1)
  key = await make.key([company], { scopes: ['internal:graphql:read'] })
})
afterAll(() => world.stop())

const post = (query: string, variables = {}) =>
  world.get('/graphql', {
    key,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })

const HOURS = `query ($limit: Int!, $to: Date!, $filter: AssetFilter) {
  assets(limit: $limit, filter: $filter) { nodes { impressions(fromDate: "2026-01-01", toDate: $to) { timeseries(grain: hour) { rows { start } } } } } }`

const YEAR = { limit: 500, to: '2026-12-31' }

const aliases = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: impressions`).join(' ')

const byCity = (fields: string) =>
  `{ impressionsAggregate(fromDate: "2026-01-01", toDate: "2026-12-31", groupBy: city, grain: month) { rows { ${fields} } } }`

test.each<[what: string, query: string, variables?: object]>([
  ['hours of a page of assets', HOURS, YEAR],
  ['the same with a filter that matches few', HOURS, { ...YEAR, filter: { city: ['Kiel'] } }],
  ['a value of each of as many groups as there may be', byCity(aliases(20))],
  ['many fields that read', `{ ${Array.from({ length: 60 }, (_, i) => `a${i}: asset(id: "x") { id }`).join(' ')} }`],
])('a query for %s is refused with its cost and the limit, and reads nothing', async (_, query, variables = {}) => {
  const { statements } = await watchTraffic(async () => {
    const { status, body } = await post(query, variables)
    const [{ message, extensions }] = body.errors
    expect([status, body.data, extensions.code]).toEqual([400, undefined, 'QUERY_TOO_COSTLY'])
    const { cost, limit } = extensions.details
    expect([cost > limit, Object.keys(extensions.details)]).toEqual([true, ['cost', 'limit']])
    expect(message).toContain(`cost up to ${cost}; the maximum is ${limit}.`)
  })
  expect(statements).toEqual(['authenticate-key'])
})

test.each<[what: string, query: string, variables?: object]>([
  ['a smaller limit', HOURS, { ...YEAR, limit: 5 }],
  ['fewer days', HOURS, { ...YEAR, to: '2026-01-05' }],
  ['fewer fields of groups', byCity(aliases(10))],
])('is allowed with %s', async (_, query, variables = {}) => {
  const { status, body } = await post(query, variables)
  expect([status, body.errors]).toEqual([200, undefined])
})

test('fragments that multiply are refused', async () => {
  const fragments = Array.from({ length: 12 }, (_, i) => `fragment F${i} on Asset { ...F${i + 1} id ...F${i + 1} }`)
  const { status, body } = await post(
    `{ asset(id: "x") { ...F0 } } ${fragments.join(' ')} fragment F12 on Asset { id }`,
  )
  expect([status, body.data, body.errors.length]).toEqual([400, undefined, 1])
})
