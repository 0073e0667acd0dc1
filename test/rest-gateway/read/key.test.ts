import pino from 'pino'
import { KeyUses } from '../../../db/api-keys/key-uses'
import { openPool } from '../../../db/postgres/pool'
import { ERRORS } from '../../../schema/errors'
import { watchTraffic } from '../../support/traffic'
import { World } from '../../support/world'

let world: World
let key: string

beforeAll(async () => {
  world = await World.open()
  key = await world.make.key([await world.make.company('Acme')])
})
afterAll(() => world.stop())

const path = '/v1/partner/meta'

describe('a request', () => {
  test('without a key gets 401 with a challenge', async () => {
    const { status, headers, body } = await world.get(path)
    expect(status).toBe(401)
    expect(body.error).toEqual({ code: 'MISSING_API_KEY', message: ERRORS.MISSING_API_KEY.message, details: {} })
    expect(headers['www-authenticate']).toBe('ApiKey realm="partner-metrics"')
    expect(headers['cache-control']).toBe('no-store')
  })

  test('with a key of the other environment gets 401 with the expected prefix', async () => {
    for (const text of ['msk_live_', `msk_live_${'x'.repeat(38)}`]) {
      const { status, body } = await world.get(path, { key: text })
      expect(status).toBe(401)
      expect(body.error).toMatchObject({ code: 'WRONG_ENVIRONMENT', details: { expected_prefix: 'msk_test_' } })
    }
  })

  test('gets the same 401 for a malformed, an unknown, a deactivated and a repeated key', async () => {
    const deactivated = await world.make.key([])
    await world.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE hash = sha256($1::bytea)', [deactivated])
    const unknown = await world.make.key([])
    await world.owner.query('DELETE FROM api_keys WHERE hash = sha256($1::bytea)', [unknown])
    const responses = [
      await world.get(path, { key: 'nonsense' }),
      await world.get(path, { key: '' }),
      await world.get(path, { key: `${key}x` }),
      await world.get(path, { key: unknown }),
      await world.get(path, { key: deactivated }),
      await world.get(path, { headers: { 'X-API-Key': [key, key] } }),
    ]
    const [first] = responses
    expect(first?.body.error).toEqual({ code: 'INVALID_API_KEY', message: ERRORS.INVALID_API_KEY.message, details: {} })
    for (const { status, text } of responses) {
      expect(status).toBe(401)
      expect(text).toBe(first?.text)
    }
  })

  test('records the day on which a key was used, once for all processes', async () => {
    const used = await world.make.key([])
    const read = async () =>
      (await world.owner.query('SELECT last_used_on, xmin FROM api_keys WHERE hash = sha256($1::bytea)', [used]))
        .rows[0]
    expect(await read()).toMatchObject({ last_used_on: null })
    expect((await world.get(path, { key: used })).status).toBe(200)
    await world.gateway.keyUses.flush()
    const written = await read()
    expect(written.last_used_on).toBe(new Date(world.gateway.now()).toISOString().slice(0, 10))
    const { id } = (await world.owner.query('SELECT id FROM api_keys WHERE hash = sha256($1::bytea)', [used])).rows[0]
    const writer = openPool(world.database.writerUrl)
    const other = new KeyUses(writer, pino({ level: 'silent' }))
    other.record(id, world.gateway.now())
    await other.close()
    await writer.end()
    expect(await read()).toEqual(written)
  })

  test('with one wrong character in the key is refused by its checksum, without a database query', async () => {
    const { statements } = await watchTraffic(async () => {
      for (let i = 9; i < key.length; i++) {
        const other = key[i] === 'a' ? 'b' : 'a'
        const { body } = await world.get(path, { key: key.slice(0, i) + other + key.slice(i + 1) })
        expect(body.error.code).toBe('INVALID_API_KEY')
      }
    })
    expect(statements).toEqual([])
  })

  test('reads the companies of the key, ordered by id, all with a key for all, and none with a key without', async () => {
    const companies = [await world.make.company(), await world.make.company()]
    const read = async (as: string) => (await world.read(path, as)).companies.map(({ id }: { id: string }) => id)
    expect(await read(await world.make.key(companies))).toEqual(companies.map(({ id }) => id).sort())
    expect(await read(await world.make.key([]))).toEqual([])
    const all = await world.make.key([], { all_companies: true, scopes: ['internal:graphql:read'] })
    const rows = await world.rows('SELECT id FROM companies ORDER BY id')
    expect(await read(all)).toEqual(rows.map(({ id }) => id))
  })
})

