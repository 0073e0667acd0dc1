import { World } from '../support/world'
import { createSampleAssets, type SampleAssets } from './sample-assets'

let world: World
let sample: SampleAssets

beforeAll(async () => {
  world = await World.open()
  sample = await createSampleAssets(world.make)
})
afterAll(() => world.stop())

describe('an asset filter', () => {
  const names = async (filter: string) => {
    const { assets: page } = await world.graphql(
      sample.key,
      `{ assets(filter: { ${filter} }) { count nodes { name } } }`,
    )
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
    expect(await names(`companyId: ["${sample.acme.id}"]`)).toEqual(['5th Avenue', 'Zoo'])
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
      const { assets: page } = await world.graphql(sample.key, query, { after })
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

test('every key can list the vendors of sensors', async () => {
  const { vendors } = await world.graphql(sample.key, '{ vendors { name type finestGrain } }')
  expect(vendors).toContainEqual({ name: expect.any(String), type: 'own', finestGrain: 'minute' })
  expect(vendors).toContainEqual({ name: expect.any(String), type: 'third_party', finestGrain: 'hour' })
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
      `{ asset(id: "${sample.assets.york.id}") { impressions(fromDate: "2026-01-01", toDate: "2026-01-01") { timeseries(grain: minute) { total } } } }`,
    'nothing finer than quarter_hour',
  ],
  [
    'a date that does not exist',
    () => '{ impressions(assetId: "x", fromDate: "2026-02-30", toDate: "2026-03-01") { daily { total } } }',
    'Date',
  ],
])('%s is rejected', async (_, source, message) => {
  const { errors } = await world.query(sample.key, source())
  expect(errors?.[0]?.message).toContain(message)
})
