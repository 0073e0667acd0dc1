import { connect } from 'node:net'
import fc from 'fast-check'
import { partnerRoutes } from '../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../rest-gateway/routes/legacy'
import { anyText, testProperty } from '../support/fuzz'
import { World } from '../support/world'

let world: World
let key: string
let asset: string
let foreign: string
let cursor: string

beforeAll(async () => {
  world = await World.open()
  const company = await world.make.company()
  key = await world.make.key([company], { scopes: ['partner:metrics:legacy:read'] })
  const own = await world.make.asset({ company, legacy_id: 101 })
  const sensor = await world.make.sensor({ asset: own })
  await world.make.sensor({ asset: own })
  await world.make.counts(sensor, '2026-01-01', interval => interval % 9)
  asset = own.id
  foreign = (await world.make.asset()).id
  cursor = (await world.read('/v1/partner/sensors?limit=1', key)).pagination.cursor
})
afterAll(() => world.stop())

/** `service.get` also checks every response against the OpenAPI document. */
const expectNoServerError = (status: number): void => {
  expect(status).toBeLessThan(500)
}

const routes = [...partnerRoutes, ...legacyRoutes]

const date = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('2026-01-01', '2026-01-02', '2025-12-31', '2026-03-29', '2020-02-29') },
  { weight: 1, arbitrary: anyText },
  {
    weight: 1,
    arbitrary: fc
      .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
      .map(day => day.toISOString().slice(0, 10)),
  },
)

const VALUES: Record<string, fc.Arbitrary<string>> = {
  from_date: date,
  to_date: date,
  start: date,
  end: date,
  date,
  grain: fc.oneof(fc.constantFrom('minute', 'quarter_hour', 'hour', 'day', 'week', 'month', 'quarter'), anyText),
  limit: fc.oneof(fc.integer({ min: -5, max: 600 }).map(String), anyText),
  cursor: fc.oneof(fc.constant('CURSOR'), anyText),
  asset_id: fc.oneof(fc.constantFrom('ASSET', 'FOREIGN'), anyText),
  asset_ids: fc.oneof(
    fc.array(fc.oneof(fc.constantFrom('ASSET', 'FOREIGN'), anyText), { maxLength: 4 }).map(ids => ids.join()),
    anyText,
  ),
}

/** Percent-encodes a text, or with `raw` only drops what a URL cannot contain. */
const encoded = (text: string, raw: boolean): string =>
  raw ? text.replace(/[^\x21-\x7e]/g, '') : encodeURIComponent(text.toWellFormed())

const parameter = fc.oneof(
  ...Object.entries(VALUES).map(([name, value]) => fc.tuple(fc.constant(name), value, fc.boolean())),
  fc.tuple(anyText, anyText, fc.boolean()),
)

const address = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...routes.map(({ path }) => path)) },
      {
        weight: 1,
        arbitrary: fc
          .array(anyText, { maxLength: 4 })
          .map(parts => `/${parts.map(part => encoded(part, false)).join('/')}`),
      },
    ),
    fc.oneof(fc.constantFrom('ASSET', 'FOREIGN', '101', '0', '2147483648'), anyText),
    fc.boolean(),
    fc.array(parameter, { maxLength: 6 }),
    fc.boolean(),
    fc.tuple(date, date),
  )
  .map(([path, id, raw, parameters, ranged, [from, to]]) => {
    const range = ranged
      ? [
          ['from_date', from],
          ['to_date', to],
        ].map(([name, value]) => `${name}=${encoded(value as string, false)}`)
      : []
    const query = parameters.map(([name, value, raw]) => `${encoded(name, raw)}=${encoded(value, raw)}`)
    return `${path.replace('{id}', encoded(id, raw))}?${[...range, ...query].join('&')}`
  })

const substituted = (text: string): string =>
  text.replaceAll('ASSET', asset).replaceAll('FOREIGN', foreign).replaceAll('CURSOR', cursor)

testProperty('address', 'no address causes a server error', address, async address => {
  // URL() normalises the address as clients do.
  const { pathname, search } = new URL(world.url + substituted(address).replaceAll('#', '%23'))
  expectNoServerError((await world.get(pathname + search, { key })).status)
})

