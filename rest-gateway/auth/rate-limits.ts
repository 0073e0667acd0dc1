/**
 * How often a key may ask: so many requests in a window, told in the headers of IETF draft 11 (RateLimit). What a key has
 * used is counted in memory: in this process, or in the one that all workers of a service share.
 */
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible'
import type { Rate } from '../../db/api-keys/rate'
import { ApiError } from '../../schema/errors'

/** What counts. It never refuses by itself: how much a key may ask is the key's affair. */
export const COUNTING = { points: Number.MAX_SAFE_INTEGER, duration: 60, keyPrefix: 'key' }

/** Of so many keys it is known until when they are spent. */
const MOST_SPENT = 10_000

/** The part of a key that matters here. `rate` is null where the usual one is in force. */
interface Rated {
  id: string
  rate: Rate | null
}

export class Rates {
  private readonly spent = new LRUCache<string, true>({ max: MOST_SPENT })

  /**
   * @param usual what a key without a rate of its own may ask
   * @param counter what counts; made with COUNTING
   */
  constructor(
    private readonly usual: Rate,
    private readonly counter: RateLimiterAbstract = new RateLimiterMemory(COUNTING),
  ) {}

  /** Whether a key has used up its window, so that there is no use in reading for it. */
  isSpent(keyHash: Buffer): boolean {
    return this.spent.size > 0 && this.spent.has(keyHash.toString('base64'))
  }

  /** Counts a request of a valid key and says in the headers what is left. @throws ApiError RATE_LIMITED */
  async take(ctx: Context, key: Rated, keyHash: Buffer): Promise<void> {
    const rate = key.rate ?? this.usual
    const { consumedPoints, msBeforeNext } = await this.counter.penalty(key.id, 1, { customDuration: rate.seconds })
    tell(ctx, rate, consumedPoints, msBeforeNext)
    if (consumedPoints >= rate.requests)
      this.spent.set(keyHash.toString('base64'), true, { ttl: Math.max(1, msBeforeNext) })
    if (consumedPoints > rate.requests) throw refusal(msBeforeNext)
  }

  /** Says in the headers what is left, of a request that is not counted. In how many milliseconds the next window begins. */
  async leave(ctx: Context, key: Rated): Promise<number> {
    const rate = key.rate ?? this.usual
    const used = await this.counter.get(key.id)
    const msBeforeNext = used?.msBeforeNext ?? rate.seconds * 1000
    tell(ctx, rate, used?.consumedPoints ?? 0, msBeforeNext)
    return msBeforeNext
  }

  /** Refuses a key that is spent. @throws ApiError RATE_LIMITED */
  async refuse(ctx: Context, key: Rated): Promise<never> {
    throw refusal(await this.leave(ctx, key))
  }
}

function tell(ctx: Context, { requests, seconds }: Rate, used: number, msBeforeNext: number): void {
  ctx.res.setHeader('RateLimit-Policy', `"default";q=${requests};w=${seconds}`)
  ctx.res.setHeader('RateLimit', `"default";r=${Math.max(0, requests - used)};t=${inSeconds(msBeforeNext)}`)
}

const refusal = (msBeforeNext: number): ApiError =>
  new ApiError('RATE_LIMITED', { retry_after_seconds: inSeconds(msBeforeNext) })

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))
