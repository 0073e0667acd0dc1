/** The contract of HTTP: a request, and the status, code and headers of its response, whatever the route. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { buildBeforeAll } from '../support/build'
import { send, sendRaw, type TestResponse } from '../support/http'
import { World } from '../support/world'

let world: World
let key: string
let daily: string
/** The response on a connection without a request. */
let unused: Promise<string>

buildBeforeAll()
beforeAll(async () => {
  world = await World.open({ statementTimeoutMs: 2_000 })
  const company = await world.make.company()
  key = await world.make.key([company])
  const asset = await world.make.asset({ company })
  await world.make.sensor({ asset })
  daily = `/v1/partner/assets/${asset.id}/impressions/daily?from_date=2026-01-01&to_date=2026-12-31`
  unused = sendRaw(world.url, '', false)
})
afterAll(() => world.stop())

const META = '/v1/partner/meta'
const ALLOWED = 'GET, HEAD, OPTIONS'
const VARY = 'X-API-Key, Accept, Accept-Encoding'
const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** Longer than the headers of any client. */
const long = (value: string) => `${value}${',a/b'.repeat(300)}`

const ANY = expect.stringMatching(/./)
const NEW_ID = expect.stringMatching(/^[0-9a-f-]{36}$/)
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const PAGE = { 'content-type': 'text/html; charset=utf-8' }
const LOST_PAGE = {
  ...PAGE,
  'cache-control': 'no-store',
  'content-security-policy': expect.stringMatching(/^default-src 'none'/),
}
const NOT_CACHED = { 'cache-control': 'no-store' }

type Headers = Record<string, unknown>

type Case = [
  status: number,
  code: string | undefined,
  request: string,
  sent?: Record<string, string>,
  received?: Headers,
]

/** The same for several requests. */
const each = (
  requests: string[],
  status: number,
  code: string | undefined,
  ...rest: [Record<string, string>?, Headers?]
) => requests.map((request): Case => [status, code, request, ...rest])

test.each<Case>([
  [200, undefined, META, {}, { vary: VARY, 'cache-control': 'private, no-cache' }],
  [200, undefined, '/v1/metrics/assets', {}, { vary: 'X-API-Key, Accept-Encoding' }],
  [200, undefined, META, { 'X-Request-Id': 'abc-123' }, { 'x-request-id': 'abc-123' }],
  [200, undefined, META, { 'X-Request-Id': 'x'.repeat(129) }, { 'x-request-id': NEW_ID }],
  [200, undefined, META, { 'X-Request-Id': '<script>' }, { 'x-request-id': NEW_ID }],
  [200, undefined, META, { Accept: long('text/csv') }, { vary: VARY }],
  [200, undefined, '/', { Accept: long('application/json') }, PAGE],
  [200, undefined, '/', { Accept: 'application/json' }, JSON_TYPE],
  [200, undefined, '/', BROWSER, PAGE],
  ...each(
    ['/healthz', 'HEAD /healthz', '/readyz', 'HEAD /readyz'],
    200,
    undefined,
    {},
    { 'cache-control': 'no-cache' },
  ),
  [204, undefined, `OPTIONS ${META}`, {}, { allow: ALLOWED }],
  ...each(['/docs/', '/docs/migration/', '/docs/search/'], 308, undefined),
  [401, 'INVALID_API_KEY', META, { 'X-API-Key': 'x' }, { ...NOT_CACHED, etag: undefined, vary: undefined }],
  [401, 'INVALID_API_KEY', `HEAD ${META}`, { 'X-API-Key': 'x' }, NOT_CACHED],
  [403, 'INSUFFICIENT_SCOPE', '/graphql', {}, NOT_CACHED],
  ...each(
    ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].map(method => `${method} ${META}`),
    ...([405, 'METHOD_NOT_ALLOWED', {}, { allow: ALLOWED, ...NOT_CACHED }] as const),
  ),
  ...each(['POST /healthz', 'POST /readyz', 'DELETE /docs'], 405, 'METHOD_NOT_ALLOWED'),
  ...each(['PUT /graphql', 'DELETE /graphql'], 405, 'METHOD_NOT_ALLOWED', {}, { allow: 'GET, HEAD, POST, OPTIONS' }),
  [204, undefined, 'OPTIONS /graphql', {}, { allow: 'GET, HEAD, POST, OPTIONS' }],
  ...each(
    ['/v1', '/v1/partner', '/v1/partner/', '/v1/Partner/meta', '/v2/partner/meta'],
    404,
    'NOT_FOUND',
    {},
    NOT_CACHED,
  ),
  ...each(
    ['/v1/partner/assets/x/', '/docs//', '/docs/operation', '/%68ealthz', 'DELETE /v1/partner/nowhere'],
    404,
    'NOT_FOUND',
    {},
    NOT_CACHED,
  ),
  ...each(['/v1/partner/unknown', '/v1/unknown', 'POST /docs/unknown'], 404, 'NOT_FOUND', BROWSER),
  ...each(['/docs/unknown', '/unknown', '/docs/a/b'], 404, undefined, BROWSER, LOST_PAGE),
  ...each(
    ['?x=%', '?x=%ZZ', '?x=%ff', '?x=%00', '/%00', '/%c0%af', '/%ED%A0%80'].map(end => META + end),
    400,
    'BAD_REQUEST',
  ),
  [400, 'BAD_REQUEST', '/%', {}, NOT_CACHED],
])('%i %s: %s (%#)', async (status, code, request, sent = {}, received = {}) => {
  const [path = '', method = 'GET'] = request.split(' ').reverse()
  // A path and a method are refused before a key is read.
  for (const presented of [200, 401, 403].includes(status) ? [key] : [key, undefined]) {
    const headers = { ...(presented && { 'X-API-Key': presented }), ...sent }
    const response = await world.get(path, { method, headers })
    expect([response.status, response.body?.error?.code]).toEqual([status, method === 'HEAD' ? undefined : code])
    const expected: Headers = { 'x-content-type-options': 'nosniff', 'x-request-id': ANY, ...received }
    const found = Object.keys(expected).map(name => [name, response.headers[name]])
    expect(Object.fromEntries(found)).toEqual(expected)
    if (method === 'HEAD') expect(response.text).toBe('')
    if (status === 308) expect(response.headers.location).toBe(path.slice(0, -1))
  }
})

