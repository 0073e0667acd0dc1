import {
  type GraphQLField,
  type GraphQLObjectType,
  getIntrospectionQuery,
  getNamedType,
  isLeafType,
  isObjectType,
  parse,
  print,
  validate,
} from 'graphql'
import { checkCost, computeCost, MAX_COST } from '../../../resolvers/limits/cost'
import { schema } from '../../../resolvers/schema'
import { QUESTIONS } from '../../../web/explorer/questions'

function cost(query: string, variables: Record<string, unknown> = {}): number {
  const document = parse(query)
  expect(validate(schema, document)).toEqual([])
  return computeCost(schema, document, undefined, variables)
}

/** Returns what a query costs more than another one. */
const difference = (more: string, less: string): number => cost(more) - cost(less)

const MONTH = 'fromDate: "2026-01-01", toDate: "2026-01-31"'
const DAY = 'fromDate: "2026-01-01", toDate: "2026-01-01"'
const WEEK = 'fromDate: "2026-01-01", toDate: "2026-01-07"'

const assets = (limit: number, fields: string) => `{ assets(limit: ${limit}) { nodes { ${fields} } } }`
const series = (range: string, field: string) => `{ impressions(assetId: "x", ${range}) { ${field} } }`
const group = (fields: string, range = MONTH) => `{ assets { impressions(${range}) { ${fields} } } }`
const table = (by: string, fields: string) =>
  `{ impressionsAggregate(${MONTH}, groupBy: ${by}) { rows { ${fields} } } }`

test.each<[what: string, values: number, more: string, less: string]>([
  ['a value of each row of a page', 200, assets(200, 'id city'), assets(200, 'id')],
  ['a value in a list of each row', 20 * 5, assets(20, 'sensors { id serial }'), assets(20, 'sensors { id }')],
  [
    'a value of each day',
    31,
    series(MONTH, 'daily { rows { date impressions } }'),
    series(MONTH, 'daily { rows { date } }'),
  ],
  [
    'a value of each minute',
    7 * 1440,
    series(WEEK, 'timeseries(grain: minute) { rows { start impressions } }'),
    series(WEEK, 'timeseries(grain: minute) { rows { start } }'),
  ],
  [
    'a value of each day of each asset',
    50 * 31,
    assets(50, `impressions(${MONTH}) { daily { rows { date impressions } } }`),
    assets(50, `impressions(${MONTH}) { daily { rows { date } } }`),
  ],
  ['a value of each week', 5, group('series(grain: week) { date impressions }'), group('series(grain: week) { date }')],
  [
    'a value of each of as many groups as there may be',
    10_000,
    group('series(groupBy: format) { date impressions }'),
    group('series(groupBy: format) { date }'),
  ],
  ['a value of each row of a grouped table', 10_000, table('city', 'city impressions'), table('city', 'city')],
  ['a value of each asset of a table', 10_000, table('asset', 'assetId impressions'), table('asset', 'assetId')],
  ['a value of each company', 1_000, group('byCompany { impressions share }'), group('byCompany { share }')],
  ['every alias', 31, series(MONTH, 'daily { rows { date a: date } }'), series(MONTH, 'daily { rows { date } }')],
  ['every use of a fragment', 20, `${assets(20, 'id ...F')} fragment F on Asset { a: id }`, assets(20, 'id')],
  ['a long alias', 20 * 11, assets(20, `id ${'x'.repeat(1_100)}: id`), assets(20, 'id')],
  ['a long text', 20 * 51, assets(20, 'id description'), assets(20, 'id')],
  ['reading each day of a range', 30 * 3, group('total'), group('total', DAY)],
  [
    'reading the range to compare with',
    30 * 4,
    group(`compare(${MONTH}) { change }`),
    group(`compare(${DAY}) { change }`),
  ],
])('the cost is that of %s: %i', (_, values, more, less) => {
  expect(difference(more, less)).toBe(values)
})

