import { serverAudits } from 'graphql-http'
import { keyHash } from '../../../db/api-keys/key-format'
import { readAs, Service, watchTraffic } from '../../support/service'

const SCOPES = { scopes: ['internal:graphql:read'] }

let service: Service
let key: string
let asset: string

beforeAll(async () => {
  service = await Service.start({ statementTimeoutMs: 400, connections: 2 })
  const { make } = service
  const company = await make.company('Nordlicht')
  const made = await make.asset({ company })
  asset = made.id
  await make.counts(await make.sensor({ asset: made }), '2026-01-01', () => 1)
  key = await make.key([company], SCOPES)
})
afterAll(() => service.stop())

interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  body: any
}

async function send(init: RequestInit & { search?: string } = {}): Promise<Answer> {
  const answer = await fetch(`${service.url}/graphql${init.search ?? ''}`, init)
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

const post = (body: unknown, headers: Record<string, string> = { 'X-API-Key': key }): Promise<Answer> =>
  send({ method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })

const codesOf = ({ body }: Answer) =>
  body.errors?.map((error: { extensions: { code: string } }) => error.extensions.code)

const META = '{ meta { version companies { name } } }'

const SERIES = `query Minutes($id: ID!, $to: Date!) {
  impressions(assetId: $id, fromDate: "2026-01-01", toDate: $to) { timeseries(grain: minute) { total rows { start impressions } } }
}`

describe('the standard of GraphQL over HTTP', () => {
  /** Of what only SHOULD be, what this endpoint does otherwise, and why. */
  const OTHERWISE: Record<string, string> = {
    '572B':
      'a text that does not parse is answered with 400, whatever is accepted: what failed is not told as a success',
    FDE2: 'the same of a query that the schema does not know',
    '7B9B': 'the same of variables that do not fit',
  }

  const audits = serverAudits({
    url: () => `${service.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...(init.headers as object), 'X-API-Key': key } }),
  })

  test('has 61 audits', () => expect(audits).toHaveLength(61))

  test.each(audits.map(audit => [audit.id, audit.name, audit] as const))('%s %s', async (id, _, audit) => {
    const { status } = await audit.fn()
    expect(status).toBe(id in OTHERWISE ? 'warn' : 'ok')
  })
})

describe('before GraphQL', () => {
  test('a request without a key, with a wrong one, or with one that lacks the scope is refused as everywhere', async () => {
    const plain = await service.make.key([])
    for (const [headers, status, code] of [
      [{}, 401, 'MISSING_API_KEY'],
      [{ 'X-API-Key': 'nonsense' }, 401, 'INVALID_API_KEY'],
      [{ 'X-API-Key': 'msk_live_x' }, 401, 'WRONG_ENVIRONMENT'],
      [{ 'X-API-Key': plain }, 403, 'INSUFFICIENT_SCOPE'],
    ] as const) {
      const answer = await post({ query: META }, headers)
      expect([answer.status, answer.body.error.code]).toEqual([status, code])
      expect(answer.headers.get('x-request-id')).toMatch(/./)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('a key that was deactivated reads nothing any more', async () => {
    const gone = await service.make.key([], SCOPES)
    expect((await post({ query: META }, { 'X-API-Key': gone })).status).toBe(200)
    await service.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE hash = $1', [keyHash(gone)])
    expect((await post({ query: META }, { 'X-API-Key': gone })).body.error.code).toBe('INVALID_API_KEY')
  })

  test.each(['HEAD', 'PUT', 'DELETE', 'PATCH'])('%s is not allowed', async method => {
    const { status, headers } = await send({ method, headers: { 'X-API-Key': key } })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS'])
  })

  test('OPTIONS tells what is allowed', async () => {
    const { status, headers } = await send({ method: 'OPTIONS' })
    expect([status, headers.get('allow')]).toEqual([204, 'GET, POST, OPTIONS'])
  })

  test('a body that is too large or no JSON is refused, once the key proved good', async () => {
    const large = JSON.stringify({ query: META, variables: { x: 'x'.repeat(300_000) } })
    for (const body of [large, '{"query":']) {
      const refused = await send({ method: 'POST', headers: { ...JSON_TYPE, 'X-API-Key': key }, body })
      expect([refused.status, refused.body.error.code]).toEqual([400, 'BAD_REQUEST'])
      const unknown = await send({ method: 'POST', headers: { ...JSON_TYPE, 'X-API-Key': `${key}x` }, body })
      expect(unknown.body.error.code).toBe('INVALID_API_KEY')
    }
  })

  test('requests are counted with those of the other interfaces', async () => {
    const few = await Service.start({ quota: 2 })
    try {
      const own = await few.make.key([], SCOPES)
      const ask = () => fetch(`${few.url}/graphql?query=${encodeURIComponent(META)}`, { headers: { 'X-API-Key': own } })
      expect((await ask()).headers.get('ratelimit')).toMatch(/r=1;/)
      await few.read('/v1/partner/meta', own)
      expect((await ask()).status).toBe(429)
    } finally {
      await few.stop()
    }
  })
})

describe('a query', () => {
  test('is answered for the companies of the key, by POST and by GET', async () => {
    const data = { meta: { version: 'v1', companies: [{ name: 'Nordlicht' }] } }
    const posted = await post({ query: META })
    const got = await send({ search: `?query=${encodeURIComponent(META)}`, headers: { 'X-API-Key': key } })
    for (const { status, headers, body } of [posted, got]) {
      expect([status, body]).toEqual([200, { data }])
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('vary')).toMatch(/X-API-Key/)
      expect(headers.get('ratelimit-policy')).toMatch(/./)
    }
  })

  test('finds nothing of another company', async () => {
    const stranger = await service.make.key([await service.make.company()], SCOPES)
    const query = `{
      asset(id: "${asset}") { id }
      assets { nodes { id } }
      impressions(assetId: "${asset}", fromDate: "2026-01-01", toDate: "2026-01-01") { daily { total } }
    }`
    const { body } = await post({ query }, { 'X-API-Key': stranger })
    expect(body.data).toEqual({ asset: null, assets: { nodes: [] }, impressions: { daily: null } })
  })

  test('comes to the same when it is new and when it is known', async () => {
    const asked = { query: SERIES, variables: { id: asset, to: '2026-01-02' } }
    const answers = [await post(asked), await post(asked)]
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body)
    expect(answers[1]?.body.data.impressions.timeseries).toMatchObject({ total: 1440, rows: { length: 2880 } })
  })

  test('authenticates first and reads in a transaction of its own', async () => {
    const { statements } = await watchTraffic(() => post({ query: META }))
    expect(statements).toEqual(['authenticate-key', 'authenticate-key', expect.any(String)])
  })

  test('can ask the schema itself', async () => {
    const { body } = await post({ query: '{ __schema { queryType { name } } __type(name: "Grain") { description } }' })
    expect(body.data.__schema.queryType.name).toBe('Query')
    expect(body.data.__type.description).toMatch(/./)
  })
})

describe('what GraphQL finds wrong', () => {
  test('is told under our codes with their details, beside what could be read', async () => {
    for (const _ of ['new', 'known']) {
      const answer = await post({
        query: `{
          wrong: impressions(assetId: "${asset}", fromDate: "2026-01-02", toDate: "2026-01-01") { daily { total } }
          long: impressions(assetId: "${asset}", fromDate: "2026-01-01", toDate: "2026-03-01") { timeseries(grain: minute) { total } }
          good: impressions(assetId: "${asset}", fromDate: "2026-01-01", toDate: "2026-01-02") { daily { total } }
        }`,
      })
      expect(answer.status).toBe(200)
      expect(answer.body.data).toEqual({
        wrong: { daily: null },
        long: { timeseries: null },
        good: { daily: { total: 1440 } },
      })
      expect(codesOf(answer).sort()).toEqual(['INVALID_DATE_RANGE', 'RANGE_TOO_LARGE'])
      const long = answer.body.errors.find((error: { path: string[] }) => error.path[0] === 'long')
      expect(long.extensions).toEqual({ code: 'RANGE_TOO_LARGE', details: { max_days: 7 } })
    }
  })

  test.each([
    ['no query', {}, 'BAD_REQUEST'],
    ['a text that does not parse', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['a mutation', { query: 'mutation { __typename }' }, 'BAD_REQUEST'],
    ['a variable of another type', { query: SERIES, variables: { id: 'x', to: 'soon' } }, 'BAD_USER_INPUT'],
    ['an unclear operation', { query: `query A ${META} query B ${META}` }, 'OPERATION_RESOLUTION_FAILURE'],
    ['more tokens than are looked at', { query: `{ ${'meta { version } '.repeat(600)} }` }, 'GRAPHQL_PARSE_FAILED'],
    [
      'fragments that multiply',
      {
        query: `query { ...F0 } ${Array.from({ length: 14 }, (_, i) => `fragment F${i} on Query { ${i < 13 ? `...F${i + 1} ...F${i + 1}` : 'meta { version }'} }`).join(' ')}`,
      },
      'GRAPHQL_VALIDATION_FAILED',
    ],
  ])('%s: told under its own code, without a stack', async (_, asked, code) => {
    const answer = await post(asked)
    expect([answer.status, codesOf(answer)]).toEqual([400, [code]])
    expect(JSON.stringify(answer.body)).not.toMatch(/stacktrace|node_modules| at /)
  })

  test('several requests in one body are refused', async () => {
    expect((await post([{ query: META }, { query: META }])).status).toBe(400)
  })

  test('a page of another origin cannot ask: without the header of the key nothing is read', async () => {
    const { status } = await send({
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: '{"query":"{meta{version}}"}',
    })
    expect(status).toBe(401)
  })
})

describe('when the database is too slow', () => {
  test('the answer says so, tells nothing else, and the next one is good', async () => {
    const lock = await service.owner.connect()
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

  test('an error in one statement is reported for those behind it too, and the connection is clean afterwards', async () => {
    const codes = await readAs(service.gateway, keyHash(key), async reader => {
      const slow = { name: 'slow', text: 'SELECT pg_sleep(10)' }
      const quick = { name: 'quick', text: 'SELECT 1' }
      const results = await Promise.allSettled([reader.read(slow), reader.read(quick)])
      return results.map(result => result.status === 'rejected' && result.reason.code)
    })
    expect(codes).toEqual(['TIMEOUT', 'TIMEOUT'])
    expect((await post({ query: META })).status).toBe(200)
  })
})
