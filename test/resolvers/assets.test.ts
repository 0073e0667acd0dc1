/** Assets in GraphQL: filters, order, and the impressions and demographics of all that match. */
import type { Factory, Made, MadeAsset } from '../support/factories'
import { World } from '../support/world'

let world: World
/** A key of both companies with access to /graphql. */
let key: string
let acme: Made
let assets: Record<'berlin' | 'potsdam' | 'york' | 'fiji', MadeAsset>

beforeAll(async () => {
  world = await World.open()
  await world.make.together(prepare)
})
afterAll(() => world.stop())

/** Makes four assets of two companies with counts, origins and demographics, and an asset that is out of scope. */
async function prepare(make: Factory): Promise<void> {
  acme = await make.company('Acme')
  const zeta = await make.company('Zeta')
  assets = {
    berlin: await make.asset({
      company: acme,
      name: 'Zoo',
      city: 'Berlin',
      region: 'DE-BE',
      venue_type_id: 301,
      latitude: 52.5,
      longitude: 13.35,
    }),
    potsdam: await make.asset({
      company: zeta,
      name: 'zebra crossing',
      city: 'Potsdam',
      region: 'DE-BB',
      media_type: 'static',
      latitude: 52.39,
      longitude: 13.06,
    }),
    york: await make.asset({
      company: acme,
      name: '5th Avenue',
      country: 'US',
      region: 'US-NY',
      city: 'New York',
      status: 'inactive',
      time_zone: 'America/New_York',
      latitude: 40.75,
      longitude: -73.98,
      created_at: '2020-01-01T00:00:00Z',
    }),
    fiji: await make.asset({
      company: zeta,
      name: 'Taveuni',
      country: 'FJ',
      format: 'other',
      time_zone: 'Pacific/Fiji',
      latitude: -16.8,
      longitude: 179.98,
    }),
  }
  await make.asset({ name: 'Foreign zoo' })
  const own = await make.sensor({ asset: assets.berlin })
  const third = await make.sensor({ asset: assets.york, grain: 'quarter_hour' })
  const hours = await make.sensor({ asset: assets.potsdam, grain: 'hour' })
  await make.counts(own, '2026-01-01', () => 1)
  await make.counts(own, '2026-01-03', () => 2)
  await make.counts(third, '2026-01-01', () => 10)
  await make.counts(third, '2026-02-01', () => 1)
  await make.counts(hours, '2026-01-05', () => 5)
  await make.demographics(assets.berlin, '2026-01-01', { '25-34 male': 60 })
  await make.demographics(assets.york, '2026-01-01', { '25-34 female': 40 })
  await make.origin(assets.berlin, '2026-01-01', ['DE', 'DE-BE', 'Berlin'], 9)
  key = await make.key([acme, zeta], { scopes: ['internal:graphql:read'] })
}

describe('an asset filter', () => {
  const names = async (filter: string) => {
    const { assets: page } = await world.graphql(key, `{ assets(filter: { ${filter} }) { count nodes { name } } }`)
    const matching = page.nodes.map(({ name }: { name: string }) => name)
    expect(page.count).toBe(matching.length)
    return matching.sort()
  }

  test.each([
    ['', ['5th Avenue', 'Taveuni', 'Zoo', 'zebra crossing']],
    ['country: ["DE"]', ['Zoo', 'zebra crossing']],
    ['country: "DE", region: "DE-BB"', ['zebra crossing']],
    ['city: ["Berlin", "New York"]', ['5th Avenue', 'Zoo']],
    ['venueTypeId: 301', ['Zoo']],
    ['mediaType: static', ['zebra crossing']],
    ['format: other', ['Taveuni']],
    ['status: [inactive, archived]', ['5th Avenue']],
    ['nameContains: "Z"', ['Zoo', 'zebra crossing']],
    ['nameContains: "%"', []],
    ['box: { south: 52, west: 13, north: 53, east: 14 }', ['Zoo', 'zebra crossing']],
    ['box: { south: -20, west: 179, north: 0, east: -179 }', ['Taveuni']],
    ['near: { latitude: 52.5, longitude: 13.35, meters: 100 }', ['Zoo']],
    ['near: { latitude: 52.5, longitude: 13.35, meters: 24000 }', ['Zoo', 'zebra crossing']],
    ['near: { latitude: -16.8, longitude: -179.98, meters: 5000 }', ['Taveuni']],
    ['hasOwnSensor: true', ['Zoo']],
    ['hasOwnSensor: false', ['5th Avenue', 'Taveuni', 'zebra crossing']],
    ['id: ["nothing"]', []],
  ])('{ %s } matches %j', async (filter, expected) => {
    expect(await names(filter)).toEqual(expected)
  })

  test('by company id matches nothing of a company out of scope', async () => {
    expect(await names(`companyId: ["${acme.id}"]`)).toEqual(['5th Avenue', 'Zoo'])
    const foreign = await world.make.company()
    await world.make.asset({ company: foreign })
    expect(await names(`companyId: ["${foreign.id}"]`)).toEqual([])
  })
})