test('variables, their defaults and skipped fields count', () => {
  const query =
    'query ($limit: Int! = 7, $no: Boolean! = false) { assets(limit: $limit) { nodes @skip(if: $no) { id } } }'
  expect(cost(query)).toBe(cost(assets(7, 'id')))
  expect(cost(query, { limit: 300 })).toBe(cost(assets(300, 'id')))
  expect(cost(query, { limit: 300, no: true })).toBe(cost('{ assets(limit: 300) { hasMore } }') - 1)
})

test('a page of many assets does not raise the cost of all assets together', () => {
  const query = (limit: number) => `{ assets(limit: ${limit}) { impressions(${MONTH}) { byAsset { assetId } } } }`
  expect(cost(query(500)) - cost(query(1))).toBeLessThan(500 * 30)
})

test('introspection counts by its values', () => {
  const wide = Array.from({ length: 400 }, (_, i) => `n${i}: name`).join(' ')
  expect(cost(getIntrospectionQuery())).toBeGreaterThan(20_000)
  expect(cost(`{ __schema { types { fields { ${wide} } } } }`)).toBeGreaterThan(MAX_COST)
})

test('a query over the limit is refused with its cost and the limit', () => {
  expect(() => checkCost(MAX_COST)).not.toThrow()
  expect(() => checkCost(MAX_COST + 1)).toThrow(
    expect.objectContaining({ code: 'QUERY_TOO_COSTLY', details: { cost: MAX_COST + 1, limit: MAX_COST } }),
  )
})

test('fragments that multiply are refused without expanding all of them', () => {
  const fragments = Array.from({ length: 40 }, (_, i) => `fragment F${i} on Asset { ...F${i + 1} id ...F${i + 1} }`)
  const query = `{ asset(id: "x") { ...F0 } } ${fragments.join(' ')} fragment F40 on Asset { id }`
  expect(() => cost(query)).toThrow('maximum allowed number of nodes')
})

const LEAVES = Object.values((schema.getType('Asset') as GraphQLObjectType).getFields())
  .filter(({ type }) => isLeafType(getNamedType(type)))
  .map(({ name }) => name)

test.each<readonly [string, string]>([
  [
    'three assets by minute for a week',
    `{ ${[1, 2, 3].map(i => `a${i}: impressions(assetId: "x", ${WEEK}) { timeseries(grain: minute) { total average rows { start impressions coverage } } }`).join(' ')} }`,
  ],
  ['a page of assets with all fields', `{ assets(limit: 500) { hasMore last nodes { ${LEAVES.join(' ')} } } }`],
  [
    'introspection by the explorer',
    getIntrospectionQuery({
      inputValueDeprecation: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
    }),
  ],
  ...QUESTIONS.map(({ title, query }) => [title, query] as const),
])('%s is not too costly', (_, query) => {
  const variables = {
    ...{ asset: 'x', country: 'GB', city: 'London', grain: 'day', by: 'change', gained: false },
    ...{ from: '2026-01-01', to: '2026-03-25', before: '2026-01-01', until: '2026-01-28' },
  }
  expect(cost(query, variables)).toBeLessThanOrEqual(MAX_COST)
})

const directivesOf = ({ astNode }: GraphQLField<unknown, unknown>): string =>
  (astNode?.directives ?? []).map(print).join()

test('no field whose rows depend on its parent is below another one of the same type', () => {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType)
  const dependent = types.filter(type =>
    Object.values(type.getFields()).some(field => /(buckets|reads):/.test(directivesOf(field))),
  )
  for (const type of dependent) if (type !== schema.getQueryType()) expect(typesBelow(type)).not.toContain(type.name)

  function typesBelow(type: GraphQLObjectType, known = new Set<string>()): Set<string> {
    for (const field of Object.values(type.getFields())) {
      const below = getNamedType(field.type)
      if (!isObjectType(below) || known.has(below.name)) continue
      known.add(below.name)
      typesBelow(below, known)
    }
    return known
  }
})
