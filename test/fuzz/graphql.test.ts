/** Sends all kinds of queries and bodies, with any text in arguments, to the GraphQL endpoint. */
import fc from 'fast-check'
import { type Logger, pino } from 'pino'
import { schema } from '../../resolvers/schema'
import { ERRORS } from '../../schema/errors'
import { anyText, testProperty } from '../support/fuzz'
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

const INVALID_TEXTS = ['a\0b', '\ud800', '\udc00x']

/** Arguments have usual values and any text, as literals and in variables. */
testProperty('GraphQL query', 'no query causes a server error', fc.gen(), async draw => {
  const texts = [...draw(fc.array, anyText, { minLength: 1, maxLength: 3 }), draw(fc.constantFrom, ...INVALID_TEXTS)]
  const { text, variables } = new QueryGenerator(schema, draw, [ASSET, ...texts]).generate()
  await post(JSON.stringify({ query: text, variables }))
})
