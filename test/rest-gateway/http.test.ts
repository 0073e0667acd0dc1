import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { send } from '../support/http'
import { World } from '../support/world'

let world: World
let key: string
let asset: string
/** The response on a connection without a request. */
let unused: ReturnType<typeof raw>

beforeAll(async () => {
  world = await World.open({ statementTimeoutMs: 2_000 })
  const company = await world.make.company()
  key = await world.make.key([company])
  asset = (await world.make.asset({ company })).id
  unused = raw('', 20_000)
})
afterAll(() => world.stop())

const META = '/v1/partner/meta'

/** Sends exactly these bytes and returns the response. */
function raw(text: string | Buffer, timeoutMs = 5_000): Promise<{ status: number; head: string; body: string }> {
  const { port, hostname } = new URL(world.url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer')))
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      resolve({ status: Number(head.slice(9, 12)), head, body })
    })
  })
}

describe('a good answer', () => {
  test('may be cached, and gets 304 when it is requested again unchanged', async () => {
    const first = await world.get(META, { key })
    expect(first.headers.etag).toMatch(/^W\/"[\w-]+"$/)
    expect(first.headers['cache-control']).toBe('private, no-cache')
    expect(first.headers.vary).toBe('X-API-Key, Accept, Accept-Encoding')
    const etag = first.headers.etag as string
    for (const tags of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
      const again = await world.get(META, { key, headers: { 'If-None-Match': tags, 'Cache-Control': 'no-cache' } })
      expect([again.status, again.text]).toEqual([304, ''])
      expect(again.headers.etag).toBe(etag)
    }
    expect((await world.get(META, { key, headers: { 'If-None-Match': '"x"' } })).status).toBe(200)
  })

  test('has the same headers for HEAD, without its body', async () => {
    const { headers } = await world.get(META, { key })
    const head = await world.get(META, { key, method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    expect([head.headers.etag, head.headers['content-length']]).toEqual([headers.etag, headers['content-length']])
    expect((await world.get(META, { method: 'HEAD' })).status).toBe(401)
  })

  test('is compressed where that pays and the caller understands it', async () => {
    const path = `/v1/partner/assets/${asset}/impressions/daily?from_date=2026-01-01&to_date=2026-12-31`
    const plain = await world.get(path, { key })
    for (const [encoding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, bytes } = await send(world.url + path, { key, headers: { 'Accept-Encoding': encoding } })
      expect(headers['content-encoding']).toBe(encoding)
      expect(headers.vary).toBe('X-API-Key, Accept, Accept-Encoding')
      expect(headers.etag).toBe(plain.headers.etag)
      expect(bytes.length).toBeLessThan(plain.bytes.length / 5)
      expect(decompress(bytes).toString()).toBe(plain.text)
    }
    const small = await world.get(META, { key, headers: { 'Accept-Encoding': 'br, gzip' } })
    expect(small.headers['content-encoding']).toBeUndefined()
    for (const none of ['identity;q=0', 'identity;q=0, *;q=0', '*;q=0', 'br;q=0, gzip;q=0, identity;q=0']) {
      const refused = await world.get(path, { key, headers: { 'Accept-Encoding': none } })
      expect([refused.status, refused.headers['content-encoding'], refused.text]).toEqual([200, undefined, plain.text])
    }
  })

  test('is the one without Accept or Accept-Encoding where these are longer than 1 kB', async () => {
    const long = (value: string) => `${value}${',a/b'.repeat(300)}`
    for (const path of ['/', META, '/openapi.json']) {
      const plain = await send(world.url + path, { key })
      const headers = { Accept: long('text/html'), 'Accept-Encoding': long('br') }
      const { status, bytes, headers: received } = await send(world.url + path, { key, headers })
      expect([status, received['content-encoding'], received['content-type']]).toEqual([
        200,
        undefined,
        plain.headers['content-type'],
      ])
      expect(bytes).toEqual(plain.bytes)
    }
    const html = await send(`${world.url}/`, { headers: { Accept: 'text/html' } })
    expect(html.headers['content-type']).toBe('text/html; charset=utf-8')
  })

  test('carries the request id that was sent where it is harmless, a new one otherwise', async () => {
    const idOf = async (id?: string) =>
      (await world.get(META, { key, ...(id && { headers: { 'X-Request-Id': id } }) })).headers['x-request-id']
    expect(await idOf('abc-123')).toBe('abc-123')
    for (const id of ['x'.repeat(129), '<script>', 'a b', undefined]) expect(await idOf(id)).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('a method', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])('%s is not allowed', async method => {
    const { status, headers, body } = await world.get(META, { key, method })
    expect([status, body.error.code, headers.allow]).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, OPTIONS'])
    expect(body.error.details).toEqual({ allowed: ['GET', 'HEAD', 'OPTIONS'] })
  })

  test('OPTIONS tells what is allowed, without a key', async () => {
    const { status, headers, text } = await world.get(META, { method: 'OPTIONS' })
    expect([status, headers.allow, text]).toEqual([204, 'GET, HEAD, OPTIONS', ''])
  })
})

describe('a path that is not there', () => {
  test.each([
    '/v1',
    '/v1/partner',
    '/v1/partner/',
    '/v1/Partner/meta',
    '/v2/partner/meta',
    '/docs//',
    '/docs/operation',
    '/%68ealthz',
  ])('%s is not found, key or not', async path => {
    for (const options of [{}, { key }]) {
      const { status, body } = await world.get(path, options)
      const message = `The path ${path} is unknown. All paths are documented at /docs.`
      expect([status, body.error]).toEqual([404, { code: 'NOT_FOUND', message, details: {} }])
    }
  })

  test.each([
    ['impressions/daily', 'assets/{id}/impressions/daily'],
    ['assets/impressions/summary', 'assets/{id}/impressions/summary'],
    ['assets/x/impressions/dayly', 'assets/x/impressions/daily'],
    ['sensor', 'sensors'],
    ['assets/', 'assets'],
    ['meta/', 'meta'],
  ])('%s is not found, and the path that was meant is suggested', async (path, meant) => {
    const { status, body } = await world.get(`/v1/partner/${path}`)
    const message = `The path /v1/partner/${path} is unknown. Did you mean /v1/partner/${meant}?`
    expect([status, body.error]).toEqual([
      404,
      { code: 'NOT_FOUND', message, details: { did_you_mean: `/v1/partner/${meant}` } },
    ])
  })

  test('is shown in part where it is long, and refused with characters that are not printable', async () => {
    const { body } = await world.get(`/v1/${'x'.repeat(500)}`)
    expect(body.error.message).toContain(`/v1/${'x'.repeat(96)}… is unknown`)
    const { body: text } = await raw(`GET /v1/\u00e4 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(JSON.parse(text).error.code).toBe('BAD_REQUEST')
  })
})

describe('what is no proper request', () => {
  test.each([
    `${META}?x=%`,
    `${META}?x=%ZZ`,
    `${META}?x=%ff`,
    `${META}?x=%00`,
    '/v1/partner/assets/%00',
    '/v1/partner/assets/%c0%af',
    '/v1/partner/assets/%ED%A0%80',
    '/%',
  ])('%s is refused before anything else', async path => {
    const { status, body, headers } = await world.get(path)
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST'])
    expect(headers['cache-control']).toBe('no-store')
  })

  test('addresses and headers that are too large are refused in JSON, with an id', async () => {
    const long = await world.get(`${META}?x=${'x'.repeat(9_000)}`, { key })
    expect([long.status, long.body.error.code]).toEqual([414, 'URI_TOO_LONG'])
    for (const [text, status, code] of [
      [`GET ${META}?${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414, 'URI_TOO_LONG'],
      [`GET ${META} HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
      ['NONSENSE\r\n\r\n', 400, 'BAD_REQUEST'],
      [`GET ${META} HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n`, 400, 'BAD_REQUEST'],
      [Buffer.from([0x16, 0x03, 0x01, 0x00, 0x00]), 400, 'BAD_REQUEST'],
    ] as const) {
      const answer = await raw(text)
      expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([status, code])
      expect(answer.head).toMatch(/\r\nX-Request-Id: \S+/)
      expect(answer.head).toContain('X-Content-Type-Options: nosniff')
    }
  })

  test.each([
    [190, 200],
    [210, 431],
    [3_000, 431],
  ])('a key behind %i other headers gets %i: none is ignored', async (headers, expected) => {
    const { status } = await raw(
      `GET ${META} HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(headers)}X-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
    )
    expect(status).toBe(expected)
  })

  test('an unknown expectation is ignored', async () => {
    const { status } = await raw(`GET ${META} HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\nConnection: close\r\n\r\n`)
    expect(status).toBe(401)
  })

  test.each([
    ['HTTP/1.1', '', 400],
    ['HTTP/1.1', 'Host: a\r\nHost: b\r\n', 400],
    ['HTTP/1.1', 'Host: a\r\nhost: a\r\n', 400],
    ['HTTP/1.1', 'Host: a b\r\n', 400],
    ['HTTP/1.1', 'Host: a/b\r\n', 400],
    ['HTTP/1.1', 'Host: [::1]:4000\r\n', 401],
    ['HTTP/1.1', 'Host: metrics.example:4000\r\n', 401],
    ['HTTP/1.1', 'Host:\r\n', 401],
    ['HTTP/1.0', '', 401],
    ['HTTP/1.0', 'Host: a\r\nHost: b\r\n', 400],
  ])('%s with the Host headers %j gets %i', async (version, hosts, expected) => {
    const { status, body } = await raw(`GET ${META} ${version}\r\n${hosts}Connection: close\r\n\r\n`)
    expect([status, JSON.parse(body).error.code]).toEqual([
      expected,
      expected === 400 ? 'BAD_REQUEST' : 'MISSING_API_KEY',
    ])
  })
})

test('the load balancer can tell that the process is alive and that it is ready', async () => {
  expect((await world.get('/healthz')).text).toBe('ok')
  expect((await world.get('/readyz')).text).toBe('ready')
  for (const path of ['/healthz', '/readyz']) {
    expect((await world.get(path, { method: 'HEAD' })).status).toBe(200)
    expect((await world.get(path, { method: 'POST' })).status).toBe(405)
  }
})

describe('when the database', () => {
  test('is too slow, the answer is TIMEOUT, and the service is well again afterwards', async () => {
    const lock = await world.owner.connect()
    await lock.query('BEGIN; LOCK TABLE companies')
    const { status, body } = await world.get(META, { key })
    expect([status, body.error.code]).toEqual([504, 'TIMEOUT'])
    await lock.query('ROLLBACK')
    lock.release()
    expect((await world.get(META, { key })).status).toBe(200)
  })

  test('fails in a way that nobody foresaw, the answer says nothing of it', async () => {
    await world.owner.query('ALTER TABLE companies RENAME COLUMN name TO secret_name')
    const { status, body, text } = await world.get(META, { key })
    await world.owner.query('ALTER TABLE companies RENAME COLUMN secret_name TO name')
    expect([status, body.error.code]).toEqual([500, 'INTERNAL'])
    expect(text).not.toMatch(/secret_name|column|SELECT|\.ts/)
  })

  test('is away, requests get UNAVAILABLE, malformed keys are still recognised, and the service recovers', async () => {
    const [row] = await world.rows('SELECT current_database() AS name')
    await world.owner.query(`ALTER DATABASE ${row?.name} CONNECTION LIMIT 1`)
    await world.owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    while ((await world.get('/readyz')).status === 200);
    const { status, body, headers } = await world.get(META, { key })
    expect([status, body.error.code, headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '1'])
    expect((await world.get('/readyz')).status).toBe(503)
    expect((await world.get('/healthz')).status).toBe(200)
    expect((await world.get(META, { key: 'x' })).status).toBe(401)
    await world.owner.query(`ALTER DATABASE ${row?.name} CONNECTION LIMIT -1`)
    // After a failed login the next one is a tenth of a second later.
    while ((await world.get('/readyz')).status === 503);
    expect((await world.get(META, { key })).status).toBe(200)
  })
})

test('a connection without a request is closed after some seconds, without a response', async () => {
  expect(await unused).toEqual({ status: 0, head: '', body: '' })
})
