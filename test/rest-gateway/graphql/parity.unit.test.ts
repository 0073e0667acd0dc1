/**
 * graphql-jit and graphql-js come to the same, data and errors, on generated queries over the whole
 * vocabulary, answered by resolvers that find nothing, fail, wait, and hand out what is none of their type.
 */
import { makeExecutableSchema } from '@graphql-tools/schema'
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
import { typeDefs } from '../../../schema/sdl'
import { scaledRuns } from '../../support/fuzz'
import { QueryGenerator } from '../../support/query-generator'

/** Numbers that follow from a text, the same each time. */
function dice(text: string): (sides: number) => number {
  let state = 2_166_136_261
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16_777_619)
  return sides => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_507)
    state ^= state >>> 13
    return (state >>> 0) % sides
  }
}

/** Arguments in the order of their names, whoever worked them out. */
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

function valueFor(type: GraphQLOutputType, roll: (sides: number) => number, wild: boolean, within: boolean): unknown {
  if (isNonNullType(type)) return wild && roll(25) === 0 ? null : valueFor(type.ofType, roll, wild, within)
  if (wild && roll(8) === 0) return null
  if (isListType(type)) return Array.from({ length: roll(4) }, () => valueFor(type.ofType, roll, within, within))
  if (isCompositeType(type)) return {}
  if (wild && roll(25) === 0) return Symbol('of no type')
  return isEnumType(type) ? type.getValues()[roll(type.getValues().length)]?.value : LEAVES[type.name]
}

const answer =
  (wild: boolean, waits: boolean): GraphQLFieldResolver<unknown, unknown> =>
  (_, args, __, { returnType, fieldName, parentType, path }) => {
    const place: unknown[] = []
    for (let at: typeof path | undefined = path; at; at = at.prev) place.push(at.key)
    const roll = dice(JSON.stringify([parentType.name, fieldName, place, sorted(args)]))
    const value = () => {
      if (wild && roll(20) === 0) throw new ApiError('RANGE_TOO_LARGE', { max_days: 7 })
      return valueFor(returnType, roll, wild, wild && !waits)
    }
    // One that waits beside one that fails at once would leave graphql-js with a rejection that nobody looks at.
    return waits ? (async () => value())() : value()
  }

function schemaOf(wild: boolean, waits: boolean) {
  const schema = makeExecutableSchema({ typeDefs, resolvers: { ...scalars } })
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type)) type.resolveType = () => schema.getPossibleTypes(type)[0]?.name
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) field.resolve = answer(wild, waits)
  }
  return schema
}

/** An error as the caller is told it. Where a field stands twice, graphql-js names one place or both, as it happens. */
const told = (error: GraphQLError) =>
  formatError({ ...error.toJSON(), locations: error.locations?.slice(0, 1) ?? [] }, error)

/** What became null for an error: the field itself, or what stands around it where the field must not be null. */
function nulled(data: unknown, path: readonly (string | number)[]): string {
  let value = data
  for (const [depth, step] of path.entries()) {
    if (value === null || value === undefined) return JSON.stringify(path.slice(0, depth))
    value = (value as Record<string, unknown>)[step]
  }
  return JSON.stringify(path)
}

/** The errors by what became null for them. */
function byPlace({ data, errors = [] }: ExecutionResult): Map<string, GraphQLFormattedError[]> {
  const places = new Map<string, GraphQLFormattedError[]>()
  for (const error of errors) {
    const place = nulled(data, error.path ?? [])
    places.set(place, [...(places.get(place) ?? []), told(error)])
  }
  return places
}

/** What a generated query may cost is no matter here. */
const UNBOUNDED = { rows: Number.POSITIVE_INFINITY, reads: Number.POSITIVE_INFINITY }

/** The same data, and an error for each null. Of several that make one null, graphql-js tells the first that it meets. */
function expectSame(actual: ExecutionResult, expected: ExecutionResult): void {
  expect(plainly(actual.data)).toEqual(plainly(expected.data))
  const [errors, wanted] = [byPlace(actual), byPlace(expected)]
  expect([...errors.keys()].sort()).toEqual([...wanted.keys()].sort())
  for (const [place, alternatives] of errors) {
    if (alternatives.some(({ path }) => JSON.stringify(path) !== place)) continue
    for (const error of wanted.get(place) ?? []) expect(plainly(alternatives)).toContainEqual(plainly(error))
  }
}

const plainly = (value: unknown) => JSON.parse(JSON.stringify(value ?? null))

describe.each([
  ['when resolvers return', false, false],
  ['when resolvers return promises', false, true],
  ['when resolvers fail', true, false],
  ['when promises of resolvers fail', true, true],
])('%s', (_, wild, waits) => {
  test('compiled and uncompiled queries have the same result', async () => {
    const schema = schemaOf(wild, waits)
    await fc.assert(
      fc.asyncProperty(fc.gen(), async draw => {
        const { text, variables } = new QueryGenerator(schema, draw).generate()
        const document = parse(text)
        fc.pre(validate(schema, document, specifiedRules).length === 0)
        const executor = new Executor(schema, UNBOUNDED)
        const request = { document, hash: text, operationName: 'Generated', variables }
        const context = {} as Context
        const plain = await execute({ schema, document, variableValues: variables, contextValue: context })
        for (const _ of ['first execution', 'compiled']) {
          // Undefined where variables do not fit: Apollo reports those itself.
          expectSame((await executor.execute(request, context)) ?? plain, plain)
        }
      }),
      { ...scaledRuns(25), endOnFailure: true },
    )
  })
})
