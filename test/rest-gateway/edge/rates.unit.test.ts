import { setTimeout as sleep } from 'node:timers/promises'
import { RateLimits } from '../../../rest-gateway/edge/rates'
import { koaContext } from '../../support/koa-context'

const KEY = { id: 'key1', rate: null, expires_at: null }
const HASH = Buffer.from('hash')

describe('a window', () => {
  beforeEach(() => jest.useFakeTimers())
  afterEach(() => jest.useRealTimers())

  test('starts with the first request of a key and ends after its length', async () => {
    const limits = new RateLimits({ requests: 1, seconds: 60 })
    await limits.count(koaContext(), KEY, HASH)
    expect(limits.isExhausted(HASH)).toBe(true)
    jest.advanceTimersByTime(45_000)
    await expect(limits.count(koaContext(), KEY, HASH)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { retry_after_seconds: 15 },
    })
    jest.advanceTimersByTime(15_000)
    const ctx = koaContext()
    await limits.count(ctx, KEY, HASH)
    expect(ctx.response.get('RateLimit')).toBe('"default";r=0;t=60')
  })

  test('has the length of the key’s own rate', async () => {
    const limits = new RateLimits({ requests: 1, seconds: 60 })
    const key = { ...KEY, rate: { requests: 1, seconds: 3600 } }
    await limits.count(koaContext(), key, HASH)
    jest.advanceTimersByTime(600_000)
    await expect(limits.count(koaContext(), key, HASH)).rejects.toMatchObject({
      details: { retry_after_seconds: 3000 },
    })
  })
})

test('a key is no longer exhausted once its window has ended', async () => {
  const limits = new RateLimits({ requests: 1, seconds: 0.05 })
  await limits.count(koaContext(), KEY, HASH)
  while (limits.isExhausted(HASH)) await sleep(5)
})
