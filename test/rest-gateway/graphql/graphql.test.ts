import { serverAudits } from 'graphql-http'
import { keyHash } from '../../../db/api-keys/key-format'
import { type RequestOptions, send, type TestResponse } from '../../support/http'
import { watchTraffic } from '../../support/traffic'
import { readAs, World } from '../../support/world'

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

/** The endpoint is not part of the OpenAPI document, so that `Service.get` does not apply. */
const graphql = (options: RequestOptions, search = ''): Promise<TestResponse> =>
  send(`${world.url}/graphql${search}`, options)

const JSON_TYPE = { 'Content-Type': 'application/json' }

const post = (body: unknown, headers: Record<string, string> = { 'X-API-Key': key }): Promise<TestResponse> =>
  graphql({ method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })

const codesOf = ({ body }: TestResponse) =>
  body.errors?.map((error: { extensions: { code: string } }) => error.extensions.code)

const META = '{ meta { version companies { name } } }'

const SERIES = `query Minutes($id: ID!, $to: Date!) {
  impressions(assetId: $id, fromDate: "2026-01-01", toDate: $to) { timeseries(grain: minute) { total rows { start impressions } } }
}`

describe('the GraphQL over HTTP specification', () => {
  /** The recommendations (SHOULD) that the endpoint does not follow: it never reports a failed request with status 200. */
  const DEVIATIONS: Record<string, string> = {
    '572B': 'a syntax error gets 400, whatever media type is accepted',
    FDE2: 'a query that does not validate gets 400',
    '7B9B': 'invalid variables get 400',
  }

  const audits = serverAudits({
    url: () => `${world.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...(init.headers as object), 'X-API-Key': key } }),
  })

  test('has 61 audits', () => expect(audits).toHaveLength(61))

  test.each(audits.map(audit => [audit.id, audit.name, audit] as const))('%s %s', async (id, _, audit) => {
    const { status } = await audit.fn()
    expect(status).toBe(id in DEVIATIONS ? 'warn' : 'ok')
  })
})

describe('a request', () => {
  test('without a key, with an invalid key or without the scope gets the same errors as on REST routes', async () => {
    const withoutScope = await world.make.key([])
    for (const [headers, status, code] of [
      [{}, 401, 'MISSING_API_KEY'],
      [{ 'X-API-Key': 'nonsense' }, 401, 'INVALID_API_KEY'],
      [{ 'X-API-Key': 'msk_live_x' }, 401, 'WRONG_ENVIRONMENT'],
      [{ 'X-API-Key': withoutScope }, 403, 'INSUFFICIENT_SCOPE'],
    ] as const) {
      const response = await post({ query: META }, headers)
      expect([response.status, response.body.error.code]).toEqual([status, code])
      expect(response.headers['x-request-id']).toMatch(/./)
      expect(response.headers['cache-control']).toBe('no-store')
    }
  })

  test('with a deactivated key gets INVALID_API_KEY', async () => {
    const deactivated = await world.make.key([], SCOPES)
    expect((await post({ query: META }, { 'X-API-Key': deactivated })).status).toBe(200)
    await world.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE hash = $1', [keyHash(deactivated)])
    expect((await post({ query: META }, { 'X-API-Key': deactivated })).body.error.code).toBe('INVALID_API_KEY')
  })

  test.each(['PUT', 'DELETE', 'PATCH'])('with the method %s gets 405', async method => {
    const { status, headers } = await graphql({ method, key })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
  })

  test('with the method HEAD gets the headers of GET without a body', async () => {
    const path = `/graphql?query=${encodeURIComponent(META)}`
    const url = world.url + path
    const [got, head] = [await send(url, { key }), await send(url, { key, method: 'HEAD' })]
    expect([got.status, head.status, head.text]).toEqual([200, 200, ''])
    expect(head.headers['content-type']).toBe(got.headers['content-type'])
    expect(head.headers['content-length']).toBe(got.headers['content-length'])
  })

  test('with the method OPTIONS gets the allowed methods', async () => {
    const { status, headers } = await graphql({ method: 'OPTIONS' })
    expect([status, headers.allow]).toEqual([204, 'GET, HEAD, POST, OPTIONS'])
  })

  test('with a body that is too large or not JSON gets 400 if its key is valid, otherwise 401', async () => {
    const large = JSON.stringify({ query: META, variables: { x: 'x'.repeat(300_000) } })
    for (const body of [large, '{"query":']) {
      const options = { method: 'POST', headers: JSON_TYPE, body }
      const invalid = await graphql({ ...options, key })
      expect([invalid.status, invalid.body.error.code]).toEqual([400, 'BAD_REQUEST'])
      const unknown = await graphql({ ...options, key: `${key}x` })
      expect(unknown.body.error.code).toBe('INVALID_API_KEY')
    }
  })

  test('counts towards the same rate limit as requests to REST routes', async () => {
    const limited = await World.open({ quota: 2 })
    try {
      const own = await limited.make.key([], SCOPES)
      const request = () => send(`${limited.url}/graphql?query=${encodeURIComponent(META)}`, { key: own })
      expect((await request()).headers.ratelimit).toMatch(/r=1;/)
      await limited.read('/v1/partner/meta', own)
      expect((await request()).status).toBe(429)
    } finally {
      await limited.stop()
    }
  })
})

describe('a query', () => {
  test('returns the data of the key’s companies, by POST and by GET', async () => {
    const data = { meta: { version: 'v1', companies: [{ name: 'Nordlicht' }] } }
    const byPost = await post({ query: META })
    const byGet = await graphql({ key }, `?query=${encodeURIComponent(META)}`)
    for (const { status, headers, body } of [byPost, byGet]) {
      expect([status, body]).toEqual([200, { data }])
      expect(headers['cache-control']).toBe('no-store')
      expect(headers.vary).toMatch(/X-API-Key/)
      expect(headers['ratelimit-policy']).toMatch(/./)
    }
  })

  test('finds nothing of a company that is out of scope', async () => {
    const foreignKey = await world.make.key([await world.make.company()], SCOPES)
    const query = `{
      asset(id: "${asset}") { id }
      assets { nodes { id } }
      impressions(assetId: "${asset}", fromDate: "2026-01-01", toDate: "2026-01-01") { daily { total } }
    }`
    const { body } = await post({ query }, { 'X-API-Key': foreignKey })
    expect(body.data).toEqual({ asset: null, assets: { nodes: [] }, impressions: { daily: null } })
  })

  test('returns the same on its first execution and once it is compiled', async () => {
    const request = { query: SERIES, variables: { id: asset, to: '2026-01-02' } }
    const [first, compiled] = [await post(request), await post(request)]
    expect(compiled.body).toEqual(first.body)
    expect(compiled.body.data.impressions.timeseries).toMatchObject({ total: 1440, rows: { length: 2880 } })
  })

  test('is authenticated before it is parsed, and again in the transaction that reads', async () => {
    const { statements } = await watchTraffic(() => post({ query: META }))
    expect(statements).toEqual(['authenticate-key', 'authenticate-key', expect.any(String)])
  })

  test('can introspect the schema', async () => {
    const { body } = await post({ query: '{ __schema { queryType { name } } __type(name: "Grain") { description } }' })
    expect(body.data.__schema.queryType.name).toBe('Query')
    expect(body.data.__type.description).toMatch(/./)
  })
})

describe('an error', () => {
  test('of a field is reported with its code and details, beside the data of the other fields', async () => {
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

  test.each([
    ['no query', {}, 'BAD_REQUEST'],
    ['a syntax error', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['a mutation', { query: 'mutation { __typename }' }, 'BAD_REQUEST'],
    ['a variable of another type', { query: SERIES, variables: { id: 'x', to: 'soon' } }, 'BAD_USER_INPUT'],
    [
      'two operations without an operation name',
      { query: `query A ${META} query B ${META}` },
      'OPERATION_RESOLUTION_FAILURE',
    ],
    ['too many tokens', { query: `{ ${'meta { version } '.repeat(600)} }` }, 'GRAPHQL_PARSE_FAILED'],
    [
      'fragments that multiply',
      {
        query: `query { ...F0 } ${Array.from({ length: 14 }, (_, i) => `fragment F${i} on Query { ${i < 13 ? `...F${i + 1} ...F${i + 1}` : 'meta { version }'} }`).join(' ')}`,
      },
      'GRAPHQL_VALIDATION_FAILED',
    ],
  ])('of a request with %s has its own code and no stack trace', async (_, request, code) => {
    const response = await post(request)
    expect([response.status, codesOf(response)]).toEqual([400, [code]])
    expect(response.text).not.toMatch(/stacktrace|node_modules| at /)
  })
})

test('several requests in one body get 400', async () => {
  expect((await post([{ query: META }, { query: META }])).status).toBe(400)
})

test('a simple cross-origin request, which cannot have the key’s header, gets 401', async () => {
  const { status } = await graphql({
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: '{"query":"{meta{version}}"}',
  })
  expect(status).toBe(401)
})

test('a query whose connection is lost gets 503 instead of a part of its result', async () => {
  const lock = await world.owner.connect()
  try {
    await lock.query('BEGIN; LOCK TABLE companies')
    const lost = post({ query: '{ assets { nodes { id company { name } } } }' })
    const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`
    while ((await world.owner.query(terminate)).rowCount === 0);
    const { status, body, headers } = await lost
    expect([status, body.error.code, headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '1'])
  } finally {
    await lock.query('ROLLBACK')
    lock.release()
  }
  expect((await post({ query: META })).status).toBe(200)
})

describe('when a statement exceeds its timeout', () => {
  test('the errors have the code TIMEOUT, and the next requests succeed', async () => {
    const lock = await world.owner.connect()
    try {
      await lock.query('BEGIN; LOCK TABLE companies')
      const slow = await post({ query: `{ ${META.slice(1, -1)} again: meta { companies { id } } }` })
      expect(slow.status).toBe(200)
      expect(new Set(codesOf(slow))).toEqual(new Set(['TIMEOUT']))
    } finally {
      await lock.query('ROLLBACK')
      lock.release()
    }
    for (let i = 0; i < 4; i++) expect((await post({ query: META })).status).toBe(200)
  })

  test('the later statements of its batch fail with it, and the connection stays usable', async () => {
    const codes = await readAs(world.gateway, keyHash(key), async reader => {
      const slow = { name: 'slow', text: 'SELECT pg_sleep(10)' }
      const quick = { name: 'quick', text: 'SELECT 1' }
      const results = await Promise.allSettled([reader.read(slow), reader.read(quick)])
      return results.map(result => result.status === 'rejected' && result.reason.code)
    })
    expect(codes).toEqual(['TIMEOUT', 'TIMEOUT'])
    expect((await post({ query: META })).status).toBe(200)
  })
})
