/** Limits the requests of a key per window, with the RateLimit headers (IETF draft 11), and says when a key expires soon. */
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Rate } from '../../db/api-keys/rate'
import type { PresentedKey } from '../../db/postgres/scoped-reader'
import { ApiError } from '../../schema/errors'
import type { KoaContext } from '../state'

const MAX_EXHAUSTED_KEYS = 10_000

/** Streamed responses that a process sends to a key at once. */
export const MAX_STREAMS = 20

const STREAM_RETRY_SECONDS = 5

/** A key with its rate limit; null where the default applies. */
type RatedKey = Pick<PresentedKey, 'id' | 'rate' | 'expires_at'>

/** The time before its end in which responses tell when a key expires. */
const EXPIRATION_NOTICE_MS = 30 * 86_400_000

export class RateLimits {
  /** Streamed responses that are being sent, by key. */
  private readonly streams = new Map<string, number>()
  private readonly exhausted = new LRUCache<string, true>({ max: MAX_EXHAUSTED_KEYS })
  /** Counts in a window that begins with the first request of a key. It refuses nothing: the limit depends on the key. */
  private readonly counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 60 })

  /** @param defaultRate the limit of a key without one of its own */
  constructor(readonly defaultRate: Rate) {}

  /** Returns whether a key has used up its window, so that reading for it would be wasted. */
  isExhausted(keyHash: Buffer): boolean {
    return this.exhausted.size > 0 && this.exhausted.has(keyHash.toString('base64'))
  }

  /** Counts a request of a valid key and sets the headers. @throws ApiError RATE_LIMITED */
  async count(ctx: KoaContext, key: RatedKey, keyHash: Buffer): Promise<void> {
    const { rate, consumed, msBeforeNext } = await this.charge(key, keyHash, 1)
    setHeaders(ctx, key, rate, consumed, msBeforeNext)
    if (consumed > rate.requests) {
      throw new ApiError('RATE_LIMITED', { retry_after_seconds: inSeconds(msBeforeNext) })
    }
  }

  /** Reserves one of the key's streams. @returns a function that frees it @throws ApiError RATE_LIMITED */
  openStream({ id }: RatedKey): () => void {
    const open = this.streams.get(id) ?? 0
    if (open >= MAX_STREAMS) {
      throw new ApiError(
        'RATE_LIMITED',
        { retry_after_seconds: STREAM_RETRY_SECONDS },
        `A key can have at most ${MAX_STREAMS} streamed responses at a time.`,
      )
    }
    this.streams.set(id, open + 1)
    return () => {
      const left = this.streams.get(id)! - 1
      if (left > 0) this.streams.set(id, left)
      else this.streams.delete(id)
    }
  }

  /** Counts requests, without an error if there are too many: a streamed response counts as several after it was sent. */
  async charge({ id, rate: own }: RatedKey, keyHash: Buffer, requests: number) {
    const rate = own ?? this.defaultRate
    const options = { customDuration: rate.seconds }
    const { consumedPoints: consumed, msBeforeNext } = await this.counter.penalty(id, requests, options)
    if (consumed >= rate.requests) {
      this.exhausted.set(keyHash.toString('base64'), true, { ttl: Math.max(1, msBeforeNext) })
    }
    return { rate, consumed, msBeforeNext }
  }
}

/** Sets the headers of all responses to a valid key. */
function setHeaders(
  { res }: KoaContext,
  { expires_at }: RatedKey,
  { requests, seconds }: Rate,
  used: number,
  msBeforeNext: number,
): void {
  if (expires_at !== null && Date.parse(expires_at) - Date.now() <= EXPIRATION_NOTICE_MS) {
    res.setHeader('X-API-Key-Expiration', expires_at)
  }
  res.setHeader('RateLimit-Policy', `"default";q=${requests};w=${seconds}`)
  res.setHeader('RateLimit', `"default";r=${Math.max(0, requests - used)};t=${inSeconds(msBeforeNext)}`)
}

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))
