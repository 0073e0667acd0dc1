/**
 * Counts the requests of each key for all workers of a service. The primary process has the totals; to ask it costs a worker and
 * the primary 100 µs. A worker therefore counts some requests by itself and settles them with the next question, so few that the
 * workers together never exceed a rate by more than a twentieth, and none near its end.
 */
import { LRUCache } from 'lru-cache'
import { RateLimiterCluster } from 'rate-limiter-flexible'
import type { Rate } from '../../db/api-keys/rate'
import { type Count, LIMITER_OPTIONS, ProcessCounter, type RateCounter } from './rate-counter'

/** The part of a rate that the workers together may not have settled. */
const UNSETTLED_PART = 1 / 20

/** The longest time for which requests stay unsettled, and for which a total is used. */
const MAX_AGE_MS = 1_000

/** The number of keys whose requests are counted here; those of others are counted by the primary. */
const MAX_KEYS = 10_000

/** The window of a key. Times are those of `performance.now()`. */
interface Window {
  /** The total, as the primary said last. */
  total: number
  askedAt: number
  endsAt: number
  /** Requests that the total lacks. */
  unsettled: number
  /** The part of them that is on its way to the primary. */
  sent: number
}

export class WorkerCounter implements RateCounter {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_KEYS })

  /** @param primary counts for all workers */
  constructor(
    private readonly workers: number,
    private readonly primary: RateCounter = new ProcessCounter(new RateLimiterCluster(LIMITER_OPTIONS)),
    private readonly now = () => performance.now(),
  ) {}

  add(id: string, requests: number, rate: Rate): Count | Promise<Count> {
    const window = this.current(id)
    const budget = Math.floor((rate.requests * UNSETTLED_PART) / this.workers)
    if (
      !window ||
      window.unsettled + requests > budget ||
      window.total + window.unsettled + requests + budget * this.workers > rate.requests
    ) {
      return this.ask(id, requests, rate)
    }
    if (window.unsettled === window.sent) {
      setTimeout(() => this.settle(id, window, rate), MAX_AGE_MS).unref()
    }
    window.unsettled += requests
    return this.count(window)
  }

  async read(id: string, rate: Rate): Promise<Count> {
    const window = this.current(id)
    if (window) return this.count(window)
    return this.store(id, await this.primary.read(id, rate))
  }

  /** Returns the window of a key, if its total is not too old. */
  private current(id: string): Window | undefined {
    const window = this.windows.get(id)
    const now = this.now()
    return window && now < window.endsAt && now < window.askedAt + MAX_AGE_MS ? window : undefined
  }

  private count({ total, unsettled, endsAt }: Window): Count {
    return { consumed: total + unsettled, msBeforeNext: endsAt - this.now() }
  }

  /** Has the primary count requests, with those that are not settled. */
  private async ask(id: string, requests: number, rate: Rate): Promise<Count> {
    const window = this.windows.get(id)
    // Requests of a window that has ended count no more.
    const carried = window && this.now() < window.endsAt ? window.unsettled - window.sent : 0
    if (window) window.sent += carried
    try {
      const count = await this.primary.add(id, requests + carried, rate)
      if (window) window.unsettled -= carried
      return this.store(id, count)
    } finally {
      if (window) window.sent -= carried
    }
  }

  private store(id: string, { consumed, msBeforeNext }: Count): Count {
    const askedAt = this.now()
    const answer = { total: consumed, askedAt, endsAt: askedAt + msBeforeNext }
    const window = this.windows.get(id)
    // A later answer may be about the next window, in which nothing is unsettled.
    if (window && askedAt < window.endsAt) return this.count(Object.assign(window, answer))
    const next = { ...answer, unsettled: 0, sent: 0 }
    this.windows.set(id, next)
    return this.count(next)
  }

  private settle(id: string, window: Window, rate: Rate): void {
    if (this.windows.peek(id) !== window || window.unsettled === window.sent || this.now() >= window.endsAt) return
    this.ask(id, 0, rate).catch(() => {})
  }
}
