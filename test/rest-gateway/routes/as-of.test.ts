/** `as_of`: responses as they were at an instant. */

import { Readable } from 'node:stream'
import { runDeletion } from '../../../db/operations/run-deletion'
import { importFile } from '../../../imports/import-file'
import { World } from '../../support/world'

let world: World
let key: string
let asset: { id: string; number: number }

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

const latest = async (): Promise<number> =>
  (await world.owner.query('SELECT max(number) AS number FROM feed_transactions')).rows[0].number

/** RFC 3339 with microseconds. */
const format = (microseconds: number): string =>
  `${new Date(Math.floor(microseconds / 1e6) * 1000).toISOString().slice(0, 19)}.${String(microseconds % 1e6).padStart(6, '0')}Z`

const store = (kind: 'sensors' | 'impressions', ...lines: string[]) =>
  importFile(world.owner, kind, Readable.from([lines.join('\n')]))

const RANGE = 'from_date=2026-03-01&to_date=2026-03-03'

test('returns what a day was before its first value, after it, after a correction, and after a deletion', async () => {
  const { make, owner } = world
  const company = await make.company()
  key = await make.key([company])
  asset = await make.asset({ company })
  const vendor = await make.vendor('hour')
  const instants = [await latest()]
  const columns = 'serial,model,vendor_id,asset_id,installed_at'
  await store('sensors', columns, `L1,M,${vendor.id},${asset.id},2026-01-01T00:00Z`)
  await store('impressions', 'sensor,start,impressions', 'L1,2026-03-01T12:00Z,5', 'L1,2026-03-02T12:00Z,7')
  instants.push(await latest())
  await store('impressions', 'sensor,start,impressions', 'L1,2026-03-01T12:00Z,6', 'L1,2026-03-01T13:00Z,0')
  instants.push(await latest())
  await runDeletion(owner, {
    request: { kind: 'impressions', of: ['L1'], from: '2026-03-02', to: '2026-03-02' },
    operation: { command: 'delete impressions' },
  })
  instants.push(await latest())
  const days: unknown[] = []
  for (const instant of instants) {
    const { data } = await world.read(`${daily()}&as_of=${format(instant)}`, key)
    days.push(data.map((row: Record<string, unknown>) => [row.impressions, row.coverage]))
    const aggregate = await world.read(`/v1/partner/impressions/aggregate?${RANGE}&as_of=${format(instant)}`, key)
    expect(aggregate.data.map((row: Record<string, unknown>) => [row.impressions, row.coverage])).toEqual(days.at(-1))
  }
  const none = [null, 0]
  expect(days).toEqual([
    [none, none, none],
    [[5, 0.0417], [7, 0.0417], none],
    [[6, 0.0833], [7, 0.0417], none],
    [[6, 0.0833], none, none],
  ])
})

const daily = () => `/v1/partner/assets/${asset.id}/impressions/daily?${RANGE}`

test('has an entity tag of its own, which is valid until the data change', async () => {
  const path = `${daily()}&as_of=${format(await latest())}`
  const { headers } = await world.get(path, { key })
  const ifChanged = { 'If-None-Match': headers.etag as string }
  expect((await world.get(path, { key, headers: ifChanged })).status).toBe(304)
  expect((await world.get(daily(), { key, headers: ifChanged })).status).toBe(200)
})

test('days that were not over six hours before are missing, though they have counts now', async () => {
  const today = new Date().toISOString().slice(0, 10)
  await store('impressions', 'sensor,start,impressions', `L1,${today}T00:00Z,3`)
  const path = daily().replace(RANGE, `from_date=${today}&to_date=${today}`)
  expect((await world.read(path, key)).total).toBe(3)
  expect((await world.read(`${path}&as_of=${new Date().toISOString()}`, key)).data).toMatchObject([
    { impressions: null, coverage: 0 },
  ])
})

test.each([
  ['2026-03-01', /^a time in RFC 3339/],
  ['2020-01-01T00:00:00Z', /^at or after 20\d\d-/],
  ['2999-01-01T00:00:00Z', /^not in the future$/],
])('as_of=%s is refused', async (asOf, expected) => {
  const id = asset.id
  for (const path of [
    ...['summary?', 'daily?', 'timeseries?grain=month&'].map(route => `assets/${id}/impressions/${route}`),
    'impressions?',
    'impressions/aggregate?',
    'impressions/aggregate?group_by=asset&',
  ]) {
    const { status, body } = await world.get(`/v1/partner/${path}${RANGE}&as_of=${asOf}`, { key })
    expect([path, status, body.error.code]).toEqual([path, 400, 'INVALID_PARAMETER'])
    expect(body.error.details).toEqual({ parameter: 'as_of', value: asOf, expected: expect.stringMatching(expected) })
  }
})

test('grains within a day, and routes of which only totals are kept, have no as_of', async () => {
  const asOf = format(await latest())
  for (const path of [`assets/${asset.id}/impressions/timeseries?grain=hour`, 'impressions?grain=quarter_hour']) {
    const { status, body } = await world.get(`/v1/partner/${path}&${RANGE}&as_of=${asOf}`, { key })
    expect([status, body.error.details.expected]).toEqual([400, 'left out at grains finer than day'])
  }
  for (const route of ['impressions/hourly', 'impressions/by-region', 'impressions/by-city', 'demographics']) {
    const { status, body } = await world.get(`/v1/partner/assets/${asset.id}/${route}?${RANGE}&as_of=${asOf}`, {
      key,
    })
    expect([status, body.error.details]).toMatchObject([400, { parameter: 'as_of' }])
  }
})

test('GraphQL takes it as an argument', async () => {
  const analyst = await world.make.key([{ id: '', number: (await world.make.company()).number }], {
    scopes: ['internal:graphql:read'],
  })
  const asOf = format(await latest())
  const query = `{ impressionsAggregate(fromDate: "2026-03-01", toDate: "2026-03-01", asOf: "${asOf}") { total }
    assets { nodes { impressions(fromDate: "2026-03-01", toDate: "2026-03-01") { daily(asOf: "${asOf}") { total } } } } }`
  const { body } = await world.get('/graphql', {
    key: analyst,
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { 'Content-Type': 'application/json' },
  })
  expect(body).toEqual({ data: { impressionsAggregate: { total: 0 }, assets: { nodes: [] } } })
})
