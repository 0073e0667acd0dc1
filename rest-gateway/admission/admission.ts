/**
 * Limits the requests that run at once. Others wait for a slot of the scheduler. Load is shed by 503: after too long a wait,
 * and while too many requests are in flight or the event loop is late. Health checks are always answered.
 */
import type { Context, Next } from 'koa'
import { ApiError } from '../../schema/errors'
import { GRAPHQL, LIVENESS, READINESS } from '../paths'
import { Callers } from './callers'
import type { ConnectionGuard, ConnectionLimits } from './connection-guard'
import { EventLoopDelay } from './event-loop-delay'
import type { FairScheduler, Release } from './fair-scheduler'

export interface LoadLimits {
  /** Requests that run or whose responses are being sent. */
  maxInFlight: number
  /** Mean delay of the event loop over the last half second. */
  maxEventLoopDelayMs: number
}

/** How long a client may take to receive a response, or the next part of a streamed one. */
const WRITE_TIMEOUT_MS = 60_000

export function admission(
  { limits, scheduler }: { limits: LoadLimits & ConnectionLimits; scheduler: FairScheduler },
  connections: ConnectionGuard,
) {
  const callers = new Callers(limits.proxies)
  const inFlight = new InFlight(limits.maxInFlight)
  const eventLoopDelay = new EventLoopDelay()
  return async (ctx: Context, next: Next): Promise<void> => {
    const isRefused = connections.refuses(ctx.req)
    if (isRefused) ctx.set('Connection', 'close')
    if (ctx.path === LIVENESS || ctx.path === READINESS) return next()
    const caller = callers.identify(ctx)
    ctx.state.caller = caller
    const isOverloaded = isRefused || eventLoopDelay.ms > limits.maxEventLoopDelayMs
    const finish = isOverloaded ? undefined : await scheduler.acquire(caller, ctx.path === GRAPHQL)
    const release = finish && inFlight.acquire(caller)
    if (!release) {
      finish?.()
      ctx.state.shed = true
      throw new ApiError('UNAVAILABLE')
    }
    try {
      await next()
    } finally {
      finish()
      if (ctx.state.keyId) {
        callers.remember(ctx)
        connections.authenticate(ctx.socket)
      }
      releaseWhenSent(ctx, release)
    }
  }
}

/** Frees a slot when the response has been sent or its connection closed. */
function releaseWhenSent({ res, socket, state }: Context, release: Release): void {
  if (socket.destroyed) return void release()
  const timeout = setTimeout(() => socket.destroy(), WRITE_TIMEOUT_MS).unref()
  // A streamed response has this time for each of its parts.
  state.writeTimeout = timeout
  res.once('close', () => {
    clearTimeout(timeout)
    release()
  })
}

/** Counts requests in flight. One caller may have half of them. */
class InFlight {
  private total = 0
  private readonly byCaller = new Map<string, number>()

  constructor(private readonly max: number) {}

  /** Returns undefined when the limit is reached. */
  acquire(caller: string): Release | undefined {
    const own = this.byCaller.get(caller) ?? 0
    if (this.total >= this.max || own >= Math.ceil(this.max / 2)) return undefined
    this.count(caller, 1)
    return () => this.count(caller, -1)
  }

  private count(caller: string, change: 1 | -1): void {
    this.total += change
    const own = (this.byCaller.get(caller) ?? 0) + change
    if (own > 0) this.byCaller.set(caller, own)
    else this.byCaller.delete(caller)
  }
}
