/**
 * Has requests wait for a database connection in turn, by key. Refuses them with 503 after too long a wait, while too many bytes are
 * unsent, and while the event loop is late, unless their key was accepted recently. A refused request counts against the rate of such
 * a key. Health checks are always answered.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Next } from 'koa'
import { LRUCache } from 'lru-cache'
import { keyHash } from '../../db/api-keys/key-format'
import type { ReaderPool } from '../../db/postgres/reader-pool'
import type { PresentedKey } from '../../db/postgres/scoped-reader'
import { ApiError } from '../../schema/errors'
import { isApi, LIVENESS, READINESS } from '../paths'
import type { KoaContext } from '../state'
import type { ConnectionLimits, Connections } from './connections'
import { findClient } from './proxies'
import type { RateLimits } from './rates'

/** Smaller responses do not count: there are no more of them than connections. */
const LARGE_BYTES = 65_536

export interface LoadLimits {
  /** Mean delay of the event loop in each of two half seconds. */
  maxEventLoopDelayMs: number
  /** Bytes of large responses that are being sent. */
  maxUnsentBytes: number
}

interface OverloadedService {
  database: ReaderPool
  limits: LoadLimits & ConnectionLimits
  rates: RateLimits
}

export function overload({ database, limits, rates }: OverloadedService, connections: Connections) {
  // It decides about order and overload alone, never about access: a revoked key remains in it for some minutes.
  const acceptedKeys = new LRUCache<string, PresentedKey>({ max: 10_000, ttl: 600_000 })
  const isLate = watchEventLoop(limits.maxEventLoopDelayMs)
  let unsentBytes = 0
  return async (ctx: KoaContext, next: Next): Promise<void> => {
    if (ctx.path === LIVENESS || ctx.path === READINESS) return next()
    const key = ctx.get('X-API-Key')
    const accepted = acceptedKeys.get(key)
    if (!accepted && isLate()) return shed(ctx)
    if (!isApi(ctx.path)) return next()
    // A key that was made up does not make a caller.
    const caller = accepted ? key : findClient(ctx, limits.proxies)
    ctx.state.caller = caller
    const lease = await database.queue.acquire(caller, ctx.res)
    if (!lease) {
      if (accepted) await rates.charge(accepted, keyHash(key), 1)
      return shed(ctx)
    }
    ctx.state.lease = lease
    try {
      await next()
    } finally {
      lease.release()
      if (ctx.state.key) {
        acceptedKeys.set(key, ctx.state.key)
        connections.authenticate(ctx.socket)
      }
    }
    const bytes = ctx.length ?? 0
    if (bytes < LARGE_BYTES || ctx.socket.destroyed) return
    if (unsentBytes > 0 && unsentBytes + bytes > limits.maxUnsentBytes) return shed(ctx)
    unsentBytes += bytes
    ctx.res.once('close', () => {
      unsentBytes -= bytes
    })
  }
}

function shed({ state }: KoaContext): never {
  state.shed = true
  throw new ApiError('UNAVAILABLE')
}

const RESOLUTION_MS = 20

/** Returns whether the event loop was late in each of the last two half seconds: one long pause is over when it is noticed. */
function watchEventLoop(maxDelayMs: number): () => boolean {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let delays: readonly [before: number, last: number] = [0, 0]
  setInterval(() => {
    // After a long pause both timers are due at once, and the histogram may be empty.
    if (histogram.count === 0) return
    delays = [delays[1], histogram.mean / 1e6 - RESOLUTION_MS]
    histogram.reset()
  }, 500).unref()
  return () => Math.min(...delays) > maxDelayMs
}
