/** Sends all kinds of queries and bodies, with any text in arguments, to the GraphQL endpoint. */
import fc from 'fast-check'
import { isNullableType } from 'graphql'
import { type Logger, pino } from 'pino'
import { ERRORS } from '../../schema/errors'
import { generateQueries, ROOT_FIELDS } from '../isolation/requests'
import { anyText, testProperty } from '../support/fuzz'
import { send } from '../support/http'
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

const QUERY = 'query A($v: String, $n: Int, $l: [ID!]) { __typename } query B { meta { version } }'

testProperty(
  'GraphQL body',
  'no body causes a server error',
  fc
    .oneof(
      fc.json(),
      fc.record(
        { query: fc.constantFrom<unknown>(QUERY, 1, null), variables: fc.jsonValue(), operationName: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc.uint8Array({ maxLength: 300 }),
    )
    .map(body =>
      body instanceof Uint8Array ? Buffer.from(body) : typeof body === 'string' ? body : JSON.stringify(body),
    ),
  post,
)

const PLACE = 'PLACE'
const NAMES = { company: PLACE, city: PLACE, region: PLACE, externalId: `${PLACE}:${PLACE}`, sensors: [], legacyId: 7 }
const QUERIES = ROOT_FIELDS.flatMap(field => generateQueries(field, { ...NAMES, assets: [PLACE] }))

/** Each field with each of its arguments, which have any text. */
testProperty(
  'GraphQL query',
  'no query causes a server error',
  fc.tuple(fc.constantFrom(...QUERIES), fc.oneof(anyText, fc.constantFrom(ASSET, 'a\0b', '\ud800'))),
  ([query, text]) => post(JSON.stringify({ query: query.replaceAll(`"${PLACE}"`, () => JSON.stringify(text)) })),
)

/** Positions as pages have them, part by part. */
const POSITIONS = [
  [ASSET],
  [ASSET, '2026-01-01T00:00:00.000Z'],
  [ASSET, '2026-01-01', 'note'],
  ['1', ASSET, '2026-01-01', 'impressions'],
  [ASSET, 'SN-1', '2026-01-01', 'silent'],
]

/** Parts that look like others, and are none. */
const PARTS =
  `2026-13-45 2026-02-30 0000-01-01 0001-01-01 9999-12-31 +010000-01-01 -infinity infinity epoch now -1 0 1.5 1e9 NaN
  9223372036854775807 9999999999999999 99999999999999999999 2026-01-01T24:00:00Z 2026-01-01T23:59:60Z 2026-01-01T00:00:00+16:00
  0001-01-01T00:00:00+15:59 9999-12-31T23:59:59-15:59 ' % {1} [ __proto__ x`.split(/\s+/)

/** Positions of changes are encrypted. The error of a field that is not null would hide those of others. */
const PAGED = ROOT_FIELDS.filter(({ type, args }) => isNullableType(type) && args.some(({ name }) => name === 'after'))

const PAGES = PAGED.map(({ name, args }) => {
  const range = args.some(arg => arg.name === 'fromDate') ? ', fromDate: "0001-01-01", toDate: "0009-12-31"' : ''
  return `${name}(limit: 1, after: $after${range}) { hasMore }`
})

test.each(POSITIONS)('no position like %p with another part causes a server error', async (...position) => {
  const query = `query ($after: ID) { ${PAGES.map((page, i) => `p${i}: ${page}`).join(' ')} }`
  const texts = position.flatMap((_, i) => ['', ...PARTS].map(part => position.toSpliced(i, 1, part).join(' ')))
  for (const after of [...texts, position.join(' ')]) await post(JSON.stringify({ query, variables: { after } }))
})
