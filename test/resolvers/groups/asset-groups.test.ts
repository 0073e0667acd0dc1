import { World } from '../../support/world'
import { createSampleAssets, type SampleAssets } from '../sample-assets'

let world: World
let sample: SampleAssets

beforeAll(async () => {
  world = await World.open()
  sample = await createSampleAssets(world.make)
})
afterAll(() => world.stop())

const RANGE = 'fromDate: "2026-01-01", toDate: "2026-01-31"'

describe('impressions of a group of assets', () => {
  const group = async (selection: string, filter = '{}') =>
    (await world.graphql(sample.key, `{ assets(filter: ${filter}) { impressions(${RANGE}) { ${selection} } } }`)).assets
      .impressions

  test('are summed over all assets of the filter, not over one page', async () => {
    const source = `{ assets(limit: 1) { nodes { id } impressions(${RANGE}) { total assetCount daysWithData } } }`
    const { assets: page } = await world.graphql(sample.key, source)
    const total = 1440 + 2880 + 960 + 120
    expect(page.impressions).toEqual({ total, assetCount: 4, daysWithData: 3 })
    expect(await group('total assetCount', '{ country: "DE" }')).toEqual({ total: 4440, assetCount: 2 })
    expect(await group('total assetCount', '{ country: "FJ" }')).toEqual({ total: 0, assetCount: 1 })
  })

  test('are grouped by day, week, company and region, and ranked by asset', async () => {
    const { series } = await group('series { date impressions }')
    expect(series).toHaveLength(31)
    expect(series.slice(0, 3)).toEqual([
      { date: '2026-01-01', impressions: 2400 },
      { date: '2026-01-02', impressions: null },
      { date: '2026-01-03', impressions: 2880 },
    ])
    const weeks = await group('series(grain: week) { date impressions }')
    expect(weeks.series.slice(0, 3)).toEqual([
      { date: '2026-01-01', impressions: 5280 },
      { date: '2026-01-05', impressions: 120 },
      { date: '2026-01-12', impressions: null },
    ])
    expect(await group('byCompany { company { name } impressions share assetCount }')).toEqual({
      byCompany: [
        { company: { name: 'Acme' }, impressions: 5280, share: 0.9778, assetCount: 2 },
        { company: { name: 'Zeta' }, impressions: 120, share: 0.0222, assetCount: 2 },
      ],
    })
    expect(await group('byCompany { company { name } impressions share assetCount }', '{ country: "US" }')).toEqual({
      byCompany: [
        { company: { name: 'Acme' }, impressions: 960, share: 1, assetCount: 1 },
        { company: { name: 'Zeta' }, impressions: 0, share: 0, assetCount: 0 },
      ],
    })
    expect(await group('byRegion { country region impressions assetCount }')).toEqual({
      byRegion: [
        { country: 'DE', region: 'DE-BE', impressions: 4320, assetCount: 1 },
        { country: 'US', region: 'US-NY', impressions: 960, assetCount: 1 },
        { country: 'DE', region: 'DE-BB', impressions: 120, assetCount: 1 },
        { country: 'FJ', region: null, impressions: 0, assetCount: 1 },
      ],
    })
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
    const { errors } = await world.query(sample.key, `{ assets { impressions(${RANGE}) { ${compare} } } }`)
    await world.owner.query('ALTER TABLE renamed RENAME TO class_months')
    expect(errors).toHaveLength(1)
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  test('are compared with another range of days, as are those of one asset', async () => {
    const comparison =
      'compare(fromDate: "2026-02-01", toDate: "2026-02-28") { impressions comparedWith change changeRate }'
    expect((await group(comparison, '{ city: "New York" }')).compare).toEqual({
      impressions: 960,
      comparedWith: 96,
      change: 864,
      changeRate: 9,
    })
    expect((await group(comparison, '{ city: "Berlin" }')).compare).toMatchObject({ comparedWith: 0, changeRate: null })
    const { asset } = await world.graphql(
      sample.key,
      `{ asset(id: "${sample.assets.york.id}") { impressions(fromDate: "2026-02-01", toDate: "2026-02-01") {
        compare(${RANGE}) { change changeRate } } } }`,
    )
    expect(asset.impressions.compare).toEqual({ change: -864, changeRate: -0.9 })
  })
})

test('the demographics of a group of assets are counted together', async () => {
  const source = `{ assets { demographics(${RANGE}) { assetCount total gender { gender impressions } } } }`
  expect((await world.graphql(sample.key, source)).assets.demographics).toMatchObject({
    assetCount: 2,
    total: 100,
  })
})
