/** `as_of`: what it is refused for, and its entity tags. The world proves what it returns. */
import type { MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

const RANGE = 'from_date=2026-03-01&to_date=2026-03-03'

let world: World
let key: string
let asset: MadeAsset
/** The last transaction. */
let asOf: string

beforeAll(async () => {
  world = await World.open()
  await world.make.together(async make => {
    const company = await make.company()
    key = await make.key([company], { scopes: ['internal:graphql:read'] })
    asset = await make.asset({ company })
    await make.counts(await make.sensor({ asset, grain: 'hour' }), '2026-03-01', () => 5)
  })
  const [row] = await world.rows('SELECT max(number) AS number FROM transactions')
  const microseconds = Number(row?.number)
  const seconds = new Date(Math.floor(microseconds / 1e6) * 1000).toISOString().slice(0, 19)
  asOf = `${seconds}.${String(microseconds % 1e6).padStart(6, '0')}Z`
})
afterAll(() => world.stop())

test.each([
  ['2026-03-01', /^a time in RFC 3339/],
  ['2020-01-01T00:00:00Z', /^at or after 20\d\d-/],
  ['2999-01-01T00:00:00Z', /^not in the future$/],
])('%s is refused', async (value, expected) => {
  for (const path of [
    ...['summary?', 'daily?', 'timeseries?grain=month&'].map(route => `assets/${asset.id}/impressions/${route}`),
    'impressions?',
    'impressions/aggregate?',
    'impressions/aggregate?group_by=asset&',
  ]) {
    const { status, body } = await world.get(`/v1/partner/${path}${RANGE}&as_of=${value}`, { key })
    expect([path, status, body.error.code]).toEqual([path, 400, 'INVALID_PARAMETER'])
    expect(body.error.details).toEqual({ parameter: 'as_of', value, expected: expect.stringMatching(expected) })
  }
})

test('grains within a day, and routes of which only totals are kept, have none', async () => {
  for (const path of [`assets/${asset.id}/impressions/timeseries?grain=hour`, 'impressions?grain=quarter_hour']) {
    const { status, body } = await world.get(`/v1/partner/${path}&${RANGE}&as_of=${asOf}`, { key })
    expect([status, body.error.details.expected]).toEqual([400, 'left out at grains finer than day'])
  }
  for (const route of ['impressions/hourly', 'impressions/by-region', 'impressions/by-city', 'demographics']) {
    const { status, body } = await world.get(`/v1/partner/assets/${asset.id}/${route}?${RANGE}&as_of=${asOf}`, { key })
    expect([status, body.error.details]).toMatchObject([400, { parameter: 'as_of' }])
  }
})

test('is an argument in GraphQL', async () => {
  const range = 'fromDate: "2026-03-01", toDate: "2026-03-01"'
  const query = `{ impressionsAggregate(${range}, asOf: "${asOf}") { total }
    assets { nodes { impressions(${range}) { daily(asOf: "${asOf}") { total } } } } }`
  const { body } = await world.get(`/graphql?query=${encodeURIComponent(query)}`, { key })
  expect(body.data).toEqual({
    impressionsAggregate: { total: 120 },
    assets: { nodes: [{ impressions: { daily: { total: 120 } } }] },
  })
})
