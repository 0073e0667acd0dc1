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
  test('grows with pages, days, grains and nesting', () => {
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

  test('goes by the values of variables, their defaults, and what is skipped', () => {
    const query =
      'query ($limit: Int! = 7, $no: Boolean! = false) { assets(limit: $limit) { nodes @skip(if: $no) { id } } }'
    expect(cost(query).rows).toBe(14)
    expect(cost(query, { limit: 300 }).rows).toBe(600)
    expect(cost(query, { no: true }).rows).toBe(7)
  })

  test('counts aliases and fragments wherever they are spread', () => {
    const alias = (n: number) => `a${n}: impressions(assetId: "x", ${RANGE}) { hourly { rows { start } } }`
    const one = cost(`{ ${alias(1)} }`).rows
    expect(cost(`{ ${alias(1)} ${alias(2)} ${alias(3)} }`).rows).toBe(3 * one)
    const spread = `fragment F on Query { ${alias(1)} } { ...F ... on Query { ${alias(2)} } }`
    expect(cost(spread).rows).toBe(2 * one)
  })

  test('of fragments that double one another is worked out at once', () => {
    const fragments = Array.from(
      { length: 40 },
      (_, i) => `fragment F${i} on Asset { ...F${i + 1} company { ...C } ...F${i + 1} }`,
    )
    const query = `{ asset(id: "x") { ...F0 } } ${fragments.join(' ')} fragment F40 on Asset { id } fragment C on Company { id }`
    expect(cost(query).reads).toBeGreaterThan(2 ** 39)
  })
})

describe('a query that may cost too much', () => {
  const refusal = (query: string, variables = {}) => {
    const { document, operation } = operationOf(query)
    try {
      refuseCostly(schema, document, operation, variables)
    } catch (error) {
      return error as ApiError
    }
    return undefined
  }

  test('is refused with its cost, the limit and what to narrow', () => {
    const query = `query ($to: Date!) { assets(limit: 500) { nodes { impressions(fromDate: "2026-01-01", toDate: $to) { daily { rows { date } } } } } }`
    expect(refusal(query, { to: '2026-01-31' })).toBeUndefined()
    const error = refusal(query, { to: '2026-12-31' })
    expect(error).toBeInstanceOf(ApiError)
    expect(error?.details).toMatchObject({ limit: 200_000, narrow: 'assets' })
    expect(error?.details.cost).toBeGreaterThan(365 * 500)
    expect(error?.message).toMatch(/may come to \d+ rows; 200000 are allowed\. Narrow assets/)
  })

  test('is refused where it reads too often, however few rows that is', () => {
    const aliases = Array.from({ length: 101 }, (_, i) => `a${i}: asset(id: "x") { id }`).join(' ')
    expect(refusal(`{ ${aliases} }`)?.details).toMatchObject({ cost: 101, limit: 100 })
  })
})
