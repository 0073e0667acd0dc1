import {
  type GraphQLObjectType,
  getIntrospectionQuery,
  getNamedType,
  isLeafType,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql'
import { getVariableValues } from 'graphql/execution/values'
import { computeCost } from '../../../resolvers/limits/cost'
import { COST_LIMITS, checkCost } from '../../../resolvers/limits/refuse-costly'
import { ONE_OF_EACH, type ScopeCounts } from '../../../resolvers/limits/row-counts'
import { schema } from '../../../resolvers/schema'
import { ApiError } from '../../../schema/errors'
import { QUESTIONS } from '../../../web/explorer/questions'

function operationOf(query: string) {
  const document = parse(query)
  expect(validate(schema, document)).toEqual([])
  const operation = document.definitions.find(({ kind }) => kind === 'OperationDefinition') as OperationDefinitionNode
  return { document, operation }
}

/** Coerced, with defaults. */
function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode, variables: Record<string, unknown>) {
  return getVariableValues(schema, variableDefinitions, variables).coerced as Record<string, unknown>
}

function cost(query: string, variables: Record<string, unknown> = {}, groups = ONE_OF_EACH) {
  const { document, operation } = operationOf(query)
  return computeCost(schema, document, operation, variablesOf(operation, variables), { groups })
}

/** The groups of a network of ten cities. */
const GROUPS = { company: 2, country: 2, region: 5, city: 10, media_type: 2, format: 6, asset: 700 }

const LEAVES = Object.values((schema.getType('Asset') as GraphQLObjectType).getFields())
  .filter(({ type }) => isLeafType(getNamedType(type)))
  .map(({ name }) => name)

const RANGE = 'fromDate: "2026-01-01", toDate: "2026-01-31"'

