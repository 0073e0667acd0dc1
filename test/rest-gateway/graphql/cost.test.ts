import { watchTraffic } from '../../support/traffic'
import { World } from '../../support/world'

let world: World

/** The keys of a company with one asset, and of one with thirty assets, of which one is in Kiel. */
const keys = { one: '', thirty: '' }

const scopes = ['internal:graphql:read']

beforeAll(async () => {
  world = await World.open()
  const { make } = world
  const company = await make.company()
  await make.asset({ company })
  keys.one = await make.key([company], { scopes })
  const network = await make.company()
  await make.together(async () => {
    for (let i = 0; i < 29; i++) await make.asset({ company: network, region: 'DE-BE', city: `City ${i}` })
    await make.asset({ company: network, region: 'DE-SH', city: 'Kiel' })
  })
  keys.thirty = await make.key([network], { scopes })
})
afterAll(() => world.stop())

const post = (query: string, variables: object, key: keyof typeof keys) =>
  world.get('/graphql', {
    key: keys[key],
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })

const HOURS = `query ($limit: Int!, $to: Date!, $filter: AssetFilter) {
  assets(limit: $limit, filter: $filter) { nodes { impressions(fromDate: "2026-01-01", toDate: $to) { hourly { rows { start } } } } } }`

const WEEK = `query ($filter: AssetFilter) { assets(limit: 1, filter: $filter) {
  impressions(fromDate: "2025-01-01", toDate: "2025-12-31") { byHourOfWeek { weekday hour impressions } } } }`

const BY_REGION = `{ assets { impressions(fromDate: "2026-01-01", toDate: "2026-01-01") {
  series(groupBy: region) { date country region impressions assetsWithData } } } }`

const TEN_FIELDS = Array.from({ length: 10 }, (_, i) => `a${i}: impressions`).join(' ')

const BY_CITY = `query ($filter: AssetFilter) {
  impressionsAggregate(fromDate: "2026-01-01", toDate: "2026-12-31", groupBy: city, filter: $filter) { rows { ${TEN_FIELDS} } } }`

const ORIGINS = `{ assets(limit: 500) { nodes { impressions(fromDate: "2016-01-01", toDate: "2025-12-31") { byRegion { total } } } } }`

const SENSORS = `{ sensors(limit: 500) { nodes { asset {
  impressions(fromDate: "2026-01-01", toDate: "2026-12-31") { hourly { total } } } } } }`

const KIEL = { filter: { city: ['Kiel'] } }
const YEAR = { limit: 500, to: '2026-12-31' }

/** What is counted before a query is allowed or refused: only what may show that it costs less than its limits say. */
test.each([
  ['the rows of groups', BY_REGION, {}, 'thirty', undefined, ['group-counts']],
  ['a list', '{ assets { nodes { id } } }', {}, 'thirty', undefined, []],
  ['groups of one asset', BY_CITY, {}, 'one', undefined, ['group-counts']],
  [
    'groups with too many values',
    BY_CITY,
    {},
    'thirty',
    { narrow: 'impressionsAggregate.rows' },
    ['group-counts', 'count-assets'],
  ],
  ['groups of few assets that match', BY_CITY, KIEL, 'thirty', undefined, ['group-counts', 'count-assets']],
  [
    'hours of the week of all assets of a group',
    WEEK,
    {},
    'thirty',
    { cost: 30 * 365 * 24, max_days: 277 },
    ['group-counts', 'count-assets'],
  ],
  ['hours of the week of those that match', WEEK, KIEL, 'thirty', undefined, ['group-counts', 'count-assets']],
  ['origins of many years', ORIGINS, {}, 'thirty', {}, ['count-assets']],
  ['hours of a few days', HOURS, { limit: 500, to: '2026-01-02' }, 'thirty', undefined, []],
  ['hours of a year', HOURS, YEAR, 'thirty', { limit: 200_000, narrow: 'assets', max_limit: 10 }, ['count-assets']],
  ['hours of few assets that match', HOURS, { ...YEAR, ...KIEL }, 'thirty', undefined, ['count-assets']],
  ['hours of few assets in scope', HOURS, YEAR, 'one', undefined, ['count-assets']],
  ['hours of few sensors in scope', SENSORS, {}, 'thirty', undefined, ['count-sensors']],
  [
    'many aliases',
    `{ ${Array.from({ length: 110 }, (_, i) => `a${i}: vendors { id }`).join(' ')} }`,
    {},
    'one',
    {},
    [],
  ],
] as const)('the cost of %s', async (_, query, variables, key, refused, counted) => {
  const { statements } = await watchTraffic(async () => {
    const { status, body } = await post(query, variables, key)
    expect([status, body.errors?.[0].extensions]).toEqual(
      refused ? [400, { code: 'QUERY_TOO_COSTLY', details: expect.objectContaining(refused) }] : [200, undefined],
    )
    if (refused) expect(body.data).toBeUndefined()
  })
  expect(statements.filter(name => /^(group-counts|count-(assets|sensors))$/.test(name))).toEqual(counted)
  // Nothing else is read for a query that is refused. Every batch authenticates the key again.
  if (refused) expect(statements).toEqual(['authenticate-key', ...counted.flatMap(name => ['authenticate-key', name])])
})

test('a query over the limit is allowed with the arguments that its message names', async () => {
  const { body } = await post(HOURS, YEAR, 'thirty')
  expect(body.errors[0].message).toMatch(/\d+ rows.*200000.*Narrow assets: lower limit to 10,/)
  const { max_limit: limit, max_days: days } = body.errors[0].extensions.details
  expect((await post(HOURS, { ...YEAR, limit }, 'thirty')).status).toBe(200)
  const to = new Date(Date.UTC(2026, 0, days)).toISOString().slice(0, 10)
  expect((await post(HOURS, { limit: 500, to }, 'thirty')).status).toBe(200)
})
