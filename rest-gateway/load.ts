/**
 * What keeps the service standing when more is asked than it can answer: requests beyond its bounds are shed at once, with
 * UNAVAILABLE. Requests take a place until their answer has left, so that readers who dawdle are counted too. How the
 * process itself is doing is told by the delay of its event loop.
 */
import type { Socket } from 'node:net'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Context, Next } from 'koa'
import { ApiError } from '../schema/errors'
import { HEALTH } from './open'

/** What the service takes on at once. */
export interface LoadLimits {
  /** Connections that are open, whatever they do. */
  maxConnections: number
  /** Requests under way, of all connections. */
  maxInFlight: number
  /** Milliseconds by which the event loop may lag, on average over the last half second. */
  maxEventLoopDelayMs: number
}

/** Requests under way on one connection, which come by pipelining. */
const MOST_A_CONNECTION = 32

/** So long may a caller take to fetch an answer that is ready. */
const LONGEST_FETCH_MS = 60_000

const SAMPLE_MS = 20
const WINDOW_MS = 500

/** Sheds what is beyond the limits. Whether the service is well, it always tells. */
export function bound({ maxInFlight, maxEventLoopDelayMs }: LoadLimits) {
  const delay = new EventLoopDelay()
  const places = new Places()
  return async (ctx: Context, next: Next): Promise<void> => {
    if (HEALTH.includes(ctx.path)) return next()
    if (places.taken >= maxInFlight || delay.ms > maxEventLoopDelayMs || places.of(ctx).size >= MOST_A_CONNECTION) {
      ctx.state.shed = true
      throw new ApiError('UNAVAILABLE')
    }
    const place = places.take(ctx)
    try {
      await next()
    } finally {
      place.done()
    }
  }
}

/** The places of requests: each is left when its work is done and its answer has left, or can't any more. */
class Places {
  taken = 0
  private readonly byConnection = new WeakMap<Socket, Set<Place>>()

  /** Those of the request's connection. */
  of({ req: { socket } }: Context): Set<Place> {
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

  take(ctx: Context): Place {
    const places = this.of(ctx)
    const place = new Place(ctx.req.socket, () => {
      places.delete(place)
      this.taken--
    })
    places.add(place)
    this.taken++
    ctx.res.once('close', () => place.gone())
    return place
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

  constructor() {
    this.histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS })
    this.histogram.enable()
    setInterval(() => this.sample(), WINDOW_MS).unref()
  }

  private sample(): void {
    // Both timers are late when the loop is: there may be none yet.
    if (this.histogram.count === 0) return
    this.ms = this.histogram.mean / 1e6 - SAMPLE_MS
    this.histogram.reset()
  }
}
