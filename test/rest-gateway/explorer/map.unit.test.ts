import { schema } from '../../../resolvers/schema'
import { countAssets } from '../../../web/explorer/results/map/count-assets'
import { querySelection } from '../../../web/explorer/results/map/selection-query'
import { findTables, type Table } from '../../../web/explorer/results/table/tables'
import { describeVariables } from '../../../web/explorer/variables/describe-variables'
import type { ScopeAsset } from '../../../web/explorer/variables/scope-assets'

const asset = (id: string, name: string): ScopeAsset => ({
  id,
  name,
  city: 'Bonn',
  region: 'DE-NW',
  country: 'DE',
  companyId: 'c',
  timeZone: 'Europe/Berlin',
  latitude: 50,
  longitude: 7,
})

const ASSETS = [asset('a', 'East'), asset('b', 'West'), asset('c', 'Twin'), asset('d', 'Twin')]

const place = (data: unknown, measures: string[]) =>
  countAssets(findTables(data)[0] as Table, ASSETS, measures).map(({ asset, numbers }) => [asset.id, numbers])

test('rows are placed by the id of their asset; counts of several rows are added up, coverages averaged', () => {
  const day = (assetId: string, impressions: number | null, coverage: number) => ({ assetId, impressions, coverage })
  const rows = [day('a', 1, 1), day('b', null, 0), day('a', 2, 0.5), day('unknown', 7, 1)]
  expect(place({ rows }, ['impressions', 'coverage'])).toEqual([
    ['a', { impressions: 3, coverage: 0.75 }],
    ['b', { impressions: undefined, coverage: 0 }],
  ])
})

test('without ids, rows are placed by names that only one asset has', () => {
  expect(place({ top: [{ asset: { name: 'West' } }, { asset: { name: 'Twin' } }] }, [])).toEqual([['b', {}]])
  expect(place({ cities: [{ city: 'Bonn' }] }, [])).toEqual([])
})

const DEFAULTS = {
  assetId: 'a',
  assetIds: ['a'],
  country: 'DE',
  cities: ['Bonn', 'Bonn'] as [string, string],
  fromDate: '2026-01-05',
  toDate: '2026-01-11',
  firstDay: '2025-01-01',
  lastDay: '2026-01-11',
}

test.each([
  [
    'a variable for assets takes the chosen ones',
    'query ($ids: [ID!]) { assets(filter: { id: $ids }) { count } }',
    ['a', 'b'],
    { ids: ['a', 'b'] },
  ],
  ['a variable for one asset takes a single one', 'query ($id: ID!) { asset(id: $id) { name } }', ['b'], { id: 'b' }],
])('%s', (_, query, ids, expected) => {
  const described = describeVariables(schema, query) ?? []
  const written = querySelection(ids, { query, variables: {}, described }, DEFAULTS)
  expect([written.query, JSON.parse(written.variables)]).toEqual([query, expected])
})

test('without such a variable, the query is a new one that is valid', () => {
  const query = 'query ($id: ID!) { asset(id: $id) { name } }'
  const described = describeVariables(schema, query) ?? []
  const written = querySelection(['a', 'b'], { query, variables: { id: 'x' }, described }, DEFAULTS)
  expect(JSON.parse(written.variables)).toEqual({ ids: ['a', 'b'], from: '2026-01-05', to: '2026-01-11' })
  expect(describeVariables(schema, written.query)?.map(({ kind }) => kind)).toEqual(['asset', 'date', 'date'])
})
