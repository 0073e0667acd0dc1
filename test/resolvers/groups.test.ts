/**
 * Assets and groups of assets in GraphQL: filters, order, and the figures of all that match. What is expected follows from responses of REST,
 * which the world compares.
 */
import { AGE_BANDS, GENDERS } from '../../db/queries/demographics'
import type { Factory, Made } from '../support/factories'
import { watchTraffic } from '../support/traffic'
import { World } from '../support/world'

let world: World
/** A key of both companies. */
let key: string
let companies: Made[]

const dayAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

const round = (value: number, places = 4) => Math.round(value * 10 ** places) / 10 ** places

/** A pseudorandom number below a limit. */
const random = (() => {
  let state = 7
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
})()

const PLACES = [
  { country: 'DE', city: 'Berlin', latitude: 52.5, longitude: 13.35, time_zone: 'Europe/Berlin' },
  { country: 'DE', city: 'Potsdam', latitude: 52.39, longitude: 13.06, time_zone: 'Europe/Berlin' },
  { country: 'DE', city: null, latitude: 50, longitude: 8, media_type: 'static', time_zone: 'Europe/Berlin' },
  { country: 'US', city: 'Boston', latitude: 42, longitude: -71, status: 'inactive', time_zone: 'America/New_York' },
  { country: 'FJ', city: 'Suva', latitude: -16.8, longitude: 179.98, time_zone: 'Pacific/Fiji' },
]

beforeAll(async () => {
  world = await World.open()
  await world.make.together(prepare)
})
afterAll(() => world.stop())

/** Makes five assets of each company, with counts of days and demographics, and an asset that is out of scope. */
async function prepare(make: Factory): Promise<void> {
  companies = [await make.company('Acme'), await make.company('Zeta')]
  key = await make.key(companies, { scopes: ['internal:graphql:read'] })
  for (const [i, place] of [...PLACES, ...PLACES].entries()) {
    const format = i % 3 === 0 ? 'transit' : 'billboard'
    const attributes = { name: `Asset ${9 - i}`, format, external_ids: { hivestack: `a:${i}` }, ...place }
    const asset = await make.asset({ company: companies[i < 5 ? 0 : 1]!, ...attributes })
    // The last asset of each company has no counts, and one has none in the second range.
    if (i % 5 === 4) continue
    const sensor = await make.sensor({ asset, grain: 'day' })
    for (let date = '2026-01-05'; date < '2026-04-20'; date = dayAfter(date, 1 + random(3))) {
      if (i === 2 && date > '2026-02-28') break
      const count = random(5) === 0 ? 0 : random(1_000)
      await make.counts(sensor, date, () => count)
      const group = `${AGE_BANDS[random(AGE_BANDS.length)]} ${GENDERS[random(GENDERS.length)]}`
      if (random(2) === 0) await make.demographics(asset, date, { [group]: 1 + (count % 20) })
    }
  }
  const foreign = await make.asset({ name: 'Foreign', city: 'Berlin' })
  await make.counts(await make.sensor({ asset: foreign, grain: 'day' }), '2026-03-03', () => 77_777)
}

test.each([
  ['', 10],
  ['country: ["DE"]', 6],
  ['country: "DE", city: "Potsdam"', 2],
  ['city: ["Berlin", "Boston"]', 4],
  ['mediaType: static', 2],
  ['format: transit', 4],
  ['status: [inactive, archived]', 2],
  ['nameContains: "ASSET 7"', 1],
  ['nameContains: "%"', 0],
  ['box: { south: 52, west: 13, north: 53, east: 14 }', 4],
  ['box: { south: -20, west: 179, north: 0, east: -179 }', 2],
  ['near: { latitude: 52.5, longitude: 13.35, meters: 100 }', 2],
  ['near: { latitude: 52.5, longitude: 13.35, meters: 24000 }', 4],
  ['near: { latitude: -16.8, longitude: -179.98, meters: 5000 }', 2],
  ['hasOwnSensor: true', 0],
  ['hasOwnSensor: false', 10],
  ['externalId: [{ system: "hivestack", id: "a:1" }]', 1],
  ['externalId: [{ system: "hivestack:a", id: "1" }]', 0],
  [() => `companyId: ["${companies[0]?.id}"]`, 5],
  [() => 'companyId: ["nothing"]', 0],
])('the filter { %s } matches %i assets', async (filter, expected) => {
  const given = typeof filter === 'string' ? filter : filter()
  const { assets: page } = await world.graphql(key, `{ assets(filter: { ${given} }) { count nodes { externalIds } } }`)
  expect([page.count, page.nodes.length]).toEqual([expected, expected])
  for (const { externalIds } of page.nodes) expect(externalIds).toEqual({ hivestack: expect.stringMatching(/^a:/) })
})

