import { watchTraffic } from '../../support/traffic'
import { World } from '../../support/world'

const META = '/v1/partner/meta'

let world: World

beforeAll(async () => {
  world = await World.open({ quota: 3 })
})
afterAll(() => world.stop())

test('a key that exceeds its rate limit gets 429 with Retry-After, and nothing is read for it', async () => {
  const key = await world.make.key([])
  const request = () => world.get(META, { key })
  for (const remaining of [2, 1, 0]) {
    const { status, headers } = await request()
    expect(status).toBe(200)
    expect(headers['ratelimit-policy']).toBe('"default";q=3;w=60')
    expect(headers.ratelimit).toMatch(new RegExp(`^"default";r=${remaining};t=\\d+$`))
  }
  const { statements } = await watchTraffic(async () => {
    const { status, headers, body } = await request()
    expect(status).toBe(429)
    expect(body.error.code).toBe('RATE_LIMITED')
    expect(headers['retry-after']).toBe(String(body.error.details.retry_after_seconds))
    expect(headers.ratelimit).toMatch(/^"default";r=0;t=\d+$/)
  })
  expect(statements).toEqual(['authenticate-key'])
})

test('each key has its own limit, and requests with an invalid key count towards none', async () => {
  const key = await world.make.key([])
  for (let i = 0; i < 3; i++) await world.get(META, { key })
  expect((await world.get(META, { key })).status).toBe(429)
  expect((await world.get(META, { key: await world.make.key([]) })).status).toBe(200)
  expect((await world.get(META, { key: 'msk_test_no' })).status).toBe(401)
})

test('invalid requests are counted, and over the limit they get 429 instead of 400', async () => {
  const key = await world.make.key([])
  for (let i = 0; i < 3; i++) expect((await world.get('/v1/partner/assets?limit=0', { key })).status).toBe(400)
  expect((await world.get('/v1/partner/assets?limit=0', { key })).status).toBe(429)
})

test('a deactivated key gets 401 even when it is over its limit', async () => {
  const key = await world.make.key([])
  for (let i = 0; i < 4; i++) await world.get(META, { key })
  await world.owner.query('UPDATE api_keys SET deactivated_at = now()')
  const { status, headers } = await world.get(META, { key })
  expect([status, headers.ratelimit]).toEqual([401, undefined])
})

describe('a 304 response', () => {
  test('is counted, and not sent to a key at its limit', async () => {
    const key = await world.make.key([])
    const { etag } = (await world.get(META, { key })).headers
    const again = { key, headers: { 'If-None-Match': etag as string } }
    for (const left of [1, 0]) {
      const { status, headers } = await world.get(META, again)
      expect([status, headers.etag, headers.ratelimit?.slice(0, 13)]).toEqual([304, etag, `"default";r=${left}`])
    }
    const { statements } = await watchTraffic(async () => expect((await world.get(META, again)).status).toBe(429))
    expect(statements).toEqual(['authenticate-key'])
  })
})

test('of many simultaneous requests exactly the remaining number succeed', async () => {
  const key = await world.make.key([])
  const responses = await Promise.all(Array.from({ length: 12 }, () => world.get(META, { key })))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(9)
})

test('a key can have its own rate limit, which also applies to /graphql', async () => {
  const key = await world.make.key([], {
    rate_requests: 5,
    rate_seconds: 3600,
    scopes: ['internal:graphql:read'],
  })
  const { headers } = await world.get(META, { key })
  expect(headers['ratelimit-policy']).toBe('"default";q=5;w=3600')
  expect(headers.ratelimit).toMatch(/^"default";r=4;t=3\d{3}$/)
  const graphql = () => world.get('/graphql?query={meta{version}}', { key })
  for (let i = 0; i < 4; i++) expect((await graphql()).status).toBe(200)
  expect((await graphql()).status).toBe(429)
})
