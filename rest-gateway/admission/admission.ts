/**
 * Limits the requests that run at once. Others wait for a slot of the scheduler. Requests are refused with 503 if
 * they have waited too long, if too many are unfinished, and if the event loop is delayed: then those of callers without an
 * accepted key first, and those of the most expensive callers next. Health checks are always answered, and pages take no slot.
 */
import type { Next } from 'koa'
import { ApiError } from '../../schema/errors'
import { GRAPHQL, isApi, LIVENESS, READINESS } from '../paths'
import type { Context } from '../state'
import { Callers } from './callers'
import type { ConnectionGuard, ConnectionLimits } from './connection-guard'
import type { FairScheduler } from './fair-scheduler'
import { InFlight, type InFlightLimits } from './in-flight'
import { LoadShedding } from './load-shedding'

export interface LoadLimits extends InFlightLimits {
  /** Mean delay of the event loop in each of the last two half seconds, at which the most expensive callers are refused. */
  maxEventLoopDelayMs: number
}

export function admission(
  { limits, scheduler }: { limits: LoadLimits & ConnectionLimits; scheduler: FairScheduler },
  connections: ConnectionGuard,
) {
  const callers = new Callers(limits.proxies)
  const inFlight = new InFlight(limits, connections)
  const load = new LoadShedding(limits.maxEventLoopDelayMs, callers)
  return async (ctx: Context, next: Next): Promise<void> => {
    const isRefused = connections.refuses(ctx.req)
    if (isRefused) ctx.set('Connection', 'close')
    if (ctx.path === LIVENESS || ctx.path === READINESS) return next()
    const key = callers.findKey(ctx)
    if (isRefused || load.sheds(key, !isApi(ctx.path))) return shed(ctx)
    if (!isApi(ctx.path)) return next()
    const caller = key ?? callers.findAddress(ctx)
    ctx.state.caller = caller
    const release = await scheduler.acquire(caller, ctx.path === GRAPHQL)
    if (!release) return shed(ctx)
    const started = performance.now()
    const request = inFlight.start(caller, ctx.socket)
    try {
      if (!request) return shed(ctx)
      await next()
      if (!inFlight.send(request, ctx.length ?? 0)) shed(ctx)
    } finally {
      release()
      if (ctx.state.keyId) {
        callers.remember(ctx, performance.now() - started - ctx.state.reads.waitedMs)
        connections.authenticate(ctx.socket)
      }
      if (request) {
        if (ctx.socket.destroyed) inFlight.finish(request)
        else ctx.res.once('close', () => inFlight.finish(request))
      }
    }
  }
}

/** @throws ApiError UNAVAILABLE */
function shed({ state }: Context): never {
  state.shed = true
  throw new ApiError('UNAVAILABLE')
}
