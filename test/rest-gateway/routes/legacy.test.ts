/** The legacy interface beside its golden responses: ids, the status of sensors, its deprecation, and the count of its calls. */
import { randomBytes } from 'node:crypto'
import { makeKey } from '../../../db/api-keys/key-format'
import { sendRaw, type TestResponse } from '../../support/http'
import { World } from '../../support/world'

const SCOPE = 'partner:metrics:legacy:read'
const PATH = '/v1/metrics/assets'

const GA = Date.parse('2026-01-15T00:00:00Z')
const DEPRECATED = GA / 1000 + 90 * 86_400

let now = DEPRECATED * 1000
let world: World

beforeAll(async () => {
  world = await World.open({ partnerGa: GA, now: () => now })
})
afterEach(() => {
  now = DEPRECATED * 1000
})
afterAll(() => world.stop())

test('any id that is not in scope is an INVALID_ID', async () => {
  await world.make.asset({ legacy_id: 78 })
  const key = await world.make.key([await world.make.company()])
  for (const id of ['78', '79', '0', '077', '-1', '1.0', '99999999999999999999', '2147483648', 'x', '%F0%9F%98%80']) {
    for (const query of ['?start=2026-01-01&end=2026-01-02', '/per-minute?date=2026-01-01']) {
      const { status, text } = await world.get(`${PATH}/${id}${query}`, { key })
      expect([status, text]).toEqual([404, '{"code":"INVALID_ID","error":"There is no such asset."}'])
    }
  }
})

test.each([
  [[], 'unknown'],
  [['healthy', 'healthy'], 'online'],
  [['healthy', null], 'unknown'],
  [['healthy', null, 'degraded'], 'degraded'],
  [['offline', 'degraded', 'healthy'], 'offline'],
])('the status of an asset with sensors that are %j is %s', async (states, expected) => {
  const [key, asset] = await world.make.together(async make => {
    const company = await make.company()
    const asset = await make.asset({ company, name: 'Corner', latitude: 1.5, longitude: -2.25 })
    for (const [i, health_status] of states.entries()) {
      const health_checked_at = health_status && new Date(now).toISOString()
      await make.sensor({ asset, serial: `${asset.id}-${9 - i}`, health_status, health_checked_at })
    }
    return [await make.key([company]), asset] as const
  })
  const body = await world.read(`${PATH}/${asset.id}/per-minute?date=2026-01-01`, key)
  expect(body).toMatchObject({ asset_name: 'Corner', center: { lat: 1.5, lng: -2.25 }, sensor_status: expected })
  expect(body.device_ids).toEqual(states.map((_, i) => `${asset.id}-${9 - i}`).sort())
})