describe('the cost of a query', () => {
  test('grows with page size, range, grain and nesting', () => {
    const meta = cost('{ meta { version } }')
    expect([meta.rows, meta.reads]).toEqual([1, 1])
    expect(cost('{ assets { nodes { id } } }').rows).toBe(50)
    expect(cost('{ assets(limit: 200) { nodes { id } } }').rows).toBe(200)
    expect(cost(`{ impressions(assetId: "x", ${RANGE}) { daily { rows { date } } } }`).rows).toBe(31)
    expect(cost(`{ impressions(assetId: "x", ${RANGE}) { timeseries(grain: minute) { total } } }`).rows).toBe(31 * 1440)
    const nested = cost(`{ assets(limit: 200) { nodes { impressions(${RANGE}) { hourly { rows { start } } } } } }`)
    expect(nested.rows).toBeGreaterThan(200 * 31 * 24)
    expect(nested.largest.path).toBe('assets')
  })

  test('of all assets together does not grow with the page beside them', () => {
    const query = (grain: string) =>
      `query { assets(limit: 500) { impressions(fromDate: "2016-01-01", toDate: "2025-12-31") { total series(grain: ${grain}) { date impressions } byAsset { assetId impressions } } } }`
    expect(cost(query('week'), {}, GROUPS).rows).toBeLessThan(2_000)
    expect(cost(query('day'), {}, GROUPS).values).toBeLessThan(10_000)
  })

  test.each(['byRegion { total }', 'byCity { average }', 'profile { total }'])(
    'of %s grows with the range that is read, not only with what is returned',
    field => {
      const query = (to: string) =>
        `{ assets(limit: 500) { nodes { impressions(fromDate: "2016-01-01", toDate: "${to}") { ${field} } } } }`
      const [day, decade] = [cost(query('2016-01-01')), cost(query('2025-12-31'))]
      expect(decade.values).toBe(day.values)
      expect(decade.rows).toBeGreaterThanOrEqual(500 * 3_653)
      expect(day.rows).toBeLessThan(COST_LIMITS.rows)
    },
  )

  test('of a comparison counts both ranges', () => {
    const query = `{ impressions(assetId: "x", fromDate: "2026-01-01", toDate: "2026-01-10") { compare(${RANGE}) { change } } }`
    expect(cost(query).rows).toBe(10 + 31)
  })

  test('of rows by group is that of the groups in scope, in each bucket', () => {
    const series = (by: string) =>
      `{ assets { impressions(fromDate: "2026-01-01", toDate: "2026-01-02") { series(groupBy: ${by}) { date impressions } } } }`
    const aggregate = (by: string) =>
      `{ impressionsAggregate(fromDate: "2026-01-01", toDate: "2026-01-02", groupBy: ${by}) { rows { impressions } } }`
    for (const [by, rows] of Object.entries({ country: 4, region: 10, city: 20, media_type: 4, format: 12 })) {
      expect(cost(series(by), {}, GROUPS)).toMatchObject({ values: 2 * rows, isGrouped: true })
      expect(cost(aggregate(by), {}, GROUPS).values).toBe(rows)
    }
    expect(cost(aggregate('asset'), {}, GROUPS).values).toBe(700)
    expect(cost(aggregate('city'), {}, { ...GROUPS, city: 1_000_000 }).values).toBe(10_000)
    const lists = 'byCompany { impressions } byRegion { impressions } byAsset { impressions }'
    expect(cost(`{ assets { impressions(${RANGE}) { ${lists} } } }`, {}, GROUPS).values).toBe(2 + 5 + 700)
    expect(cost('{ assets { nodes { id } } }').isGrouped).toBe(false)
  })

  test('of a list is that of the ids of its filter, or of what is known to match, if they are fewer than its limit', () => {
    const hours = `impressions(${RANGE}) { hourly { rows { start } } }`
    const assets = (filter: string) => `{ assets(limit: 500, filter: { ${filter} }) { nodes { ${hours} } } }`
    expect(cost(assets('id: ["x", "y"]')).values).toBe(2 * 31 * 25)
    const query = assets('city: ["Berlin"]')
    const { document, operation } = operationOf(query)
    const compute = (counts: ScopeCounts) => computeCost(schema, document, operation, {}, counts)
    const { lists, values } = compute({})
    const matching = new Map(lists.map(({ field }) => [field, 3]))
    expect([values, compute({ matching }).values]).toEqual([500 * 31 * 25, 3 * 31 * 25])
    const top = '{ assets(filter: { id: ["x"] }) { impressions(fromDate: "2026-01-01", toDate: "2026-01-02") { '
    expect(cost(`${top} top(limit: 500) { impressions } } } }`).values).toBe(1)
    expect(cost(`${top} series(groupBy: city) { impressions } } } }`, {}, GROUPS).values).toBe(2)
    const byAsset = `{ impressionsAggregate(${RANGE}, groupBy: asset, filter: { id: ["x", "y"] }) { rows { impressions } } }`
    expect(cost(byAsset, {}, GROUPS).values).toBe(2)
  })

  test('of a grouped table counts the buckets of its grain', () => {
    const query = (grain: string) =>
      `{ impressionsAggregate(fromDate: "2026-01-01", toDate: "2026-12-31", grain: ${grain}) { rows { start } } }`
    expect([cost(query('day')).values, cost(query('quarter')).values]).toEqual([365, 5])
  })

  test('uses the values of variables or their defaults, and leaves out skipped fields', () => {
    const query =
      'query ($limit: Int! = 7, $no: Boolean! = false) { assets(limit: $limit) { nodes @skip(if: $no) { id } } }'
    expect(cost(query).rows).toBe(7)
    expect(cost(query, { limit: 300 }).rows).toBe(300)
    expect(cost(query, { no: true }).rows).toBe(7)
  })

  test('counts every alias and every use of a fragment', () => {
    const alias = (n: number) => `a${n}: impressions(assetId: "x", ${RANGE}) { hourly { rows { start } } }`
    const one = cost(`{ ${alias(1)} }`).rows
    expect(cost(`{ ${alias(1)} ${alias(2)} ${alias(3)} }`).rows).toBe(3 * one)
    const spread = `fragment F on Query { ${alias(1)} } { ...F ... on Query { ${alias(2)} } }`
    expect(cost(spread).rows).toBe(2 * one)
  })

  test('counts the values of rows, with every alias and fragment', () => {
    const week = 'fromDate: "2026-01-01", toDate: "2026-01-07"'
    const minutes = (rows: string) =>
      `impressions(assetId: "x", ${week}) { timeseries(grain: minute) { total rows { ${rows} } } }`
    expect(cost(`{ ${minutes('start impressions coverage')} }`).values).toBe(1 + 7 * 1440 * 3)
    expect(
      cost(`{ ${minutes('...F ... { __typename }')} } fragment F on BucketOfImpressions { a: start b: start }`).values,
    ).toBe(1 + 7 * 1440 * 3)
    expect(cost('{ assets(limit: 20) { hasMore nodes { id sensorIds sensors { id } } } }').values).toBe(
      1 + 20 * (1 + 5 + 5),
    )
    expect(cost(`{ a: ${minutes('start')} b: ${minutes('start')} }`).valuesPerTurn).toBeLessThan(10_200)
  })

  test('counts bytes: long keys, long texts, and an error for each field that can fail', () => {
    const bytes = (fields: string) => cost(`{ assets(limit: 100) { nodes { ${fields} } } }`).bytes
    expect(bytes(`${'x'.repeat(1_000)}: id`) - bytes('x: id')).toBe(100 * 999)
    expect(bytes('description')).toBeGreaterThan(100 * 5_000)
    expect(bytes(`impressions(${RANGE}) { compare(${RANGE}) { change } }`)).toBeGreaterThan(100 * 300)
  })

  test('counts the values of introspection', () => {
    const { values } = cost('{ __schema { queryType { name } types { name kind } } }')
    expect(values).toBe(1 + 2 * Object.keys(schema.getTypeMap()).length)
    expect(cost('{ __type(name: "MediaType") { enumValues { name } } }').values).toBe(2)
    expect(cost(getIntrospectionQuery()).values).toBeLessThan(COST_LIMITS.valuesPerTurn / 2)
  })

  test('of fragments that multiply is computed without expanding them', () => {
    const fragments = Array.from(
      { length: 40 },
      (_, i) => `fragment F${i} on Asset { ...F${i + 1} company { ...C } ...F${i + 1} }`,
    )
    const query = `{ asset(id: "x") { ...F0 } } ${fragments.join(' ')} fragment F40 on Asset { id } fragment C on Company { id }`
    expect(cost(query).reads).toBeGreaterThan(2 ** 39)
  })
})

