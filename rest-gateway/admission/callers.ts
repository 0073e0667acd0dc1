/**
 * Identifies callers before their key is verified: by a key that was accepted in the last minutes, else by the address of the client. A
 * made-up key does not make a new caller. This decides about order and overload alone, never about access: a revoked key remains a
 * caller for some minutes.
 */
import { LRUCache } from 'lru-cache'
import type { Context } from '../state'
import { findClient, type Proxies } from './proxies'

const MAX_KEYS = 10_000

const KEY_TTL_MS = 600_000

/** The time in which a recent cost halves. */
const HALF_LIFE_MS = 2_000

/** A thousandth is left of a cost after this time. */
const FORGOTTEN_MS = 10 * HALF_LIFE_MS

/** The recent cost of a caller who takes half of the time of this process. */
const HALF_OF_TIME_MS = HALF_LIFE_MS / Math.LN2 / 2

interface Cost {
  /** Milliseconds of this process, those of the past at a discount. */
  ms: number
  /** The instant for which they are discounted. */
  at: number
}

export class Callers {
  private readonly costs = new LRUCache<string, Cost>({ max: MAX_KEYS, ttl: KEY_TTL_MS })

  constructor(private readonly proxies: Proxies) {}

  /** Returns the key of a request, if it was accepted recently. */
  findKey(ctx: Context): string | undefined {
    const key = ctx.get('X-API-Key')
    return this.costs.has(key) ? key : undefined
  }

  /** Returns the address of the client, which identifies a caller without such a key. */
  findAddress(ctx: Context): string {
    return findClient(ctx, this.proxies)
  }

  /** Remembers that the key of this request was accepted, and how much of the time of this process the request has taken. */
  remember(ctx: Context, ms: number): void {
    const key = ctx.get('X-API-Key')
    const at = performance.now()
    this.costs.set(key, { ms: discount(this.costs.get(key), at) + ms, at })
  }

  /**
   * Returns the keys that cost most, as many as it takes for the others to need no more than half of the time. It is none while all
   * together need no more: then somebody else is the cause.
   */
  findCostliest(): Set<string> {
    const now = performance.now()
    const costs: { key: string; ms: number }[] = []
    let rest = 0
    // The latest first.
    for (const [key, cost] of this.costs.entries()) {
      if (now - cost.at > FORGOTTEN_MS) break
      const ms = discount(cost, now)
      costs.push({ key, ms })
      rest += ms
    }
    const costliest = new Set<string>()
    for (const { key, ms } of costs.sort((a, b) => b.ms - a.ms)) {
      if (rest <= HALF_OF_TIME_MS) break
      costliest.add(key)
      rest -= ms
    }
    return costliest
  }
}

const discount = (cost: Cost | undefined, now: number): number =>
  cost ? cost.ms * 2 ** ((cost.at - now) / HALF_LIFE_MS) : 0