describe('sorted assets', () => {
  const namesInOrder = async (sort: string) => {
    const names: string[] = []
    let after: string | null = null
    for (;;) {
      const query = `query ($after: ID) { assets(limit: 1, after: $after, sort: { ${sort} }) { hasMore nodes { id name } } }`
      const { assets: page } = await world.graphql(key, query, { after })
      names.push(...page.nodes.map(({ name }: { name: string }) => name))
      if (!page.hasMore) return names
      after = page.nodes.at(-1).id
    }
  }

  test('keep their order across pages, ascending and descending', async () => {
    expect(await namesInOrder('by: name')).toEqual(['5th Avenue', 'Taveuni', 'zebra crossing', 'Zoo'])
    expect(await namesInOrder('by: name, descending: true')).toEqual(['Zoo', 'zebra crossing', 'Taveuni', '5th Avenue'])
    expect((await namesInOrder('by: created'))[0]).toBe('5th Avenue')
    expect((await namesInOrder('by: measured_to, descending: true'))[0]).toBe('5th Avenue')
    expect(await namesInOrder('by: id, descending: true')).toEqual((await namesInOrder('by: id')).reverse())
    expect((await namesInOrder('by: updated')).length).toBe(4)
  })
})

test.each([
  ['a limit over 500', () => '{ assets(limit: 501) { nodes { id } } }', 'limit must be a whole number from 1 to 500'],
  [
    'a range that ends before it starts',
    () => '{ assets { impressions(fromDate: "2026-02-01", toDate: "2026-01-01") { total } } }',
    'from_date',
  ],
  [
    'a grain finer than the sensors deliver',
    () =>
      `{ asset(id: "${assets.york.id}") { impressions(fromDate: "2026-01-01", toDate: "2026-01-01") { timeseries(grain: minute) { total } } } }`,
    'nothing finer than quarter_hour',
  ],
  [
    'a date that does not exist',
    () => '{ impressions(assetId: "x", fromDate: "2026-02-30", toDate: "2026-03-01") { daily { total } } }',
    'Date',
  ],
])('%s is rejected', async (_, source, message) => {
  const { errors } = await world.query(key, source())
  expect(errors?.[0]?.message).toContain(message)
})

const RANGE = 'fromDate: "2026-01-01", toDate: "2026-01-31"'

describe('impressions of a group of assets', () => {
  const group = async (selection: string, filter = '{}') =>
    (await world.graphql(key, `{ assets(filter: ${filter}) { impressions(${RANGE}) { ${selection} } } }`)).assets
      .impressions

  test('are summed over all assets of the filter, not over one page', async () => {
    const source = `{ assets(limit: 1) { nodes { id } impressions(${RANGE}) { total } } }`
    const { assets: page } = await world.graphql(key, source)
    const total = 1440 + 2880 + 960 + 120
    expect(page.impressions).toEqual({ total })
    expect(await group('total', '{ country: "DE" }')).toEqual({ total: 4440 })
    expect(await group('total', '{ country: "FJ" }')).toEqual({ total: 0 })
  })

  test('are a table by day, week and region, and ranked by asset', async () => {
    const table = async (args: string, fields: string) =>
      (await world.graphql(key, `{ impressionsAggregate(${RANGE}${args}) { rows { ${fields} } } }`))
        .impressionsAggregate.rows
    const days = await table('', 'start impressions')
    expect(days).toHaveLength(31)
    expect(days.slice(0, 3)).toEqual([
      { start: '2026-01-01', impressions: 2400 },
      { start: '2026-01-02', impressions: null },
      { start: '2026-01-03', impressions: 2880 },
    ])
    expect((await table(', grain: week', 'start impressions')).slice(0, 3)).toEqual([
      { start: '2026-01-01', impressions: 5280 },
      { start: '2026-01-05', impressions: 120 },
      { start: '2026-01-12', impressions: null },
    ])
    expect(await table(', grain: month, groupBy: region', 'country region impressions assetsWithData')).toEqual([
      { country: 'DE', region: 'DE-BB', impressions: 120, assetsWithData: 1 },
      { country: 'DE', region: 'DE-BE', impressions: 4320, assetsWithData: 1 },
      { country: 'FJ', region: null, impressions: null, assetsWithData: 0 },
      { country: 'US', region: 'US-NY', impressions: 960, assetsWithData: 1 },
    ])
    expect(await group('top(limit: 2) { asset { name } impressions share }')).toEqual({
      top: [
        { asset: { name: 'Zoo' }, impressions: 4320, share: 0.8 },
        { asset: { name: '5th Avenue' }, impressions: 960, share: 0.1778 },
      ],
    })
  })

  test('are reported once when the database fails', async () => {
    const unhandled = jest.fn()
    process.on('unhandledRejection', unhandled)
    const compare = `compare(fromDate: "2026-02-01", toDate: "2026-02-28") { comparedWith }`
    await world.owner.query('ALTER TABLE class_months RENAME TO renamed')
    const { errors } = await world.query(key, `{ assets { impressions(${RANGE}) { ${compare} } } }`)
    await world.owner.query('ALTER TABLE renamed RENAME TO class_months')
    expect(errors).toHaveLength(1)
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  test('are compared with another range of days', async () => {
    const comparison =
      'compare(fromDate: "2026-02-01", toDate: "2026-02-28") { impressions comparedWith change changeRate }'
    expect((await group(comparison, '{ city: "New York" }')).compare).toEqual({
      impressions: 960,
      comparedWith: 96,
      change: 864,
      changeRate: 9,
    })
    expect((await group(comparison, '{ city: "Berlin" }')).compare).toMatchObject({ comparedWith: 0, changeRate: null })
  })
})

test('the demographics of a group of assets are counted together', async () => {
  const source = `{ demographicsAggregate(${RANGE}) { assetCount total gender { gender impressions } } }`
  expect((await world.graphql(key, source)).demographicsAggregate).toMatchObject({
    assetCount: 2,
    total: 100,
  })
})
