import { keyHash } from '../../../db/api-keys/key-format'
import { type RequestOptions, send, type TestResponse } from '../../support/http'
import { Lock } from '../../support/lock'
import { watchTraffic } from '../../support/traffic'
import { World } from '../../support/world'

const SCOPES = { scopes: ['internal:graphql:read'] }

let world: World
let key: string
let asset: string

beforeAll(async () => {
  world = await World.open({ statementTimeoutMs: 2_000, connections: 2 })
  const { make } = world
  const company = await make.company('Nordlicht')
  const made = await make.asset({ company })
  asset = made.id
  await make.counts(await make.sensor({ asset: made }), '2026-01-01', () => 1)
  key = await make.key([company], SCOPES)
})
afterAll(() => world.stop())

/** The endpoint is not part of the OpenAPI document, so that `World.get` does not apply. */
const graphql = (options: RequestOptions, search = ''): Promise<TestResponse> =>
  send(`${world.url}/graphql${search}`, options)

const JSON_TYPE = { 'Content-Type': 'application/json' }

const post = (body: unknown, headers: Record<string, string> = { 'X-API-Key': key }): Promise<TestResponse> =>
  graphql({ method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })

const codesOf = ({ body }: TestResponse) =>
  body.errors?.map((error: { extensions: { code: string } }) => error.extensions.code)

const META = '{ meta { version companies { name } } }'

describe('a request', () => {
  test('without a key, with an invalid key or without the scope gets the same errors as on REST routes', async () => {
    const deactivated = await world.make.key([], SCOPES)
    await world.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE hash = $1', [keyHash(deactivated)])
    for (const [headers, status, code] of [
      [{}, 401, 'MISSING_API_KEY'],
      [{ 'X-API-Key': 'nonsense' }, 401, 'INVALID_API_KEY'],
      [{ 'X-API-Key': deactivated }, 401, 'INVALID_API_KEY'],
      [{ 'X-API-Key': 'msk_live_x' }, 401, 'WRONG_ENVIRONMENT'],
      [{ 'X-API-Key': await world.make.key([]) }, 403, 'INSUFFICIENT_SCOPE'],
    ] as const) {
      const response = await post({ query: META }, headers)
      expect([response.status, response.body.error.code]).toEqual([status, code])
      expect(response.headers['x-request-id']).toMatch(/./)
      expect(response.headers['cache-control']).toBe('no-store')
    }
  })

  test('gets the data of the companies of its key by POST, GET and HEAD', async () => {
    const data = { meta: { version: 'v1', companies: [{ name: 'Nordlicht' }] } }
    const search = `?query=${encodeURIComponent(META)}`
    const [got, head] = [await graphql({ key }, search), await graphql({ key, method: 'HEAD' }, search)]
    for (const { status, headers, body } of [await post({ query: META }), got]) {
      expect([status, body]).toEqual([200, { data }])
      expect(headers['cache-control']).toBe('no-store')
      expect(headers.vary).toMatch(/X-API-Key/)
      expect(headers['ratelimit-policy']).toMatch(/./)
    }
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['content-type', 'content-length']) expect(head.headers[name]).toBe(got.headers[name])
  })

  test('with a body that is too large, nested too deeply or not JSON gets 400 if its key is valid, otherwise 401', async () => {
    const variables = (value: string) => `{"query":"{__typename}","variables":{"a":${value}}}`
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    for (const body of [variables(`"${'x'.repeat(300_000)}"`), variables(nested(101)), '{"query":']) {
      const options = { method: 'POST', headers: JSON_TYPE, body }
      const invalid = await graphql({ ...options, key })
      expect([invalid.status, invalid.body.error.code]).toEqual([400, 'BAD_REQUEST'])
      const unknown = await graphql({ ...options, key: `${key}x` })
      expect(unknown.body.error.code).toBe('INVALID_API_KEY')
    }
    for (const body of [variables(nested(98)), variables(JSON.stringify('"['.repeat(200)))])
      expect((await graphql({ method: 'POST', headers: JSON_TYPE, body, key })).status).toBe(200)
  })
})

const HOURS = 'impressions(fromDate: "2026-01-01", toDate: "2026-12-31") { timeseries(grain: hour) { rows { start } } }'
const FIELDS = Array.from({ length: 50 }, (_, i) => `f${i}: id`).join(' ')

test.each([
  ['rows', `{ assets(limit: 500, filter: { city: "Kiel" }) { nodes { ${HOURS} } } }`],
  ['selections', `{ ${FIELDS.replaceAll(/id\b/g, 'asset(id: "x") { ...F }')} } fragment F on Asset { ${FIELDS} }`],
])('a query with too many %s is refused with its cost and the limit, and reads nothing', async (_, query) => {
  const { statements } = await watchTraffic(async () => {
    const response = await post({ query })
    expect([response.status, codesOf(response)]).toEqual([400, ['QUERY_TOO_COSTLY']])
    const { message, extensions } = response.body.errors[0]
    const { cost, limit } = extensions.details
    expect(message).toContain(`cost up to ${cost}; the maximum is ${limit}`)
    expect([cost > limit, response.body.data]).toEqual([true, undefined])
  })
  expect(statements).toHaveLength(1)
})

