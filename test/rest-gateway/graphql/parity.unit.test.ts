/**
 * Compares graphql-jit with graphql-js, data and errors, on generated queries over the whole schema. The resolvers return
 * values, nulls, errors, promises and values of a wrong type.
 */
import fc from 'fast-check'
import {
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLFormattedError,
  type GraphQLOutputType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import type { Context } from '../../../resolvers/context'
import { scalars } from '../../../resolvers/scalars'
import { formatError } from '../../../rest-gateway/graphql/errors'
import { Executor } from '../../../rest-gateway/graphql/executor'
import { ApiError } from '../../../schema/errors'
import { buildExecutableSchema, sdl } from '../../../schema/executable-schema'
import { scaledRuns } from '../../support/fuzz'
import { QueryGenerator } from '../../support/query-generator'

/** Pseudo-random numbers below a limit, seeded with a text. */
type Random = (limit: number) => number

function seededRandom(seed: string): Random {
  let state = 2_166_136_261
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 16_777_619)
  return limit => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_507)
    state ^= state >>> 13
    return (state >>> 0) % limit
  }
}

/** The two executors pass arguments in different orders. */
const sorted = (args: object) => Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1))

const LEAVES: Record<string, unknown> = {
  ID: 'abc',
  String: 'text',
  Int: 7,
  Float: 1.25,
  Boolean: true,
  Date: '2026-01-01',
  DateTime: '2026-01-01T00:00:00Z',
  Count: 12,
  AgeBand: '65+',
}

interface Resolvers {
  /** Whether some fields fail, or return null or a value of a wrong type. */
  fail: boolean
  /** Whether all fields return promises: mixing both kinds would leave graphql-js with an unhandled rejection. */
  async: boolean
}

/** @param failingItems whether the items of a list may be invalid as well */
function valueFor(type: GraphQLOutputType, random: Random, fail: boolean, failingItems: boolean): unknown {
  if (isNonNullType(type)) return fail && random(25) === 0 ? null : valueFor(type.ofType, random, fail, failingItems)
  if (fail && random(8) === 0) return null
  if (isListType(type)) {
    return Array.from({ length: random(4) }, () => valueFor(type.ofType, random, failingItems, failingItems))
  }
  if (isCompositeType(type)) return {}
  if (fail && random(25) === 0) return Symbol('of a wrong type')
  return isEnumType(type) ? type.getValues()[random(type.getValues().length)]?.value : LEAVES[type.name]
}

/** The same field with the same path and arguments always returns the same value. */
const resolver =
  ({ fail, async: isAsync }: Resolvers): GraphQLFieldResolver<unknown, unknown> =>
  (_, args, __, { returnType, fieldName, parentType, path }) => {
    const keys: unknown[] = []
    for (let step: typeof path | undefined = path; step; step = step.prev) keys.push(step.key)
    const random = seededRandom(JSON.stringify([parentType.name, fieldName, keys, sorted(args)]))
    const value = () => {
      if (fail && random(20) === 0) throw new ApiError('RANGE_TOO_LARGE', { max_days: 7 })
      return valueFor(returnType, random, fail, fail && !isAsync)
    }
    return isAsync ? (async () => value())() : value()
  }

function schemaWith(resolvers: Resolvers) {
  const schema = buildExecutableSchema(sdl, scalars)
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type)) type.resolveType = () => schema.getPossibleTypes(type)[0]?.name
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) field.resolve = resolver(resolvers)
  }
  return schema
}

/**
 * Returns an error as callers see it, with its first location: of a field that is selected twice graphql-js reports one
 * or both.
 */
const formatted = (error: GraphQLError) =>
  formatError({ ...error.toJSON(), locations: error.locations?.slice(0, 1) ?? [] }, error)

/** Returns the path that became null because of an error: the field itself, or the nearest nullable parent. */
function nullPath(data: unknown, path: readonly (string | number)[]): string {
  let value = data
  for (const [depth, step] of path.entries()) {
    if (value === null || value === undefined) return JSON.stringify(path.slice(0, depth))
    value = (value as Record<string, unknown>)[step]
  }
  return JSON.stringify(path)
}

function errorsByNullPath({ data, errors = [] }: ExecutionResult): Map<string, GraphQLFormattedError[]> {
  const byPath = new Map<string, GraphQLFormattedError[]>()
  for (const error of errors) {
    const path = nullPath(data, error.path ?? [])
    byPath.set(path, [...(byPath.get(path) ?? []), formatted(error)])
  }
  return byPath
}

/**
 * Expects the same data, and errors for the same nulls. Where several errors make one parent null, graphql-js reports only
 * the first that it meets.
 */
function expectSame(actual: ExecutionResult, expected: ExecutionResult): void {
  expect(asJson(actual.data)).toEqual(asJson(expected.data))
  const [actualErrors, expectedErrors] = [errorsByNullPath(actual), errorsByNullPath(expected)]
  expect([...actualErrors.keys()].sort()).toEqual([...expectedErrors.keys()].sort())
  for (const [nulled, alternatives] of actualErrors) {
    if (alternatives.some(({ path }) => JSON.stringify(path) !== nulled)) continue
    for (const error of expectedErrors.get(nulled) ?? []) expect(asJson(alternatives)).toContainEqual(asJson(error))
  }
}

const asJson = (value: unknown) => JSON.parse(JSON.stringify(value ?? null))

describe.each([
  ['when resolvers return values', { fail: false, async: false }],
  ['when resolvers return promises', { fail: false, async: true }],
  ['when resolvers throw', { fail: true, async: false }],
  ['when promises are rejected', { fail: true, async: true }],
])('%s', (_, resolvers) => {
  test('compiled and uncompiled queries have the same result', async () => {
    const schema = schemaWith(resolvers)
    await fc.assert(
      fc.asyncProperty(fc.gen(), async draw => {
        const { text, variables } = new QueryGenerator(schema, draw).generate()
        const document = parse(text)
        fc.pre(validate(schema, document, specifiedRules).length === 0)
        const executor = new Executor(schema)
        const request = { document, hash: text, operationName: 'Generated', variables }
        const context = {} as Context
        const expected = await execute({ schema, document, variableValues: variables, contextValue: context })
        for (const _ of ['first execution', 'compiled']) {
          // Undefined where variables are invalid: Apollo reports those itself.
          expectSame((await executor.execute(request, context)) ?? expected, expected)
        }
      }),
      { ...scaledRuns(25), endOnFailure: true },
    )
  })
})
