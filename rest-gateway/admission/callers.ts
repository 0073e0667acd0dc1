/**
 * Identifies callers before their key is verified: by a key that was valid recently, else by the address of the client. A made-up
 * key does not make a new caller.
 */
import { LRUCache } from 'lru-cache'
import type { Context } from '../state'
import { findClient, type Proxies } from './proxies'

const MAX_KEYS = 10_000

export class Callers {
  private readonly validKeys = new LRUCache<string, true>({ max: MAX_KEYS })

  constructor(private readonly proxies: Proxies) {}

  identify(ctx: Context): string {
    const key = ctx.get('X-API-Key')
    if (this.validKeys.has(key)) return key
    return findClient(ctx, this.proxies)
  }

  /** Remembers that the key of this request is valid. */
  remember(ctx: Context): void {
    this.validKeys.set(ctx.get('X-API-Key'), true)
  }
}
