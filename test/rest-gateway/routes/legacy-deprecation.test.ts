import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { makeKey } from '../../../db/api-keys/key-format'
import { World } from '../../support/world'

const SCOPE = 'partner:metrics:legacy:read'

const PREFLIGHT = { Origin: 'https://till.example', 'Access-Control-Request-Method': 'GET' }

describe('the Deprecation header', () => {
  const GA = Date.parse('2026-01-15T00:00:00Z')
  const FROM = GA / 1000 + 90 * 86_400

  test('is sent from 90 days after general availability, with every legacy response and with no other', async () => {
    let now = FROM * 1000 - 1000
    const world = await World.open({ partnerGa: GA, now: () => now, quota: 7, origins: ['*'] })
    try {
      const own = await world.make.key([], { scopes: [SCOPE] })
      const path = '/v1/metrics/assets'
      const { headers } = await world.get(path, { key: own })
      expect(headers.deprecation).toBeUndefined()
      expect(headers.link).toBeUndefined()
      now = FROM * 1000
      const responses = [
        await world.get(path, { key: own }),
        await world.get(path, { key: own, headers: { 'If-None-Match': headers.etag as string } }),
        await world.get(path, { key: own, method: 'HEAD' }),
        await world.get(`${path}/legacy-ids`, { key: own }),
        await world.get(`${path}/1`, { key: own }),
        await world.get(`${path}/1?start=2026-01-01&end=2026-01-01`, { key: own }),
        await world.get(`${path}/1/per-minute?date=2026-01-01`, { key: own }),
        await world.get(path, { key: own }),
        await world.get(path),
        await world.get(path, { method: 'HEAD' }),
        await world.get(path, { method: 'OPTIONS' }),
        await world.get(path, { method: 'POST' }),
        await world.get(`${path}/nothing/here`),
        await world.get(`${path}/%00`),
        await world.get(path, { key: own }),
        await world.get(path, { method: 'OPTIONS', headers: PREFLIGHT }),
      ]
      expect(responses.map(({ status }) => status)).toEqual([
        200, 304, 200, 200, 400, 404, 404, 429, 401, 401, 204, 405, 404, 400, 429, 204,
      ])
      for (const response of responses) {
        expect(response.headers.deprecation).toBe(`@${FROM}`)
        expect(response.headers.link).toBe('</docs/migration>; rel="deprecation"; type="text/html"')
      }
      expect((await world.get('/v1/partner/meta', { key: own })).headers.deprecation).toBeUndefined()
      expect(responses[0]?.text).toBe('[]')
    } finally {
      await world.stop()
    }
  })

  test.each([
    ['/v1/metrics/assets', true],
    ['/v1/metrics/unknown?start=2026-01-01', true],
    ['http://metrics.example/v1/metrics/assets', true],
    ['/v1/partner/assets', false],
  ])('is sent with what is no HTTP request either, if its path is a legacy one: %s', async (path, isLegacy) => {
    const world = await World.open({ partnerGa: GA, now: () => FROM * 1000 })
    try {
      const { port } = new URL(world.url)
      for (const header of ['Content-Length: x', `X-Long: ${'x'.repeat(40_000)}`]) {
        const socket = connect(Number(port), '127.0.0.1')
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`)
        const response = await text(socket)
        expect(response).toMatch(/^HTTP\/1\.1 4/)
        expect(response.includes(`\r\nDeprecation: @${FROM}\r\nLink: </docs/migration>; rel="deprecation"`)).toBe(
          isLegacy,
        )
      }
    } finally {
      await world.stop()
    }
  })

  test('is not sent without a date of general availability', async () => {
    const world = await World.open()
    try {
      expect((await world.get('/v1/metrics/assets')).headers.deprecation).toBeUndefined()
    } finally {
      await world.stop()
    }
  })
})

describe('legacy calls', () => {
  test('are counted by day, key and route, whatever the status, without delaying the response', async () => {
    let now = Date.parse('2026-03-01T23:59:59Z')
    const world = await World.open({ now: () => now })
    try {
      const own = await world.make.key([], { scopes: [SCOPE] })
      const other = await world.make.key([])
      const blocker = await world.owner.connect()
      // While the table is locked nothing can be written, so a request that waited for the write would hang.
      await blocker.query('BEGIN; LOCK TABLE legacy_calls IN ACCESS EXCLUSIVE MODE')
      await world.get('/v1/metrics/assets', { key: own })
      await world.get('/v1/metrics/assets', { key: own, method: 'HEAD' })
      const written = world.gateway.legacyCalls.flush()
      await world.get('/v1/metrics/assets/1', { key: own })
      await world.get('/v1/metrics/assets/legacy-ids', { key: other })
      now += 1000
      await world.get('/v1/metrics/assets', { key: own })
      await world.get('/v1/partner/meta', { key: own })
      await blocker.query('COMMIT')
      blocker.release()
      await written
      await world.gateway.legacyCalls.flush()
      await world.get('/v1/metrics/assets', { key: own })
      await world.gateway.legacyCalls.flush()
      const { rows } = await world.owner.query(
        `SELECT date, route, calls, last_called_at FROM legacy_calls ORDER BY date, route`,
      )
      expect(rows).toEqual([
        { date: '2026-03-01', route: '/v1/metrics/assets', calls: 2, last_called_at: '2026-03-01T23:59:59Z' },
        {
          date: '2026-03-01',
          route: '/v1/metrics/assets/legacy-ids',
          calls: 1,
          last_called_at: '2026-03-01T23:59:59Z',
        },
        { date: '2026-03-01', route: '/v1/metrics/assets/{id}', calls: 1, last_called_at: '2026-03-01T23:59:59Z' },
        { date: '2026-03-02', route: '/v1/metrics/assets', calls: 2, last_called_at: '2026-03-02T00:00:00Z' },
      ])
    } finally {
      await world.stop()
    }
  })

  test('are counted without an active key, by its id if it was ever issued', async () => {
    const world = await World.open({ origins: ['*'] })
    try {
      const deactivated = await world.make.key([])
      const { rows } = await world.owner.query('UPDATE api_keys SET deactivated_at = now() RETURNING id')
      const path = '/v1/metrics/assets'
      await world.get(path, { key: deactivated })
      await world.get(path, { key: deactivated, method: 'POST' })
      await world.get('/v1/metrics/devices', { key: deactivated })
      for (const key of [makeKey('dev'), makeKey('dev'), makeKey('production'), 'nobody'])
        await world.get(path, { key })
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) await world.get(path, { method })
      await world.get(path, { method: 'OPTIONS', headers: PREFLIGHT })
      expect((await world.get('/v1/metrics')).body).toMatchObject({ code: 'NOT_FOUND' })
      for (const unknown of ['/v1/metrics/', '/v1/metrics/a', '/v1/metrics/b/c']) await world.get(unknown)
      await world.get('/v1/metrics-of-others')
      await world.gateway.legacyCalls.flush()
      const counted = await world.owner.query('SELECT api_key, route, calls FROM legacy_calls ORDER BY api_key, route')
      expect(counted.rows).toEqual([
        { api_key: rows[0].id, route: '(unknown path)', calls: 1 },
        { api_key: rows[0].id, route: path, calls: 2 },
        { api_key: null, route: '(not routed)', calls: 1 },
        { api_key: null, route: '(unknown path)', calls: 4 },
        { api_key: null, route: path, calls: 9 },
      ])
    } finally {
      await world.stop()
    }
  })

  test('with any number of invented keys are one row, and the calls of issued keys are still counted by key', async () => {
    const world = await World.open()
    try {
      const own = await world.make.key([])
      const { rows } = await world.owner.query('SELECT id FROM api_keys')
      const { legacyCalls } = world.gateway
      for (let i = 0; i < 20_000; i++) legacyCalls.count(randomBytes(32), '/v1/metrics/assets', 0)
      await world.get('/v1/metrics/assets', { key: own })
      await legacyCalls.flush()
      const counted = await world.owner.query('SELECT api_key, calls FROM legacy_calls ORDER BY api_key')
      expect(counted.rows).toEqual([
        { api_key: rows[0].id, calls: 1 },
        { api_key: null, calls: 20_000 },
      ])
    } finally {
      await world.stop()
    }
  })

  test('that cannot be written are written later', async () => {
    const world = await World.open()
    try {
      const own = await world.make.key([])
      await world.get('/v1/metrics/assets', { key: own })
      await world.owner.query('ALTER TABLE legacy_calls RENAME TO away')
      await world.gateway.legacyCalls.flush()
      await world.get('/v1/metrics/assets', { key: own })
      await world.owner.query('ALTER TABLE away RENAME TO legacy_calls')
      await world.gateway.legacyCalls.flush()
      const { rows } = await world.owner.query('SELECT calls FROM legacy_calls')
      expect(rows).toEqual([{ calls: 2 }])
    } finally {
      await world.stop()
    }
  })
})