const headerName = fc.oneof(
  fc.constantFrom(
    'Accept',
    'Accept-Encoding',
    'If-None-Match',
    'X-Request-Id',
    'X-API-Key',
    'Content-Type',
    'Range',
    'Origin',
    'Cookie',
    'traceparent',
    'Content-Length',
  ),
  fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,30}$/),
)
const headerValue = fc.oneof(
  fc.constantFrom(
    '*',
    'identity;q=0',
    'gzip;q=abc',
    'br, gzip',
    'W/"x"',
    '0',
    'application/json',
    '00-00000000000000000000000000000000-0000000000000000-00',
  ),
  anyText,
)
const method = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('GET', 'HEAD') },
  { weight: 1, arbitrary: fc.constantFrom('OPTIONS', 'POST', 'PUT', 'DELETE', 'TRACE') },
)

testProperty(
  'header',
  'no headers cause a server error',
  fc.tuple(method, fc.array(fc.tuple(headerName, headerValue), { maxLength: 8 })),
  async ([method, pairs]) => {
    const headers: Record<string, string> = {}
    for (const [name, value] of pairs) {
      if (/^(content-length|transfer-encoding|expect|connection|upgrade|host|x-api-key)$/i.test(name)) continue
      headers[name] = value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
    }
    expectNoServerError((await world.get('/v1/partner/meta', { key, method, headers })).status)
  },
)

/** Sends bytes on a connection of their own. @returns what is received until the connection closes */
function responsesTo(bytes: Buffer): Promise<string> {
  const { port, hostname } = new URL(world.url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    socket.setTimeout(20_000, () => socket.destroy(new Error('the connection stays open')))
    socket.setEncoding('latin1').on('data', chunk => (text += chunk))
    socket.on('error', error => (/ECONNRESET|EPIPE/.test(error.message) ? resolve(text) : reject(error)))
    socket.on('close', () => resolve(text))
  })
}

const line = fc.oneof(
  fc.constantFrom(
    'GET /v1/partner/meta HTTP/1.1',
    'GET / HTTP/1.0',
    'GET http://x/v1/partner/meta HTTP/1.1',
    'GET * HTTP/1.1',
    'CONNECT x:1 HTTP/1.1',
    'PRI * HTTP/2.0',
    'POST /graphql HTTP/1.1',
    'Host: x',
    'X-API-Key: KEY',
    'Content-Type: application/json',
    'Content-Length: 5',
    'Content-Length: -1',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Content-Encoding: gzip',
    'Expect: 100-continue',
    'Upgrade: websocket',
    'Connection: upgrade',
    'Connection: close',
    '',
    '5',
    '{"a":',
    '0',
  ),
  anyText,
)

testProperty(
  'raw bytes',
  'no bytes on a connection cause a server error or leave it open',
  fc.oneof(
    fc
      .tuple(
        fc.constantFrom('GET /v1/partner/meta HTTP/1.1', 'POST /graphql HTTP/1.1', 'GET /v1/metrics/assets HTTP/1.1'),
        fc.array(line, { maxLength: 10 }),
        fc.constantFrom('\r\n', '\n'),
      )
      .map(([first, lines, end]) => Buffer.from([first, ...lines, '', ''].join(end), 'utf8')),
    fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
  ),
  async bytes => {
    const text = await responsesTo(Buffer.from(bytes.toString('latin1').replaceAll('KEY', key), 'latin1'))
    for (const [, status] of text.matchAll(/^HTTP\/1\.1 (\d+)/gm)) expectNoServerError(Number(status))
  },
)

/** Changes a letter of a text, or cuts it. */
const changed = (max: number, letters: string) =>
  fc.oneof(
    fc.tuple(fc.nat({ max }), fc.constantFrom(...letters)).map(
      ([index, letter]) =>
        (text: string) =>
          text.slice(0, index) + letter + text.slice(index + 1),
    ),
    fc.nat({ max }).map(length => (text: string) => text.slice(0, length)),
  )

testProperty(
  'cursor',
  'only issued cursors are valid',
  fc.oneof(
    changed(60, 'AZaz09-_=+/.'),
    fc.uint8Array({ maxLength: 80 }).map(bytes => () => Buffer.from(bytes).toString('base64url')),
    anyText.map(text => () => text),
  ),
  async change => {
    const sent = change(cursor)
    const { status, body } = await world.get(
      `/v1/partner/sensors?limit=1&cursor=${encodeURIComponent(sent.toWellFormed())}`,
      { key },
    )
    if (sent === cursor) expect(status).toBe(200)
    else if (sent.includes('\0')) expect(body.error.code).toBe('BAD_REQUEST')
    else expect([status, body.error.code]).toEqual([400, 'INVALID_CURSOR'])
  },
)
