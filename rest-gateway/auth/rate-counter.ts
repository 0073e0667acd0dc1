/** Counts the requests of each key in a window that begins with its first request. */
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible'
import type { Rate } from '../../db/api-keys/rate'

export interface Count {
  /** Requests in the window. */
  consumed: number
  msBeforeNext: number
}

export interface RateCounter {
  /** Counts requests of a key, whether they exceed its rate or not. */
  add(id: string, requests: number, rate: Rate): Count | Promise<Count>
  read(id: string, rate: Rate): Count | Promise<Count>
}

/** Options of the limiters. They never refuse by themselves: the limit depends on the key. */
export const LIMITER_OPTIONS = { points: Number.MAX_SAFE_INTEGER, duration: 60, keyPrefix: 'key' }

/** Counts in the memory of this process, or wherever its limiter does. */
export class ProcessCounter implements RateCounter {
  /** @param limiter made with LIMITER_OPTIONS */
  constructor(private readonly limiter: RateLimiterAbstract = new RateLimiterMemory(LIMITER_OPTIONS)) {}

  async add(id: string, requests: number, { seconds }: Rate): Promise<Count> {
    const { consumedPoints, msBeforeNext } = await this.limiter.penalty(id, requests, { customDuration: seconds })
    return { consumed: consumedPoints, msBeforeNext }
  }

  async read(id: string, { seconds }: Rate): Promise<Count> {
    const counted = await this.limiter.get(id)
    return { consumed: counted?.consumedPoints ?? 0, msBeforeNext: counted?.msBeforeNext ?? seconds * 1000 }
  }
}
