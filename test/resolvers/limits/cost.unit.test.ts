import { type OperationDefinitionNode, parse, validate } from 'graphql'
import { costOf, refuseCostly } from '../../../resolvers/limits/cost'
import { schema } from '../../../resolvers/schema'
import { ApiError } from '../../../schema/errors'

function operationOf(query: string) {
  const document = parse(query)
  expect(validate(schema, document)).toEqual([])
  const operation = document.definitions.find(({ kind }) => kind === 'OperationDefinition') as OperationDefinitionNode
  return { document, operation }
}

function cost(query: string, variables: Record<string, unknown> = {}) {
  const { document, operation } = operationOf(query)
  return costOf(schema, document, operation, variables)
}

const RANGE = 'fromDate: "2026-01-01", toDate: "2026-01-31"'

describe('the cost of a query', () => {
  test('grows with page size, range, grain and nesting', () => {
    const meta = cost('{ meta { version } }')
    expect([meta.rows, meta.reads]).toEqual([1, 1])
    expect(cost('{ assets { nodes { id } } }').rows).toBe(100)
    expect(cost('{ assets(limit: 200) { nodes { id } } }').rows).toBe(400)
    expect(cost(`{ impressions(assetId: "x", ${RANGE}) { daily { rows { date } } } }`).rows).toBe(1 + 31 * 2)
    expect(cost(`{ impressions(assetId: "x", ${RANGE}) { timeseries(grain: minute) { total } } }`).rows).toBe(
      1 + 31 * 1440,
    )
    const nested = cost(`{ assets(limit: 200) { nodes { impressions(${RANGE}) { hourly { rows { start } } } } } }`)
    expect(nested.rows).toBeGreaterThan(200 * 31 * 24)
    expect(nested.largest.path).toBe('assets')
  })

  test('uses the values of variables or their defaults, and leaves out skipped fields', () => {
    const query =
      'query ($limit: Int! = 7, $no: Boolean! = false) { assets(limit: $limit) { nodes @skip(if: $no) { id } } }'
    expect(cost(query).rows).toBe(14)
    expect(cost(query, { limit: 300 }).rows).toBe(600)
    expect(cost(query, { no: true }).rows).toBe(7)
  })

  test('counts every alias and every use of a fragment', () => {
    const alias = (n: number) => `a${n}: impressions(assetId: "x", ${RANGE}) { hourly { rows { start } } }`
    const one = cost(`{ ${alias(1)} }`).rows
    expect(cost(`{ ${alias(1)} ${alias(2)} ${alias(3)} }`).rows).toBe(3 * one)
    const spread = `fragment F on Query { ${alias(1)} } { ...F ... on Query { ${alias(2)} } }`
    expect(cost(spread).rows).toBe(2 * one)
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
      refuseCostly(schema, document, operation, variables)
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
    expect(error?.details).toMatchObject({ limit: 200_000, narrow: 'assets' })
    expect(error?.details.cost).toBeGreaterThan(365 * 500)
    expect(error?.message).toMatch(/\d+ rows.*200000.*Narrow assets/)
  })

  test('is rejected for too many reads, however few rows they return', () => {
    const aliases = Array.from({ length: 101 }, (_, i) => `a${i}: asset(id: "x") { id }`).join(' ')
    expect(rejection(`{ ${aliases} }`)?.details).toMatchObject({ cost: 101, limit: 100 })
  })
})