test('deactivating a key takes effect on the next request, also on a conditional one', async () => {
  const text = await world.make.key([])
  const { headers } = await world.get(path, { key: text })
  const again = { key: text, headers: { 'If-None-Match': headers.etag as string } }
  expect((await world.get(path, again)).status).toBe(304)
  await world.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE hash = sha256($1::bytea)', [text])
  expect((await world.get(path, again)).status).toBe(401)
})

test('in production, keys of production are valid and test keys get 401', async () => {
  const production = await World.open({ environment: 'production' })
  try {
    const live = await production.make.key([])
    expect(live).toMatch(/^msk_live_/)
    const { status, headers } = await production.get(path, { key: live })
    expect([status, headers['server-timing']]).toEqual([200, undefined])
    const { body } = await production.get(path, { key })
    expect(body.error).toMatchObject({ code: 'WRONG_ENVIRONMENT', details: { expected_prefix: 'msk_live_' } })
  } finally {
    await production.stop()
  }
})

describe('a key that ends', () => {
  const DAY_MS = 86_400_000
  const ending = async (days: number | null) => {
    const expires_at = days === null ? null : new Date(Math.floor(Date.now() / 1000) * 1000 + days * DAY_MS)
    const scopes = ['partner:metrics:legacy:read', 'internal:graphql:read']
    const attributes = { label: 'Ends', scopes, expires_at, rate_requests: 6000, rate_seconds: 60 }
    const text = await world.make.key([await world.make.company()], attributes)
    return { key: text, end: expires_at?.toISOString().replace('.000', '') ?? null }
  }

  test.each([29, 31, null])('sees itself, when it ends in %s days', async days => {
    const { key: text, end } = await ending(days)
    const { headers, body } = await world.get(path, { key: text })
    expect(body.key).toEqual({
      label: 'Ends',
      environment: 'dev',
      scopes: ['partner:metrics:legacy:read', 'internal:graphql:read'],
      rate: '6000/min',
      expires_at: end,
    })
    expect(headers['x-api-key-expiration']).toBe(days === 29 ? end : undefined)
  })

  test('has its end on every response, errors and the frozen interface included', async () => {
    const { key: text, end } = await ending(3)
    const { headers } = await world.get(path, { key: text })
    const range = 'from_date=2026-01-01&to_date=2026-01-02'
    const query = {
      method: 'POST',
      body: '{"query":"{meta{key{rate}}}"}',
      headers: { 'content-type': 'application/json' },
    }
    const responses: [string, number, object?][] = [
      [path, 304, { headers: { 'if-none-match': headers.etag } }],
      ['/v1/partner/assets?limit=0', 400],
      [`/v1/partner/assets/unknown/impressions/daily?${range}`, 404],
      [`/v1/partner/impressions?${range}&output=csv`, 200],
      ['/v1/partner/assets', 406, { headers: { accept: 'image/png' } }],
      ['/v1/metrics/assets/1', 400],
      ['/graphql', 200, query],
    ]
    for (const [each, status, options = {}] of responses) {
      const response = await world.get(each, { key: text, ...options })
      expect([each, response.status, response.headers['x-api-key-expiration']]).toEqual([each, status, end])
    }
  })

  test('has it on what exceeds its rate, but not once it has ended', async () => {
    const { key: text, end } = await ending(3)
    await world.owner.query('UPDATE api_keys SET rate_requests = 1 WHERE hash = sha256($1::bytea)', [text])
    const statuses = [await world.get(path, { key: text }), await world.get(path, { key: text })]
    expect(statuses.map(({ status, headers }) => [status, headers['x-api-key-expiration']])).toEqual([
      [200, end],
      [429, end],
    ])
    await world.owner.query('UPDATE api_keys SET expires_at = now() WHERE hash = sha256($1::bytea)', [text])
    const { status, headers } = await world.get(path, { key: text })
    expect([status, headers['x-api-key-expiration']]).toEqual([401, undefined])
  })
})
