import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestOptions } from '../../support/http'
import { watchTraffic } from '../../support/traffic'
import { World } from '../../support/world'

const META = '/v1/partner/meta'

let world: World

beforeAll(async () => {
  world = await World.open({ quota: 3 })
})
afterAll(() => world.stop())

const MESSAGE: RequestOptions = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
  body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
}

describe('a key gets 429 beyond its rate, for which nothing is read:', () => {
  test.each<[what: string, path: string, statuses: number[], options?: RequestOptions, own?: { rate_seconds: number }]>(
    [
      ['responses', META, [200, 200, 200, 429]],
      ['unchanged responses', META, [304, 304, 304, 429], { headers: { 'If-None-Match': '*' } }],
      ['invalid requests', '/v1/partner/assets?limit=0', [400, 400, 400, 429]],
      ['queries', '/graphql?query={meta{version}}', [200, 200, 200, 429]],
      ['messages', '/mcp', [200, 200, 200, 429], MESSAGE],
      ['a rate of its own', META, [200, 200, 200, 429], {}, { rate_seconds: 3600 }],
    ],
  )('%s', async (_, path, statuses, options = {}, own) => {
    const scopes = ['internal:graphql:read']
    const key = await world.make.key([], { scopes, ...(own && { rate_requests: 3, ...own }) })
    const { rate_seconds } = { rate_seconds: 60, ...own }
    for (const [i, status] of statuses.entries()) {
      const { statements } = await watchTraffic(async () => {
        const response = await world.get(path, { key, ...options })
        expect(response.status).toBe(status)
        const { 'ratelimit-policy': policy, ratelimit = '', 'retry-after': retry } = response.headers
        expect(policy).toBe(`"default";q=3;w=${rate_seconds}`)
        const [, left, seconds] = /^"default";r=(\d);t=(\d+)$/.exec(ratelimit) ?? []
        expect([Number(left), Math.abs(Number(seconds) - rate_seconds) < 30]).toEqual([Math.max(0, 2 - i), true])
        if (status !== 429) return
        expect(response.body.error.code).toBe('RATE_LIMITED')
        expect(retry).toBe(String(response.body.error.details.retry_after_seconds))
      })
      if (status === 429) expect(statements).toHaveLength(1)
    }
    // Every key has a rate of its own.
    expect((await world.get(META, { key: await world.make.key([]) })).status).toBe(200)
    await world.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE hash = sha256($1::bytea)', [key])
    const { status, headers } = await world.get(path, { key, ...options })
    expect([status, headers.ratelimit]).toEqual([401, undefined])
  })
})

test('of many simultaneous requests exactly the remaining number succeed', async () => {
  const key = await world.make.key([])
  const responses = await Promise.all(Array.from({ length: 12 }, () => world.get(META, { key })))
  expect(responses.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(9).fill(429)])
})

test('a window begins with the first request of a key, and ends after its length', async () => {
  const key = await world.make.key([], { rate_requests: 1, rate_seconds: 1 })
  for (let i = 0; i < 2; i++) {
    let response = await world.get(META, { key })
    for (; response.status === 429; response = await world.get(META, { key })) await sleep(50)
    expect([response.status, response.headers.ratelimit]).toEqual([200, '"default";r=0;t=1'])
  }
})
