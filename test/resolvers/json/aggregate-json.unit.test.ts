import { AggregateOfAssets, AggregateOfGroups, bucketRows } from '../../../resolvers/groups/aggregates'
import { aggregateJson } from '../../../resolvers/json/aggregate-json'

const KEYS = new Map(
  Object.entries({
    start: 'start',
    country: 'country',
    city: 'city',
    assetId: 'asset_id',
    impressions: 'impressions',
    assetsWithData: 'assets_with_data',
    daysWithData: 'days_with_data',
    coverage: 'coverage',
  }),
)

const series = (buckets: number, groups: number) => ({
  starts: Array.from({ length: buckets }, (_, i) => `day ${i}`),
  groups: Array.from({ length: groups }, (_, i) => ({
    attributes: { country: 'DE', city: i === 0 ? null : `"${i}"` },
    sums: Float64Array.from({ length: buckets }, (_, bucket) => bucket * i),
    assets: Int32Array.from({ length: buckets }, (_, bucket) => (bucket + i) % 3),
    observed: Float64Array.from({ length: buckets }, (_, bucket) => bucket),
    expected: Float64Array.from({ length: buckets }, () => 3 * buckets),
  })),
})

const PATHS = ['start', 'city', 'asset_id', 'impressions', 'assets_with_data', 'days_with_data', 'coverage'].map(
  key => [key],
)

test('rows of groups are written in pieces of a few thousand, as JSON and as columns', () => {
  const table = series(90, 101)
  const json = aggregateJson(new AggregateOfGroups(table, 5, 90), KEYS)
  const pieces = [...json.pieces()]
  expect(pieces).toHaveLength(3)
  const rows = bucketRows(table).map(({ start, country, city, impressions, assetsWithData, coverage }) => ({
    start,
    country,
    city,
    impressions,
    assets_with_data: assetsWithData,
    coverage,
  }))
  expect(pieces.join('')).toBe(JSON.stringify(rows))
  const parts = [...json.columns(PATHS)]
  expect(parts.map(([start]) => start?.length)).toEqual([4_000, 4_000, 1_090])
  const columns = PATHS.map(([key]) => rows.map(row => (row as Record<string, unknown>)[key as string]))
  expect(PATHS.map((_, i) => parts.flatMap(part => part[i]))).toEqual(columns)
})

test('rows by asset are those of the assets, and a table without rows is an empty list', () => {
  const sums = [
    { id: 'a', impressions: 5, daysWithData: 2, coverage: 0.25 },
    { id: 'b', impressions: null, daysWithData: 0, coverage: 0 },
  ]
  const json = aggregateJson(new AggregateOfAssets(sums), KEYS)
  expect([...json.pieces()].join('')).toBe(
    JSON.stringify([
      { asset_id: 'a', impressions: 5, assets_with_data: 1, days_with_data: 2, coverage: 0.25 },
      { asset_id: 'b', impressions: null, assets_with_data: 0, days_with_data: 0, coverage: 0 },
    ]),
  )
  const empty = aggregateJson(new AggregateOfAssets([]), KEYS)
  expect([...empty.pieces()].join('')).toBe('[]')
  expect([...empty.columns([['asset_id']])]).toEqual([[[]]])
})
