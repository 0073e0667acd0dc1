/** The ready queries of the explorer on the demo data, without a browser. */
import { monthToDate } from '../../../web/explorer/queries/analyst-queries'
import { chooseDefaults, type MeasuredAsset, type QueryDefaults } from '../../../web/explorer/queries/query-defaults'
import { READY_QUERIES } from '../../../web/explorer/queries/ready-queries'
import { findKinds, findMeasures } from '../../../web/explorer/results/chart/charts'
import { findTables } from '../../../web/explorer/results/table/tables'
import { type DemoService, startDemo } from '../../support/demo'

let demo: DemoService
let defaults: QueryDefaults

beforeAll(async () => {
  demo = await startDemo()
  const { assets } = await read(
    '{ assets(limit: 500) { nodes { id country city finestGrain measuredFrom measuredTo } } }',
  )
  defaults = chooseDefaults(assets.nodes)
})
afterAll(() => demo.service.stop())

async function read(query: string, variables: object = {}) {
  const { body } = await demo.service.get('/graphql', {
    key: demo.keyOf('analyst'),
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  expect(body.errors).toBeUndefined()
  return body.data
}

/** Those whose tables have no numbers. */
const WITHOUT_CHART = ['Companies', 'Assets', 'Sensor health', 'Counts that cannot be trusted', 'Assets compared']

test.each(READY_QUERIES.map(ready => [ready.title, ready] as const))(
  'the ready query “%s” has a table with rows, and a chart where it has numbers',
  async (title, { description, query, variables }) => {
    expect(description).toMatch(/\.$/)
    const [table] = findTables(await read(query, variables?.(defaults)))
    expect(table?.rows.length).toBeGreaterThan(0)
    const hasChart = findMeasures(table!).length > 0 && findKinds(table!).length > 0
    expect([title, hasChart]).toEqual([title, !WITHOUT_CHART.includes(title)])
  },
)

const asset = (id: string, more: Partial<MeasuredAsset> = {}): MeasuredAsset => ({
  id,
  country: 'DE',
  city: null,
  finestGrain: 'minute',
  measuredFrom: '2025-01-01',
  measuredTo: '2026-03-03',
  ...more,
})

test('the default asset has counts, by the minute if possible, in the country with the most such assets', () => {
  const assets = [
    asset('a', { measuredTo: null }),
    asset('b', { finestGrain: 'hour' }),
    asset('c', { city: 'Köln' }),
    asset('d', { city: 'Bonn' }),
    asset('e', { city: 'Bonn' }),
    asset('f', { country: 'GB' }),
  ]
  expect(chooseDefaults(assets, '2026-06-01')).toMatchObject({ assetId: 'c', country: 'DE', cities: ['Bonn', 'Köln'] })
  expect(chooseDefaults([]).assetId).toBe('')
})

test('ready queries start on the last whole week with data, without the day that is not over', () => {
  const dates = (more: Partial<MeasuredAsset>, today: string) => {
    const { fromDate, toDate, lastDay } = chooseDefaults([asset('a', more)], today)
    return [fromDate, toDate, lastDay]
  }
  expect(dates({ measuredTo: '2026-03-03' }, '2026-06-01')).toEqual(['2026-02-23', '2026-03-01', '2026-03-03'])
  // A Sunday that is not over.
  expect(dates({ measuredTo: '2026-03-08' }, '2026-03-08')).toEqual(['2026-02-23', '2026-03-01', '2026-03-07'])
  expect(dates({ measuredTo: '2026-03-08' }, '2026-03-09')).toEqual(['2026-03-02', '2026-03-08', '2026-03-08'])
  expect(dates({ measuredFrom: '2026-02-27' }, '2026-06-01')).toEqual(['2026-02-25', '2026-03-03', '2026-03-03'])
})

test('the month to date is compared with the same days of the month before', () => {
  const days = (day: string) => Object.values(monthToDate(day))
  expect(days('2026-03-17')).toEqual(['2026-03-01', '2026-03-17', '2026-02-01', '2026-02-17'])
  expect(days('2026-03-31')).toEqual(['2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28'])
  expect(days('2026-01-01')).toEqual(['2026-01-01', '2026-01-01', '2025-12-01', '2025-12-01'])
})
