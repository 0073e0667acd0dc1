/**
 * Who is calling, as far as that matters before a key was looked at: a key that proved good lately is a caller by itself;
 * whoever has none, or makes some up, is known by the address.
 */
import type { Socket } from 'node:net'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'

/** Of so many keys it is known that they were good. */
const MOST_PROVED = 10_000

export class Callers {
  private readonly proved = new LRUCache<string, true>({ max: MOST_PROVED })

  of(ctx: Context): string {
    const key = ctx.get('X-API-Key')
    return this.proved.has(key) ? key : addressOf(ctx.socket)
  }

  /** The key of this request is good. */
  prove(ctx: Context): void {
    this.proved.set(ctx.get('X-API-Key'), true)
  }
}

/** The caller of a connection on which no good key was presented. */
export const addressOf = ({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string => remoteAddress ?? ''
