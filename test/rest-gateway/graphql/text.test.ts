/** Sends all kinds of text, and null, for every argument of the schema that takes text. */
import fc from 'fast-check'
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { type Logger, pino } from 'pino'
import { schema } from '../../../resolvers/schema'
import { anyText, scaledRuns } from '../../support/fuzz'
import { send } from '../../support/http'
import { World } from '../../support/world'

const ASSET = 'assetwithtext'

const logged: string[] = []

let world: World
let key: string

beforeAll(async () => {
  const log: Logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
  world = await World.open({ log })
  const company = await world.make.company()
  await world.make.counts(
    await world.make.sensor({ asset: await world.make.asset({ company, id: ASSET }) }),
    '2026-01-01',
    () => 1,
  )
  key = await world.make.key([company], { scopes: ['internal:graphql:read'] })
})
afterAll(() => world.stop())

interface Answer {
  status: number
  codes: string[]
  data: unknown
}

async function post(query: string, variables: Record<string, unknown> = {}): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ query, variables })
  const response = await send(`${world.url}/graphql`, { key, method: 'POST', headers, body })
  const { errors = [], data } = JSON.parse(response.text)
  const codes = errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)
  return { status: response.status, codes, data }
}

type Field = GraphQLField<unknown, unknown>

const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields())

const TEXT_TYPES = ['ID', 'String', 'Date', 'DateTime']

/** Returns values of a type that have a text in one place, for each such place. */
function valuesWith(type: GraphQLInputType, text: string): unknown[] {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return valuesWith(nullable.ofType, text).map(item => [item])
  if (isInputObjectType(nullable)) {
    return Object.values(nullable.getFields()).flatMap(field =>
      valuesWith(field.type, text).map(value => ({ [field.name]: value })),
    )
  }
  return TEXT_TYPES.includes(String(nullable)) ? [text] : []
}

/** Values of the arguments that a field requires. */
const REQUIRED: Record<string, string> = { ID: `"${ASSET}"`, Date: '"2026-01-01"' }

const exampleOf = (type: GraphQLNamedType): string | undefined =>
  isEnumType(type) ? type.getValues()[0]?.name : REQUIRED[type.name]

function requiredArgs({ args }: Field, except?: GraphQLArgument): string[] {
  return args
    .filter(arg => arg !== except && isRequiredArgument(arg))
    .map(({ name, type }) => `${name}: ${exampleOf(getNamedType(type))}`)
}

const listOf = (args: readonly string[]): string => (args.length > 0 ? `(${args.join(', ')})` : '')

/** Selects all fields without required arguments. */
function selectionOf(type: GraphQLNamedType, depth = 0): string {
  if (!isObjectType(type)) return ''
  const fields = fieldsOf(type).filter(field => {
    const isLeaf = !isCompositeType(getNamedType(field.type))
    return !field.args.some(isRequiredArgument) && (isLeaf || depth < 2)
  })
  return ` { __typename ${fields.map(field => `${field.name}${selectionOf(getNamedType(field.type), depth + 1)}`).join(' ')} }`
}

/** Returns a field of each object type, with the fields that lead to it. */
function* reachableFields(): Generator<{ field: Field; path: Field[] }> {
  const paths = new Map<GraphQLObjectType, Field[]>([[schema.getQueryType() as GraphQLObjectType, []]])
  for (const [type, path] of paths) {
    for (const field of fieldsOf(type)) {
      yield { field, path }
      const result = getNamedType(field.type)
      if (isObjectType(result) && !paths.has(result)) paths.set(result, [...path, field])
    }
  }
}

/** A query for each argument that takes text. */
const QUERIES = [...reachableFields()].flatMap(({ field, path }) =>
  field.args
    .filter(({ type }) => valuesWith(type, '').length > 0)
    .map(arg => {
      const args = [`${arg.name}: $value`, ...requiredArgs(field, arg)]
      const selection = selectionOf(getNamedType(field.type), Math.min(path.length, 2))
      const query = path.reduceRight(
        (inner, outer) => `${outer.name}${listOf(requiredArgs(outer))} { ${inner} }`,
        `${field.name}${listOf(args)}${selection}`,
      )
      const name = `${[...path, field].map(({ name }) => name).join('.')}(${arg.name}:)`
      return { name, type: arg.type, query: `query ($value: ${arg.type}) { ${query} }` }
    }),
)

const SERVER_ERRORS = ['INTERNAL', 'UNAVAILABLE', 'TIMEOUT', 'INTERNAL_SERVER_ERROR']

function expectCallersMistake({ status, codes }: Answer): void {
  expect([200, 400]).toContain(status)
  expect(codes.filter(code => SERVER_ERRORS.includes(code))).toEqual([])
  expect(logged).toEqual([])
}

test('every argument of the schema that takes text is covered', () => {
  const types = Object.values(schema.getTypeMap()).filter(type => isObjectType(type) && !type.name.startsWith('__'))
  const args = types.flatMap(type => fieldsOf(type as GraphQLObjectType).flatMap(field => field.args))
  const isWithoutText = ({ type }: GraphQLArgument) => {
    const named = getNamedType(type)
    return isEnumType(named) || ['Int', 'Float', 'Boolean', 'AssetSort', 'SumSort'].includes(named.name)
  }
  expect(QUERIES).toHaveLength(args.filter(arg => !isWithoutText(arg)).length)
})

test.each(QUERIES)('no text for $name causes a server error', async ({ type, query }) => {
  await fc.assert(
    fc.asyncProperty(anyText, async text => {
      for (const value of valuesWith(type, text)) expectCallersMistake(await post(query, { value }))
    }),
    { ...scaledRuns(20), examples: [['\0'], ['a\0b'], ['\ud800'], ['\udc00x'], ['x'.repeat(10_000)]] },
  )
})

const NUL = '\\u0000'

test.each([
  ['a literal', `{ asset(id: "${NUL}") { id } }`, {}, 'GRAPHQL_VALIDATION_FAILED'],
  ['a variable', 'query ($id: ID!) { asset(id: $id) { id } }', { id: '\0' }, 'BAD_USER_INPUT'],
  ['a default value', `query ($id: ID! = "${NUL}") { asset(id: $id) { id } }`, {}, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a nested variable',
    'query ($filter: AssetFilter) { assets(filter: $filter) { count } }',
    { filter: { city: ['\ud800'] } },
    'BAD_USER_INPUT',
  ],
])('text that is not valid Unicode, or has U+0000, in %s gets a code of its own', async (_, query, variables, code) => {
  expect(await post(query, variables)).toMatchObject({ status: 400, codes: [code] })
})

test.each([
  ['an argument', 'query ($v: Int) { assets(limit: $v) { count } }'],
  ['an input field', 'query ($v: AssetOrder) { assets(sort: { by: $v }) { count } }'],
  ['an item of a list', 'query ($v: ID = "a") { assets(filter: { id: [$v] }) { count } }'],
  [
    'a nested argument',
    'query ($v: GroupGrain) { assets { impressions(fromDate: "2026-01-01", toDate: "2026-01-02") { series(grain: $v) { date } } } }',
  ],
  ['a directive', 'query ($v: Boolean = true) { meta @skip(if: $v) { version } }'],
  ['introspection', 'query ($v: String = "Asset") { __type(name: $v) { name } }'],
])('a null variable where %s must not be null is the caller’s mistake', async (_, query) => {
  for (const _ of ['first execution', 'second execution']) {
    expect(await post(query, { v: null })).toMatchObject({ status: 400, codes: ['BAD_USER_INPUT'] })
  }
  expect(logged).toEqual([])
})
