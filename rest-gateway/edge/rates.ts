/**
 * Limits the requests of a key per window, and reports what is left in the RateLimit headers (IETF draft 11), and the end of
 * a key that expires soon.
 */
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Rate } from '../../db/api-keys/rate'
import type { PresentedKey, ScopedReader } from '../../db/postgres/scoped-reader'
import { ApiError } from '../../schema/errors'
import type { Context } from '../state'

/** The number of exhausted keys that are remembered. */
const MAX_EXHAUSTED_KEYS = 10_000

/** Streamed responses that a process sends to a key at once. */
export const MAX_STREAMS = 20

const STREAM_RETRY_SECONDS = 5

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

  /**
   * Authenticates a request, counts it and sets the headers.
   *
   * @throws ApiError INVALID_API_KEY, RATE_LIMITED
   */
  async authenticate(ctx: Context, reader: ScopedReader, keyHash: Buffer): Promise<PresentedKey> {
    const key = await reader.authenticate()
    ctx.state.keyId = key.id
    const rate = key.rate ?? this.defaultRate
    const { consumedPoints: used, msBeforeNext } = await this.counter.penalty(key.id, 1, {
      customDuration: rate.seconds,
    })
    if (used >= rate.requests) {
      this.exhausted.set(keyHash.toString('base64'), true, { ttl: Math.max(1, msBeforeNext) })
    }
    if (key.expires_at !== null && Date.parse(key.expires_at) - Date.now() <= EXPIRATION_NOTICE_MS) {
      ctx.res.setHeader('X-API-Key-Expiration', key.expires_at)
    }
    ctx.res.setHeader('RateLimit-Policy', `"default";q=${rate.requests};w=${rate.seconds}`)
    ctx.res.setHeader('RateLimit', `"default";r=${Math.max(0, rate.requests - used)};t=${inSeconds(msBeforeNext)}`)
    if (used > rate.requests) throw new ApiError('RATE_LIMITED', { retry_after_seconds: inSeconds(msBeforeNext) })
    return key
  }

  /**
   * Reserves one of the key's concurrent streams.
   *
   * @returns a function that frees it
   * @throws ApiError RATE_LIMITED
   */
  openStream({ id }: Pick<PresentedKey, 'id'>): () => void {
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
}

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))