/** The coding in which a large body is sent, by Accept-Encoding. */
const CODINGS = new Map([
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['gzip, br;q=0.5', 'gzip'],
  ['*', 'br'],
  ['identity', undefined],
  // A client that refuses every coding is sent none, instead of an error.
  ['identity;q=0', undefined],
  ['br;q=0, gzip;q=0, identity;q=0', undefined],
  [long('br'), undefined],
])

const FILES = ['/', '/docs', '/docs/guide.md', '/openapi.json']

const decode = ({ bytes, headers: { 'content-encoding': coding } }: TestResponse): Buffer =>
  coding === undefined ? bytes : coding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)

/** Returns what a response to HEAD has of one to GET. */
const comparable = ({ status, headers }: TestResponse) => {
  const { date, 'x-request-id': _, 'server-timing': __, 'transfer-encoding': ___, ratelimit, ...others } = headers
  return { status, ...others }
}

test.each([META, () => daily, ...FILES])(
  '%s is the same in every coding, has the same headers for HEAD, and is not sent again to who has it',
  async pathOf => {
    const path = typeof pathOf === 'string' ? pathOf : pathOf()
    const request = (headers = {}, method = 'GET') => send(world.url + path, { key, method, headers })
    const plain = await request()
    expect(plain.headers['cache-control']).toMatch(/^(private, no-cache|no-cache|public, max-age=\d+)$/)
    for (const [accepted, coding] of CODINGS) {
      const headers = { 'Accept-Encoding': accepted }
      const [full, head] = [await request(headers), await request(headers, 'HEAD')]
      expect([accepted, decode(full).equals(plain.bytes), head.text]).toEqual([accepted, true, ''])
      expect(comparable(head)).toEqual(comparable(full))
      expect(full.headers).toMatchObject({ etag: plain.headers.etag, vary: plain.headers.vary })
      const isLarge = plain.bytes.length > 2_048
      expect(full.headers['content-encoding']).toBe(isLarge ? coding : undefined)
    }
    const etag = plain.headers.etag as string
    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    for (const tags of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
      const again = await request({ 'If-None-Match': tags, 'Cache-Control': 'no-cache' })
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag])
      expect(again.headers.vary).toBe(plain.headers.vary)
    }
    expect((await request({ 'If-None-Match': '"x"' })).status).toBe(200)
  },
)

test('the next page has a link, without what its cursor stands for', async () => {
  const { headers } = await world.get('/v1/partner/changes?since=2026-01-01T00:00:00Z&limit=1', { key })
  const [, next = ''] = /^<https:\/\/metrics\.example(.*)>; rel="next"$/.exec(headers.link as string) ?? []
  const { data } = await world.read(next, key)
  expect(data).toHaveLength(1)
})

const HOST = 'Host: x\r\n'
const MANY = (count: number) => HOST + 'a: b\r\n'.repeat(count)

