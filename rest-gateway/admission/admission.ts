/**
 * What keeps the service standing when more is asked than it can answer: requests beyond its bounds are shed, with
 * UNAVAILABLE. Requests take a place until their answer has left, so that readers who dawdle are counted too; no caller
 * takes more than half of them, and all are served in turn. How the process itself is doing is told by the delay of its
 * event loop.
 */
import type { Socket } from 'node:net'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Context, Next } from 'koa'
import { ApiError } from '../../schema/errors'
import type { Gateway } from '../gateway'
import { GRAPHQL } from '../graphql/endpoint'
import { HEALTH_PATHS } from '../health'
import { Callers } from './callers'
import { FREE } from './fair-scheduler'
import { isOneTooMany } from './pipelines'

/** What the service takes on at once. */
export interface LoadLimits {
  /** Connections that are open, whatever they do. */
  maxConnections: number
  /** Requests under way, of all connections. */
  maxInFlight: number
  /** Milliseconds by which the event loop may lag, on average over the last half second. */
  maxEventLoopDelayMs: number
}

/** So long may a caller take to fetch an answer that is ready. */
const LONGEST_FETCH_MS = 60_000

const SAMPLE_MS = 20
const WINDOW_MS = 500

/** Sheds what is beyond the limits. Whether the service is well, it always tells. */
export function bound({ limits, scheduler, tarpit }: Gateway) {
  const { maxInFlight, maxEventLoopDelayMs } = limits
  const callers = new Callers()
  const places = new Places(maxInFlight)
  const delay = new EventLoopDelay(ms => scheduler.adapt(ms))
  return async (ctx: Context, next: Next): Promise<void> => {
    if (HEALTH_PATHS.includes(ctx.path)) return next()
    const caller = callers.of(ctx)
    const excessive = isOneTooMany(ctx.req)
    const place = excessive || delay.ms > maxEventLoopDelayMs ? undefined : places.take(ctx, caller)
    if (!place) {
      ctx.state.shed = true
      const isWanted = await tarpit.hold(caller)
      if (excessive || isWanted) ctx.set('Connection', 'close')
      throw new ApiError('UNAVAILABLE')
    }
    try {
      // Queries that nobody has fixed wait apart from what else the caller asks for.
      const isFree = ctx.path === GRAPHQL
      const name = isFree ? `${caller} ${GRAPHQL}` : caller
      const end = await scheduler.take(name, isFree ? FREE : undefined)
      await next().finally(end)
    } finally {
      if (ctx.state.keyId) callers.prove(ctx)
      place.done()
    }
  }
}

/** The places of requests: each is left when its work is done and its answer has left, or can't any more. */
class Places {
  private taken = 0
  private readonly byCaller = new Map<string, number>()
  private readonly byConnection = new WeakMap<Socket, Set<Place>>()

  constructor(private readonly most: number) {}

  /** A place for a request of this caller, undefined where there is none. */
  take({ req: { socket }, res }: Context, caller: string): Place | undefined {
    const places = this.of(socket)
    const own = this.byCaller.get(caller) ?? 0
    if (this.taken >= this.most || own >= Math.ceil(this.most / 2)) return undefined
    const place = new Place(socket, () => {
      places.delete(place)
      this.count(caller, -1)
    })
    places.add(place)
    this.count(caller, 1)
    res.once('close', () => place.gone())
    return place
  }

  private count(caller: string, change: 1 | -1): void {
    this.taken += change
    const own = (this.byCaller.get(caller) ?? 0) + change
    if (own > 0) this.byCaller.set(caller, own)
    else this.byCaller.delete(caller)
  }

  /** Those of a connection. */
  private of(socket: Socket): Set<Place> {
    const known = this.byConnection.get(socket)
    if (known) return known
    const places = new Set<Place>()
    this.byConnection.set(socket, places)
    // An answer that waits for another on a connection that breaks is not told of it.
    socket.once('close', () => {
      for (const place of places) place.gone()
    })
    return places
  }
}

class Place {
  private working = true
  private open = true
  private patience: NodeJS.Timeout | undefined

  constructor(
    private readonly socket: Socket,
    private readonly leave: () => void,
  ) {}

  /** The answer is ready. */
  done(): void {
    this.working = false
    if (this.open) this.patience = setTimeout(() => this.socket.destroy(), LONGEST_FETCH_MS).unref()
    else this.leave()
  }

  /** The answer has left, or its connection is gone. */
  gone(): void {
    if (!this.open) return
    this.open = false
    clearTimeout(this.patience)
    if (!this.working) this.leave()
  }
}

/** How late the event loop is. One long pause is no overload: it takes many to raise the mean. */
class EventLoopDelay {
  ms = 0
  private readonly histogram: IntervalHistogram

  /** @param onSample hears each new figure */
  constructor(private readonly onSample: (ms: number) => void) {
    this.histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS })
    this.histogram.enable()
    setInterval(() => this.sample(), WINDOW_MS).unref()
  }

  private sample(): void {
    // Both timers are late when the loop is: there may be none yet.
    if (this.histogram.count === 0) return
    this.ms = this.histogram.mean / 1e6 - SAMPLE_MS
    this.histogram.reset()
    this.onSample(this.ms)
  }
}