describe('a query over the cost limit', () => {
  const rejection = (query: string, variables = {}) => {
    const { document, operation } = operationOf(query)
    try {
      checkCost((counts, caps) =>
        computeCost(schema, document, operation, variablesOf(operation, variables), counts, caps),
      )
    } catch (error) {
      return error as ApiError
    }
    return undefined
  }

  test('is rejected with its cost, the limit and the field to narrow', () => {
    const query = `query ($to: Date!) { assets(limit: 500) { nodes { impressions(fromDate: "2026-01-01", toDate: $to) { daily { rows { date } } } } } }`
    expect(rejection(query, { to: '2026-01-31' })).toBeUndefined()
    const error = rejection(query, { to: '2026-12-31' })
    expect(error).toBeInstanceOf(ApiError)
    expect(error?.details).toMatchObject({ limit: 100_000, narrow: 'assets.nodes' })
    expect(error?.details.cost).toBe(365 * 500)
    expect(error?.message).toMatch(/\d+ values.*100000.*Narrow assets/)
  })

  test('names the arguments to lower, and values that are allowed', () => {
    const query = (limit: number, to: string) =>
      `{ assets(limit: ${limit}) { nodes { impressions(fromDate: "2026-01-01", toDate: "${to}") { daily { rows { date } } } } } }`
    const error = rejection(query(500, '2026-12-31'))
    expect(error?.details).toMatchObject({ max_limit: 273, max_days: 200 })
    expect(error?.message).toContain(
      'Narrow assets.nodes: lower limit to 273, shorten fromDate to toDate to 200 days, ',
    )
    expect(rejection(query(273, '2026-12-31'))).toBeUndefined()
    expect(rejection(query(274, '2026-12-31'))?.details).toMatchObject({ max_limit: 273 })
    expect(rejection(query(500, '2026-07-19'))).toBeUndefined()
    expect(rejection(query(500, '2026-07-20'))?.details).toMatchObject({ max_days: 200 })
    const minutes = `{ impressions(assetId: "x", ${RANGE}) { timeseries(grain: minute) { rows { start impressions coverage } } } }`
    expect(rejection(minutes)?.details).toMatchObject({ max_days: 10 })
    expect(rejection(minutes)?.details).not.toHaveProperty('max_limit')
  })

  const ALIASES = Array.from({ length: 300 }, (_, i) => `s${i}: start`).join(' ')
  const WIDE = Array.from({ length: 180 }, (_, i) => `n${i}: name`).join(' ')

  test.each([
    [
      'values',
      'of several fields',
      `{ ${[1, 2, 3, 4].map(i => `a${i}: impressions(assetId: "x", fromDate: "2026-01-01", toDate: "2026-01-07") { timeseries(grain: minute) { rows { start impressions coverage } } }`).join(' ')} }`,
      'a1.timeseries.rows',
    ],
    [
      'values',
      'of one field',
      `{ impressions(assetId: "x", fromDate: "2026-01-01", toDate: "2026-01-01") { hourly { rows { ${ALIASES} } } timeseries(grain: quarter_hour) { rows { ${ALIASES} ${ALIASES.replaceAll('s', 't')} } } } }`.replaceAll(
        'ttart',
        'start',
      ),
      'impressions.timeseries.rows',
    ],
    ['bytes', 'of long texts', `{ assets(limit: 200) { nodes { ${WIDE} } } }`, 'assets.nodes'],
    [
      'values',
      'of introspection',
      `{ __schema { types { fields { ${Array.from({ length: 200 }, (_, i) => `n${i}: name`).join(' ')} } } } }`,
      '__schema',
    ],
  ])('is rejected for too many %s %s', (unit, _, query, narrow) => {
    const error = rejection(query)
    expect(error?.details).toMatchObject({ narrow })
    expect(error?.message).toContain(` ${unit}`)
    expect(error?.message).toContain(`Narrow ${narrow}`)
  })

  test.each<readonly [string, string]>([
    [
      'three assets by minute for a week',
      `{ ${[1, 2, 3].map(i => `a${i}: impressions(assetId: "x", fromDate: "2026-01-01", toDate: "2026-01-07") { timeseries(grain: minute) { total average rows { start impressions coverage } } }`).join(' ')} }`,
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
      asset: 'x',
      country: 'GB',
      city: 'London',
      grain: 'day',
      by: 'change',
      gained: false,
      from: '2026-01-01',
      to: '2026-03-25',
      before: '2026-01-01',
      until: '2026-01-28',
    }
    expect(rejection(query, variables)).toBeUndefined()
  })

  test('is rejected for too many reads, however few rows they return', () => {
    const aliases = Array.from({ length: 101 }, (_, i) => `a${i}: asset(id: "x") { id }`).join(' ')
    expect(rejection(`{ ${aliases} }`)?.details).toMatchObject({ cost: 101, limit: 100 })
  })
})