describe('the Deprecation header', () => {
  test('is sent from 90 days after general availability, with every legacy response and with no other', async () => {
    const key = await world.make.key([], { scopes: [SCOPE], rate_requests: 8, rate_seconds: 60 })
    now = DEPRECATED * 1000 - 1000
    const { headers } = await world.get(PATH, { key })
    expect([headers.deprecation, headers.link]).toEqual([undefined, undefined])
    now = DEPRECATED * 1000
    const range = '?start=2026-01-01&end=2026-01-01'
    const responses: TestResponse[] = []
    for (const [status, path, options] of [
      [200, '', { key }],
      [304, '', { key, headers: { 'If-None-Match': headers.etag as string } }],
      [200, '', { key, method: 'HEAD' }],
      [200, '/legacy-ids', { key }],
      [400, '/1', { key }],
      [404, `/1${range}`, { key }],
      [404, '/1/per-minute?date=2026-01-01', { key }],
      [429, '', { key }],
      [401, '', {}],
      [401, '', { method: 'HEAD' }],
      [204, '', { method: 'OPTIONS' }],
      [405, '', { method: 'POST' }],
      [404, '/nothing/here', {}],
      [400, '/%00', {}],
      [204, '', { method: 'OPTIONS' }],
    ] as const) {
      const response = await world.get(PATH + path, options)
      expect([path, options, response.status]).toEqual([path, options, status])
      responses.push(response)
    }
    for (const response of responses) {
      expect(response.headers.deprecation).toBe(`@${DEPRECATED}`)
      expect(response.headers.link).toBe('</docs/migration>; rel="deprecation"; type="text/html"')
    }
    expect((await world.get('/v1/partner/meta')).headers.deprecation).toBeUndefined()
    expect(responses[0]?.text).toBe('[]')
  })

  test.each([
    [PATH, true],
    [`http://metrics.example${PATH}`, true],
    ['/v1/partner/assets', false],
  ])('is sent with what is no HTTP request either, if its path is a legacy one: %s', async (path, isLegacy) => {
    for (const header of ['Content-Length: x', `X-Long: ${'x'.repeat(40_000)}`]) {
      const response = await sendRaw(world.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`)
      expect(response).toMatch(/^HTTP\/1\.1 4/)
      const line = `\r\nDeprecation: @${DEPRECATED}\r\nLink: </docs/migration>; rel="deprecation"`
      expect(response.includes(line)).toBe(isLegacy)
    }
  })
})

describe('legacy calls', () => {
  beforeEach(async () => {
    await world.gateway.legacyCalls.flush()
    await world.owner.query('DELETE FROM legacy_calls; DELETE FROM api_keys')
  })

  const counted = async () => {
    await world.gateway.legacyCalls.flush()
    return world.rows(
      'SELECT api_key, date, route, calls, last_called_at FROM legacy_calls ORDER BY date, api_key, route',
    )
  }

  test('are counted by day, key and route, whatever the status, without delaying the response', async () => {
    now = Date.parse('2026-03-01T23:59:59Z')
    const key = await world.make.key([], { scopes: [SCOPE] })
    const blocker = await world.owner.connect()
    // While the table is locked nothing can be written, so a request that waited for the write would hang.
    await blocker.query('BEGIN; LOCK TABLE legacy_calls IN ACCESS EXCLUSIVE MODE')
    await world.get(PATH, { key })
    await world.get(PATH, { key, method: 'HEAD' })
    const written = world.gateway.legacyCalls.flush()
    await world.get(`${PATH}/1`, { key })
    await world.get(`${PATH}/legacy-ids`, { key })
    now += 1000
    await world.get(PATH, { key })
    await world.get('/v1/partner/meta', { key })
    await blocker.query('COMMIT')
    blocker.release()
    await written
    await counted()
    await world.get(PATH, { key })
    const before = { date: '2026-03-01', last_called_at: '2026-03-01T23:59:59Z' }
    expect(await counted()).toMatchObject([
      { ...before, route: PATH, calls: 2 },
      { ...before, route: `${PATH}/legacy-ids`, calls: 1 },
      { ...before, route: `${PATH}/{id}`, calls: 1 },
      { date: '2026-03-02', route: PATH, calls: 2, last_called_at: '2026-03-02T00:00:00Z' },
    ])
  })

  test('are counted without an active key, by its id if it was ever issued; with any number of invented keys as one', async () => {
    const key = await world.make.key([])
    const [row] = await world.rows('UPDATE api_keys SET deactivated_at = now() RETURNING id')
    await world.get(PATH, { key })
    await world.get(PATH, { key, method: 'POST' })
    await world.get('/v1/metrics/devices', { key })
    for (let i = 0; i < 20_000; i++) world.gateway.legacyCalls.count(randomBytes(32), PATH, now)
    for (const invented of [makeKey('dev'), makeKey('dev'), makeKey('production'), 'nobody'])
      await world.get(PATH, { key: invented })
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) await world.get(PATH, { method })
    await world.get(`${PATH}?${'a'.repeat(9_000)}`)
    expect((await world.get('/v1/metrics')).body).toMatchObject({ code: 'NOT_FOUND' })
    for (const unknown of ['/v1/metrics/', '/v1/metrics/a', '/v1/metrics/b/c']) await world.get(unknown)
    await world.get('/v1/metrics-of-others')
    expect((await counted()).map(({ api_key, route, calls }) => [api_key, route, calls])).toEqual([
      [row?.id, '(unknown path)', 1],
      [row?.id, PATH, 2],
      [null, '(not routed)', 1],
      [null, '(unknown path)', 4],
      [null, PATH, 20_009],
    ])
  })
})
