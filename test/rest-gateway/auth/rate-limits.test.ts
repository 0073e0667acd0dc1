import { setTimeout as sleep } from 'node:timers/promises'
import { formatRate, parseRate } from '../../../db/api-keys/rate'
import { Service, watchTraffic } from '../../support/service'

const META = '/v1/partner/meta'

let service: Service

beforeAll(async () => {
  service = await Service.start({ quota: 3 })
})
afterAll(() => service.stop())

test('a key that has used up its requests is told when to come back, and nothing is read for it', async () => {
  const key = await service.make.key([])
  const ask = () => service.get(META, { key })
  for (const remaining of [2, 1, 0]) {
    const { status, headers } = await ask()
    expect(status).toBe(200)
    expect(headers['ratelimit-policy']).toBe('"default";q=3;w=60')
    expect(headers.ratelimit).toMatch(new RegExp(`^"default";r=${remaining};t=\\d+$`))
  }
  const { statements } = await watchTraffic(async () => {
    const { status, headers, body } = await ask()
    expect(status).toBe(429)
    expect(body.error.code).toBe('RATE_LIMITED')
    expect(headers['retry-after']).toBe(String(body.error.details.retry_after_seconds))
    expect(headers.ratelimit).toMatch(/^"default";r=0;t=\d+$/)
  })
  expect(statements).toEqual(['authenticate-key'])
})

test('one key’s requests are none of another’s, and whoever has no good key uses up nothing', async () => {
  const key = await service.make.key([])
  for (let i = 0; i < 3; i++) await service.get(META, { key })
  expect((await service.get(META, { key })).status).toBe(429)
  expect((await service.get(META, { key: await service.make.key([]) })).status).toBe(200)
  expect((await service.get(META, { key: 'msk_test_no' })).status).toBe(401)
})

test('faulty requests of a good key are counted, and a spent key is told so before what is wrong with them', async () => {
  const key = await service.make.key([])
  for (let i = 0; i < 3; i++) expect((await service.get('/v1/partner/assets?limit=0', { key })).status).toBe(400)
  expect((await service.get('/v1/partner/assets?limit=0', { key })).status).toBe(429)
})

test('a deactivated key is told that it is invalid, spent or not', async () => {
  const key = await service.make.key([])
  for (let i = 0; i < 4; i++) await service.get(META, { key })
  await service.owner.query('UPDATE api_keys SET deactivated_at = now()')
  const { status, headers } = await service.get(META, { key })
  expect([status, headers.ratelimit]).toEqual([401, undefined])
})

test('an answer that has not changed is not counted, not even when nothing is left', async () => {
  const key = await service.make.key([])
  const { etag } = (await service.get(META, { key })).headers
  const again = () => service.get(META, { key, headers: { 'If-None-Match': etag as string } })
  for (let i = 0; i < 3; i++) {
    const { status, headers } = await again()
    expect([status, headers.ratelimit?.slice(0, 13)]).toEqual([304, '"default";r=2'])
  }
  for (let i = 0; i < 2; i++) await service.get(META, { key })
  expect((await again()).status).toBe(304)
  expect((await service.get(META, { key, headers: { 'If-None-Match': '"another"' } })).status).toBe(429)
  expect((await service.get(META, { key })).status).toBe(429)
})

test('of many requests at once exactly as many are answered as are left', async () => {
  const key = await service.make.key([])
  const answers = await Promise.all(Array.from({ length: 12 }, () => service.get(META, { key })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(9)
})

test('the next window begins anew', async () => {
  const brief = await Service.start({ quota: 1, windowSeconds: 1 })
  try {
    const key = await brief.make.key([])
    const answers = await Promise.all([brief.get(META, { key }), brief.get(META, { key })])
    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      expect.arrayContaining([
        [200, undefined],
        [429, '1'],
      ]),
    )
    await sleep(1_100)
    expect((await brief.get(META, { key })).status).toBe(200)
  } finally {
    await brief.stop()
  }
})

test('a key may have a rate of its own, at /graphql too', async () => {
  const key = await service.make.key([], {
    rate_requests: 5,
    rate_seconds: 3600,
    scopes: ['internal:graphql:read'],
  })
  const { headers } = await service.get(META, { key })
  expect(headers['ratelimit-policy']).toBe('"default";q=5;w=3600')
  expect(headers.ratelimit).toMatch(/^"default";r=4;t=3\d{3}$/)
  const graphql = () => service.get('/graphql?query={meta{version}}', { key })
  for (let i = 0; i < 4; i++) expect((await graphql()).status).toBe(200)
  expect((await graphql()).status).toBe(429)
})

describe('a rate', () => {
  test.each([
    ['6000/min', { requests: 6000, seconds: 60 }],
    ['5/s', { requests: 5, seconds: 1 }],
    ['1000000000/d', { requests: 1_000_000_000, seconds: 86_400 }],
    ['100/h', { requests: 100, seconds: 3600 }],
  ])('is written %s', (text, rate) => {
    expect(parseRate(text)).toEqual(rate)
    expect(formatRate(rate)).toBe(text)
  })

  test.each(['', '60', '0/min', '-1/min', '1.5/min', '10/minute', '10/constructor', '1000000001/s', ' 1/s'])(
    'is not written %p',
    text => {
      expect(parseRate(text)).toBeUndefined()
    },
  )
})
