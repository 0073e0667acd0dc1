/** Sends all kinds of queries, bodies, and text for every argument of the schema that takes text, to the GraphQL endpoint. */
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
import { schema } from '../../resolvers/schema'
import { ERRORS } from '../../schema/errors'
import { anyText, scaledRuns, testProperty } from '../support/fuzz'
import { send } from '../support/http'
import { QueryGenerator } from '../support/query-generator'
import { World } from '../support/world'

const ASSET = 'assetwithtext'

const logged: string[] = []

let world: World
let key: string

beforeAll(async () => {
  const log: Logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
  world = await World.open({ log })
  const company = await world.make.company()
  for (const id of [ASSET, 'another0asset']) {
    const sensor = await world.make.sensor({ asset: await world.make.asset({ company, id }), grain: 'hour' })
    await world.make.counts(sensor, '2026-01-01', interval => interval % 9)
  }
  key = await world.make.key([company], { scopes: ['internal:graphql:read'] })
})
afterAll(() => world.stop())

/** Codes that no request may cause. */
const SERVER_ERRORS = ['INTERNAL', 'UNAVAILABLE', 'TIMEOUT', 'INTERNAL_SERVER_ERROR']

/** Posts a body. The response must have status 200 or 400, without an error of the server, and nothing is logged. */
async function post(body: string | Buffer): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  const { status, text } = await send(`${world.url}/graphql`, { key, method: 'POST', headers, body })
  expect([200, 400]).toContain(status)
  const { errors = [], error } = JSON.parse(text)
  const codes = errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)
  expect([...codes, error?.code].filter(code => SERVER_ERRORS.includes(code))).toEqual([])
  if (error) expect(Object.keys(ERRORS)).toContain(error.code)
  expect(logged).toEqual([])
}

const TOKENS = `
  { } ( ) [ ] : ! = @ | & ... $ " """ # \\u{110000} - 0 1e999
  query mutation subscription fragment on schema type extend null true __schema __type __typename
  assets asset nodes impressions meta limit first filter order fromDate id Query Asset F $v "2026-01-01"
`

const token = fc.constantFrom(...TOKENS.trim().split(/\s+/))

testProperty(
  'GraphQL text',
  'no query text causes a server error',
  fc.oneof(
    fc
      .array(fc.oneof({ weight: 8, arbitrary: token }, { weight: 1, arbitrary: anyText }), { maxLength: 40 })
      .map(tokens => tokens.join(' ')),
    anyText,
  ),
  query => post(JSON.stringify({ query })),
)

testProperty(
  'GraphQL body',
  'no body causes a server error',
  fc.oneof(
    fc.json().map(text => Buffer.from(text)),
    fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
    fc
      .record(
        {
          query: fc.oneof(
            fc.constant('query A($v: String, $n: Int, $l: [ID!]) { __typename } query B { meta { version } }'),
            fc.jsonValue(),
          ),
          variables: fc.jsonValue(),
          operationName: fc.oneof(fc.constantFrom('A', 'B'), fc.jsonValue()),
          extensions: fc.jsonValue(),
        },
        { requiredKeys: [] },
      )
      .map(body => Buffer.from(JSON.stringify(body))),
  ),
  post,
)

testProperty('valid GraphQL query', 'no valid query causes a server error', fc.gen(), async draw => {
  const { text, variables } = new QueryGenerator(schema, draw).generate()
  await post(JSON.stringify({ query: text, variables }))
})

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
      for (const value of valuesWith(type, text)) await post(JSON.stringify({ query, variables: { value } }))
    }),
    { ...scaledRuns(20), examples: [['\0'], ['a\0b'], ['\ud800'], ['\udc00x'], ['x'.repeat(10_000)]] },
  )
})
