import { getIntrospectionQuery, parse, validate } from 'graphql'
import { computeCost, MAX_COST } from '../../../resolvers/limits/cost'
import { schema } from '../../../resolvers/schema'

function cost(query: string, variables: Record<string, unknown> = {}): number {
  const document = parse(query)
  expect(validate(schema, document)).toEqual([])
  return computeCost(schema, document, undefined, variables)
}

const MONTH = 'fromDate: "2026-01-01", toDate: "2026-01-31"'
const DAY = 'fromDate: "2026-01-01", toDate: "2026-01-01"'
const WEEK = 'fromDate: "2026-01-01", toDate: "2026-01-07"'

const assets = (limit: number, fields: string) => `{ assets(limit: ${limit}) { nodes { ${fields} } } }`
const series = (range: string, field: string) => `{ impressions(assetId: "x", ${range}) { ${field} } }`
const group = (fields: string, range = MONTH) => `{ assets { impressions(${range}) { ${fields} } } }`
const table = (args: string, fields: string) => `{ impressionsAggregate(${MONTH}, ${args}) { rows { ${fields} } } }`

/** The values that the part of a query behind a plus, to its end or the next brace, adds to the cost. */
test.each<[what: string, values: number, query: string]>([
  ['each row of a page', 200, assets(200, 'id + city')],
  ['each row of a list in each row', 20 * 5, assets(20, 'sensors { id + serial }')],
  ['each day', 31, series(MONTH, 'daily { rows { date + impressions } }')],
  ['each minute', 7 * 1440, series(WEEK, 'timeseries(grain: minute) { rows { start + impressions } }')],
  ['each day of each asset', 50 * 31, assets(50, `impressions(${MONTH}) { daily { rows { date + impressions } } }`)],
  ['each week', 5, table('grain: week', 'start + impressions')],
  ['each row of a grouped table', 10_000, table('groupBy: city', 'city + impressions')],
  ['each asset of a table', 10_000, table('groupBy: asset', 'assetId + impressions')],
  ['each company', 1_000, '{ meta { companies { id + finalThrough } } }'],
  ['every alias', 31, series(MONTH, 'daily { rows { date + a: date } }')],
  ['every use of a fragment', 20, `${assets(20, 'id + ...F')} fragment F on Asset { a: id }`],
  ['a long alias', 20 * 11, assets(20, `id + ${'x'.repeat(1_100)}: id`)],
  ['a long text', 20 * 51, assets(20, 'id + description')],
])('the cost has a value of %s: %i', (_, values, query) => {
  const without = query.replace(/\+ [^}]*/, '').replace(/fragment F.*/, '')
  expect(cost(query.replace('+ ', '')) - cost(without)).toBe(values)
})

test('the cost has what is read of each day of a range, and of one to compare with', () => {
  expect(cost(group('total')) - cost(group('total', DAY))).toBe(30 * 3)
  expect(cost(group(`compare(${MONTH}) { change }`)) - cost(group(`compare(${DAY}) { change }`))).toBe(30 * 20)
})

test('variables, their defaults and skipped fields count', () => {
  const query =
    'query ($limit: Int! = 7, $no: Boolean! = false) { assets(limit: $limit) { nodes @skip(if: $no) { id } } }'
  expect(cost(query)).toBe(cost(assets(7, 'id')))
  expect(cost(query, { limit: 300 })).toBe(cost(assets(300, 'id')))
  expect(cost(query, { limit: 300, no: true })).toBe(cost('{ assets(limit: 300) { hasMore } }') - 1)
})

test('a page of many assets does not raise the cost of all assets together', () => {
  const query = (limit: number) => `{ assets(limit: ${limit}) { impressions(${MONTH}) { top { name } } } }`
  expect(cost(query(500)) - cost(query(1))).toBeLessThan(500 * 30)
})

test('introspection counts by its values', () => {
  const wide = Array.from({ length: 400 }, (_, i) => `n${i}: name`).join(' ')
  expect(cost(getIntrospectionQuery())).toBeGreaterThan(20_000)
  expect(cost(getIntrospectionQuery())).toBeLessThan(MAX_COST)
  expect(cost(`{ __schema { types { fields { ${wide} } } } }`)).toBeGreaterThan(MAX_COST)
})

test('fields of one response name cost once, in fragments too, as they are returned once', () => {
  const fields = 'id __typename name sensors { id serial __typename }'
  const once = cost(assets(500, `${fields} company { name }`))
  const fragments = [1, 2, 3, 4].map(i => `fragment F${i} on Asset { ${fields} }`).join(' ')
  const query = `{ assets(limit: 500) { nodes { ...F1 ...F2 ...F1 } nodes { ...F3 ... on Asset { ...F4 company { name } } } } }`
  expect(cost(`${query} ${fragments}`)).toBe(once)
})

test.each([40, 300])('the cost of fragments that multiply %i times is known without expanding all of them', times => {
  const fragments = Array.from({ length: times }, (_, i) => `fragment F${i} on Asset { ...F${i + 1} id ...F${i + 1} }`)
  const query = `{ asset(id: "x") { ...F0 } } ${fragments.join(' ')} fragment F${times} on Asset { id }`
  const selections = 2 + 2 ** times * 4 - 3
  expect(cost(query)).toBe(Math.min(selections * 100, Number.MAX_SAFE_INTEGER))
})