test('the error of a field is reported with its code and details, beside the data of the other fields', async () => {
  for (const _ of ['first execution', 'compiled']) {
    const response = await post({
      query: `{
        reversed: impressions(assetId: "${asset}", fromDate: "2026-01-02", toDate: "2026-01-01") { daily { total } }
        long: impressions(assetId: "${asset}", fromDate: "2026-01-01", toDate: "2026-03-01") { timeseries(grain: minute) { total } }
        valid: impressions(assetId: "${asset}", fromDate: "2026-01-01", toDate: "2026-01-02") { daily { total } }
      }`,
    })
    expect(response.status).toBe(200)
    expect(response.body.data).toEqual({
      reversed: { daily: null },
      long: { timeseries: null },
      valid: { daily: { total: 1440 } },
    })
    expect(codesOf(response).sort()).toEqual(['INVALID_DATE_RANGE', 'RANGE_TOO_LARGE'])
    const long = response.body.errors.find((error: { path: string[] }) => error.path[0] === 'long')
    expect(long.extensions).toEqual({ code: 'RANGE_TOO_LARGE', details: { max_days: 7 } })
  }
})

const FRAGMENTS = Array.from(
  { length: 14 },
  (_, i) => `fragment F${i} on Query { ${i < 13 ? `...F${i + 1} ...F${i + 1}` : 'meta { version }'} }`,
)

test.each<readonly [what: string, request: unknown, code: string]>([
  ['no query', {}, 'BAD_REQUEST'],
  ['several requests in one body', [{ query: META }, { query: META }], 'BAD_REQUEST'],
  ['a syntax error', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
  ['an unknown field', { query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
  ['a mutation', { query: 'mutation { __typename }' }, 'BAD_REQUEST'],
  [
    'a variable of another type',
    {
      query: 'query ($on: Date!) { assets { impressions(fromDate: $on, toDate: $on) { total } } }',
      variables: { on: 'soon' },
    },
    'BAD_USER_INPUT',
  ],
  ['two operations without a name', { query: `query A ${META} query B ${META}` }, 'OPERATION_RESOLUTION_FAILURE'],
  ['too many tokens', { query: `{ ${'meta { version } '.repeat(600)} }` }, 'GRAPHQL_PARSE_FAILED'],
  ['fragments that multiply', { query: `query { ...F0 } ${FRAGMENTS.join(' ')}` }, 'QUERY_TOO_COSTLY'],
  ...[
    ['an argument', 'query ($v: Int) { assets(limit: $v) { count } }'],
    ['an item of a list', 'query ($v: ID = "a") { assets(filter: { id: [$v] }) { count } }'],
    [
      'a nested argument',
      'query ($v: SumOrder) { assets { impressions(fromDate: "2026-01-01", toDate: "2026-01-02") { top(sort: { by: $v }) { name } } } }',
    ],
    ['a directive', 'query ($v: Boolean = true) { meta @skip(if: $v) { version } }'],
    ['introspection', 'query ($v: String = "Asset") { __type(name: $v) { name } }'],
  ].map(([what, query]) => [`null in ${what}`, { query, variables: { v: null } }, 'BAD_USER_INPUT'] as const),
])('a request with %s gets an error with a code of its own and no stack trace', async (_, request, code) => {
  for (const _ of ['first execution', 'second execution']) {
    const response = await post(request)
    expect([response.status, codesOf(response) ?? [response.body.error.code]]).toEqual([400, [code]])
    expect(response.text).not.toMatch(/stacktrace|node_modules| at /)
  }
})

describe('while a table is locked', () => {
  const whileLocked = async (request: () => Promise<void>) => {
    const lock = await Lock.take(world.database.ownerUrl, 'LOCK TABLE companies')
    await request().finally(() => lock.release())
    for (let i = 0; i < 4; i++) expect((await post({ query: META })).status).toBe(200)
  }

  test('a query whose connection is lost gets 503 instead of a part of its result', () =>
    whileLocked(async () => {
      const lost = post({ query: '{ assets { nodes { id company { name } } } }' })
      const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`
      while ((await world.owner.query(terminate)).rowCount === 0);
      const { status, body, headers } = await lost
      expect([status, body.error.code, headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '1'])
    }))

  test('the errors of fields whose statement exceeds its timeout have the code TIMEOUT', () =>
    whileLocked(async () => {
      const slow = await post({ query: `{ ${META.slice(1, -1)} again: meta { companies { id } } }` })
      expect([slow.status, new Set(codesOf(slow))]).toEqual([200, new Set(['TIMEOUT'])])
    }))
})
