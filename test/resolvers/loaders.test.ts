import { watchTraffic } from '../support/traffic'
import { World } from '../support/world'

let world: World

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

const ASSETS = 24

const RANGE = 'fromDate: "2026-01-01", toDate: "2026-01-31"'

test('fields nested under a list take the same number of statements for many assets as for one', async () => {
  const company = await world.make.company()
  const own = await world.make.key([company], { scopes: ['internal:graphql:read'] })
  await world.make.together(async make => {
    for (let i = 0; i < ASSETS; i++) {
      const asset = await make.asset({ company })
      const sensor = await make.sensor({ asset, grain: i % 2 ? 'minute' : 'quarter_hour' })
      await make.counts(sensor, '2026-01-01', interval => interval % 3)
      if (i % 3) await make.demographics(asset, '2026-01-01', { '65+ male': 70 })
    }
  })
  const nested = `query ($limit: Int!) { assets(limit: $limit) {
    count
    nodes {
      id name company { name } sensors { serial health { status } asset { name company { name } } }
      impressions(fromDate: "2026-01-01", toDate: "2026-01-02") {
        summary { total } daily { rows { impressions coverage } } hours: timeseries(grain: hour) { total } quarters: timeseries(grain: quarter_hour) { total }
        byRegion { total } byCity { total }
      }
      demographics(fromDate: "2026-01-01", toDate: "2026-01-02") { total gender { share } }
    }
  } }`
  const top = `query ($limit: Int!) { assets { impressions(${RANGE}) {
    total byWeekday { impressions } top(limit: $limit) { asset { name sensors { serial } } }
  } } }`
  const traffic = async (source: string, limit: number) => {
    // biome-ignore lint/suspicious/noExplicitAny: tests read the data freely
    let data: any
    const { statements } = await watchTraffic(async () => {
      data = await world.graphql(own, source, { limit })
    })
    return { statements: statements.sort(), assets: data.assets }
  }
  // Reads the rules of the time zone, once for the process.
  await traffic(nested, 1)
  const [one, many] = [await traffic(nested, 1), await traffic(nested, ASSETS)]
  expect(many.assets.nodes).toHaveLength(ASSETS)
  expect(many.statements).toEqual(one.statements)
  expect(many.assets.nodes[0]).toEqual(one.assets.nodes[0])
  const [first, all] = [await traffic(top, 1), await traffic(top, ASSETS)]
  expect(all.assets.impressions.top).toHaveLength(ASSETS)
  expect(all.statements).toEqual(first.statements)
  for (const { id, impressions } of many.assets.nodes.slice(0, 5)) {
    const { total } = await world.read(
      `/v1/partner/assets/${id}/impressions/summary?from_date=2026-01-01&to_date=2026-01-02`,
      own,
    )
    expect([impressions.summary.total, impressions.hours.total, impressions.quarters.total]).toEqual([
      total,
      total,
      total,
    ])
  }
})