/** Requests that Node's parser refuses, and some that it would accept. */
test.each<[code: string, path: string, headers: string, version?: string]>([
  ['URI_TOO_LONG', `${META}?${'x'.repeat(9_000)}`, HOST],
  ['URI_TOO_LONG', `${META}?${'x'.repeat(40_000)}`, HOST],
  ['HEADERS_TOO_LARGE', META, `${HOST}X-Long: ${'x'.repeat(40_000)}\r\n`],
  // None of many headers is ignored: neither is a key behind them.
  ['MISSING_API_KEY', META, MANY(190)],
  ['HEADERS_TOO_LARGE', META, MANY(210)],
  ['HEADERS_TOO_LARGE', META, MANY(3_000)],
  ['BAD_REQUEST', META, `${HOST}Content-Length: x\r\n`],
  ['BAD_REQUEST', '/v1/\u00e4', HOST],
  ['MISSING_API_KEY', META, `${HOST}Expect: a miracle\r\n`],
  ['BAD_REQUEST', META, ''],
  ['BAD_REQUEST', META, 'Host: a\r\nHost: b\r\n'],
  ['BAD_REQUEST', META, 'Host: a\r\nhost: a\r\n'],
  ['BAD_REQUEST', META, 'Host: a b\r\n'],
  ['BAD_REQUEST', META, 'Host: a/b\r\n'],
  ['MISSING_API_KEY', META, 'Host: [::1]:4000\r\n'],
  ['MISSING_API_KEY', META, 'Host: metrics.example:4000\r\n'],
  ['MISSING_API_KEY', META, 'Host:\r\n'],
  ['MISSING_API_KEY', META, '', 'HTTP/1.0'],
  ['BAD_REQUEST', META, 'Host: a\r\nHost: b\r\n', 'HTTP/1.0'],
  ['BAD_REQUEST', META, HOST, 'NONSENSE'],
])('the bytes of a request get %s (%#)', async (code, path, headers, version = 'HTTP/1.1') => {
  const [head = '', body = ''] = (
    await sendRaw(world.url, `GET ${path} ${version}\r\n${headers}Connection: close\r\n\r\n`)
  ).split('\r\n\r\n')
  expect(JSON.parse(body).error.code).toBe(code)
  expect(head).toMatch(/\r\nX-Request-Id: \S+/i)
  expect(head).toMatch(/\r\nX-Content-Type-Options: nosniff/i)
})

test('a connection without a request, or with TLS, ends without a part of one', async () => {
  expect(await sendRaw(world.url, Buffer.from([0x16, 0x03, 0x01, 0x00, 0x00]))).toMatch(/^HTTP\/1.1 400 /)
  expect(await unused).toBe('')
})

describe('when the database', () => {
  const LEGACY = '/v1/metrics/assets'

  /** Expects an error from both interfaces: from the legacy one, its frozen bytes. */
  async function expectError(status: number, code: string): Promise<void> {
    const [partner, legacy] = await Promise.all([META, LEGACY].map(path => world.get(path, { key })))
    expect([partner!.status, partner!.body.error.code]).toEqual([status, code])
    const frozen = readFileSync(join(__dirname, 'routes', 'golden', `error-${code}.json`), 'utf8')
    expect([legacy!.status, legacy!.text]).toEqual([status, frozen])
    expect(partner!.text).not.toMatch(/secret|column|SELECT|\.ts/)
    expect(partner!.headers['retry-after']).toBe(status === 503 ? '1' : undefined)
  }

  test.each<[string, number, string, string, string]>([
    ['is too slow', 504, 'TIMEOUT', 'BEGIN; LOCK TABLE companies', 'ROLLBACK'],
    [
      ...(['fails in a way that nobody foresaw', 500, 'INTERNAL'] as const),
      ...(['ALTER TABLE companies RENAME name TO secret', 'ALTER TABLE companies RENAME secret TO name'] as const),
    ],
  ])('%s, responses are %i %s and say nothing of it, and the next ones are well again', async (_, ...expected) => {
    const [status, code, begin, end] = expected
    const client = await world.owner.connect()
    await client.query(begin)
    await expectError(status, code).finally(() => client.query(end).then(() => client.release()))
    for (const path of [META, LEGACY]) expect((await world.get(path, { key })).status).toBe(200)
  })

  test('is away, requests get UNAVAILABLE, malformed keys are still recognised, and the service recovers', async () => {
    const [row] = await world.rows('SELECT current_database() AS name')
    await world.owner.query(`ALTER DATABASE ${row?.name} CONNECTION LIMIT 1`)
    await world.owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    while ((await world.get('/readyz')).status === 200);
    await expectError(503, 'UNAVAILABLE')
    expect((await world.get('/readyz')).status).toBe(503)
    expect((await world.get('/healthz')).status).toBe(200)
    expect((await world.get(META, { key: 'x' })).status).toBe(401)
    await world.owner.query(`ALTER DATABASE ${row?.name} CONNECTION LIMIT -1`)
    // After a failed login the next one is a tenth of a second later.
    while ((await world.get('/readyz')).status === 503);
    expect((await world.get(META, { key })).status).toBe(200)
  })
})