test.each([true, false])('what a group has is selected on a condition that is %s', async rows => {
  const query = `query ($rows: Boolean!) {
    impressionsAggregate(fromDate: "2026-03-03", toDate: "2026-03-03", groupBy: city) { total rows @include(if: $rows) { city } }
  }`
  const { impressionsAggregate: found } = await world.graphql(key, query, { rows })
  expect([found.total > 0, found.rows?.length > 1]).toEqual([true, rows])
})

test('a filter with an unknown id has no page', async () => {
  expect(await world.graphql(key, '{ assets(filter: { id: ["nothing"] }) { count } }')).toEqual({ assets: null })
})

const JANUARY = '(fromDate: "2026-01-01", toDate: "2026-01-31")'

test.each([
  `nodes {
    company { name } sensors { serial } demographics${JANUARY} { total }
    impressions${JANUARY} { summary { total } daily { total } byCity { total } }
  }`,
  `impressions${JANUARY} { top(limit: $limit) { name } }`,
])('fields nested under a list take the same number of statements for all assets as for a few (%#)', async fields => {
  const query = `query ($limit: Int!) { assets(limit: $limit) { count ${fields} } }`
  const statementsOf = async (limit: number) => {
    const { statements } = await watchTraffic(() => world.graphql(key, query, { limit }))
    // The number of batches, each of which authenticates the key, depends on the time that they take.
    return statements.filter(name => name !== 'authenticate-key').sort()
  }
  // Reads the rules of time zones, once for the process.
  await statementsOf(10)
  // Two assets have no sensors.
  expect(await statementsOf(10)).toEqual(await statementsOf(3))
})

/** Cut months, also with whole ones in between. */
const RANGES = [
  ['2026-02-01', '2026-02-17', '2026-03-01', '2026-03-17'],
  ['2026-02-10', '2026-04-09', '2026-01-05', '2026-03-02'],
] as const

const FILTERS = ['', 'country: "DE"', 'nameContains: "Asset 7"']

interface Figures {
  asset_id: string
  start: string
  country: string
  city: string | null
  impressions: number | null
  days_with_data: number
  coverage: number | null
}

const sumOf = (rows: { impressions: number | null }[]) => {
  const values = rows.flatMap(({ impressions }) => impressions ?? [])
  return values.length > 0 ? values.reduce((sum, value) => sum + value) : null
}

/** The figures of an asset in both ranges, the change of which is that of the average per day with data. */
const changeOf = (own: Figures, other: Figures) => {
  const change = isComparable(own, other) ? perDay(own) - perDay(other) : null
  return {
    ...figuresOf(own),
    comparedWith: other.impressions,
    comparedDaysWithData: other.days_with_data,
    comparedCoverage: other.coverage,
    change: change === null ? null : round(change, 2),
    changeRate: change === null || !perDay(other) ? null : round(change / perDay(other)),
  }
}

const figuresOf = ({ impressions, days_with_data, coverage }: Figures) => ({
  ...{ impressions, daysWithData: days_with_data, coverage },
})

const isComparable = (own: Figures, other: Figures) => own.days_with_data > 0 && other.days_with_data > 0

const perDay = ({ impressions, days_with_data }: Figures) => (impressions ?? 0) / days_with_data

const CHANGE = 'impressions daysWithData coverage comparedWith comparedDaysWithData comparedCoverage change changeRate'

