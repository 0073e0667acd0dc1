/** How often a key may ask: so many requests in a window, told in the headers of IETF draft 11 (RateLimit). */
import type { Context } from 'koa'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ApiError } from '../schema/errors'

export class Rates {
  private readonly limiter: RateLimiterMemory
  private readonly policy: string

  /** @param quota requests in a window of so many seconds */
  constructor(
    private readonly quota: number,
    windowSeconds: number,
  ) {
    this.limiter = new RateLimiterMemory({ points: quota, duration: windowSeconds })
    this.policy = `"default";q=${quota};w=${windowSeconds}`
  }

  /** Whether a key has nothing left, so that there is no use in reading for it. Asks without counting. */
  async isSpent(keyHash: Buffer): Promise<boolean> {
    const used = await this.limiter.get(keyHash.toString('base64'))
    return used !== null && used.consumedPoints >= this.quota
  }

  /** Counts a request of a valid key and says in the headers what is left. @throws ApiError RATE_LIMITED */
  async take(ctx: Context, keyHash: Buffer): Promise<void> {
    ctx.set('RateLimit-Policy', this.policy)
    try {
      this.tell(ctx, await this.limiter.consume(keyHash.toString('base64')))
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused
      const seconds = this.tell(ctx, refused)
      throw new ApiError('RATE_LIMITED', { retry_after_seconds: seconds })
    }
  }

  private tell(ctx: Context, { remainingPoints, msBeforeNext }: RateLimiterRes): number {
    const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000))
    ctx.set('RateLimit', `"default";r=${remainingPoints};t=${seconds}`)
    return seconds
  }
}