describe.each(FILTERS.map((filter, i) => [RANGES[i % 2]!, filter] as const))(
  'in the range %j the assets { %s }',
  (range, filter) => {
    const [from, to, before, until] = range
    const query = filter.replace(
      /(\w+): "(.*)"/,
      (_, name, value) => `&${name === 'country' ? name : 'name_contains'}=${value}`,
    )
    const read = async (first: string, last: string, groupBy: string): Promise<Figures[]> => {
      const path = `/v1/partner/impressions/aggregate?from_date=${first}&to_date=${last}&group_by=${groupBy}${query}`
      return (await world.read(encodeURI(path), key)).data
    }
    const readGroup = async (selection: string) => {
      const data = await world.graphql(
        key,
        `{ assets(filter: { ${filter} }) { nodes { id name country city } impressions(fromDate: "${from}", toDate: "${to}") { ${selection} } } }`,
      )
      return { nodes: data.assets.nodes, ...data.assets.impressions }
    }
    const AGAINST = `fromDate: "${before}", toDate: "${until}"`

    test.each([
      ['impressions', 'impressions', true],
      ['change', 'change', false],
      ['change_rate', 'changeRate', true],
    ] as const)('are sorted by %s (%s, descending: %s), with their change', async (by, figure, descending) => {
      const sort = `against: { ${AGAINST} }, sort: { by: ${by}, descending: ${descending} }`
      const fields = `assetId name ${CHANGE} share`
      const found = await readGroup(
        `total top(limit: 500, ${sort}) { ${fields} } first: top(limit: 3, ${sort}) { assetId }`,
      )
      const former = await read(before, until, 'asset')
      const expected = (await read(from, to, 'asset'))
        .filter(({ impressions }) => impressions !== null)
        .map(row => {
          const assetId = row.asset_id
          const { name } = found.nodes.find(({ id }: { id: string }) => id === assetId)
          const share = round(row.impressions! / found.total)
          const other = former.find(({ asset_id }) => asset_id === assetId)!
          return { assetId, name, ...changeOf(row, other), share }
        })
        .sort((a, b) => {
          const [x, y] = [a[figure], b[figure]]
          const isNull = (x === null ? 1 : 0) - (y === null ? 1 : 0)
          return isNull || ((x ?? 0) - (y ?? 0)) * (descending ? -1 : 1) || (a.assetId < b.assetId ? -1 : 1)
        })
      expect(found.top).toEqual(expected)
      expect(found.first).toEqual(expected.slice(0, 3).map(({ assetId }) => ({ assetId })))
    })

    test('have together the change of those that have data in both', async () => {
      const { compare } = await readGroup(`compare(${AGAINST}) { ${CHANGE} }`)
      const [rows, former] = [await read(from, to, 'asset'), await read(before, until, 'asset')]
      const pairs = rows.map(own => [own, former.find(({ asset_id }) => asset_id === own.asset_id)!] as const)
      const both = pairs.filter(([own, other]) => isComparable(own, other))
      const add = (values: number[]) => values.reduce((sum, value) => sum + value, 0)
      const daily = add(both.map(([own]) => perDay(own)))
      const dailyBefore = add(both.map(([, other]) => perDay(other)))
      const daysOf = (figures: Figures[]) => add(figures.map(({ days_with_data }) => days_with_data))
      // Each asset has one sensor of days, but for those that never have data.
      const measured = pairs.filter(([own, other]) => daysOf([own, other]) > 0).length
      const coverageOf = (figures: Figures[], first: string, last: string) =>
        round(daysOf(figures) / (measured * (1 + (Date.parse(last) - Date.parse(first)) / 86_400_000)))
      expect(compare).toEqual({
        ...{ impressions: sumOf(rows) ?? 0, daysWithData: daysOf(rows), coverage: coverageOf(rows, from, to) },
        ...{ comparedWith: sumOf(former) ?? 0, comparedDaysWithData: daysOf(former) },
        comparedCoverage: coverageOf(former, before, until),
        change: both.length > 0 ? round(daily - dailyBefore, 2) : null,
        changeRate: both.length > 0 ? round((daily - dailyBefore) / dailyBefore) : null,
      })
    })

    test('have the total of their days', async () => {
      expect((await readGroup('total')).total).toBe(sumOf(await read(from, to, 'city')) ?? 0)
    })
  },
)

const RANGE = 'fromDate: "2026-03-01", toDate: "2026-03-31"'
const NO_RANGE = 'fromDate: "2026-02-01", toDate: "2026-01-01"'

test.each([
  ['assets(limit: 501) { count }', 'INVALID_PARAMETER'],
  [`assets { impressions(${NO_RANGE}) { total } }`, 'INVALID_DATE_RANGE'],
  [`assets { impressions(${RANGE}) { top(sort: { by: change }) { name } } }`, 'INVALID_PARAMETER'],
  [`assets { impressions(${RANGE}) { top(against: { ${NO_RANGE} }) { name } } }`, 'INVALID_DATE_RANGE'],
  [
    'impressions(assetId: "x", fromDate: "2026-02-30", toDate: "2026-03-01") { daily { total } }',
    'GRAPHQL_VALIDATION_FAILED',
  ],
])('{ %s } is refused with %s', async (selection, code) => {
  const { body } = await world.get(`/graphql?query=${encodeURIComponent(`{ ${selection} }`)}`, { key })
  expect(body.errors.map(({ extensions }: { extensions: object }) => extensions)).toMatchObject([{ code }])
})

test('an error of the database is reported once, although several fields read', async () => {
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  await world.owner.query('ALTER TABLE asset_months RENAME TO renamed')
  const { errors } = await world.query(
    key,
    `{ assets { impressions(${RANGE}) { compare(${RANGE}) { comparedWith } } } }`,
  )
  await world.owner.query('ALTER TABLE renamed RENAME TO asset_months')
  process.off('unhandledRejection', unhandled)
  expect([errors?.length, unhandled.mock.calls]).toEqual([1, []])
})
