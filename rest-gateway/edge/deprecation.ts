/**
 * Deprecation of the legacy interface: its responses carry `Deprecation` (RFC 9745) from 90 days after the partner interface
 * became generally available, and its calls are counted by key and route, so that the operator sees when traffic has ended.
 */
import type { Next } from 'koa'
import { isWellFormed, keyHash } from '../../db/api-keys/key-format'
import type { LegacyCalls } from '../../db/queries/legacy'
import { isLegacy } from '../paths'
import type { KoaContext } from '../state'

/** The names under which requests are counted that matched no route, or were answered before. */
const UNKNOWN_PATH = '(unknown path)'
const NOT_ROUTED = '(not routed)'

const DAYS_AFTER_GA = 90

export interface LegacyInterface {
  /** When the partner interface became generally available, in milliseconds since 1970. */
  partnerGa: number | undefined
  legacyCalls: LegacyCalls
  /** Returns the time, in milliseconds since 1970. */
  now(): number
}

/** Returns the headers of a response that announce the deprecation of its path; none where it is not deprecated. */
export function deprecationHeaders({ partnerGa, now }: LegacyInterface, path: string): Record<string, string> {
  if (partnerGa === undefined || !isLegacy(path)) return {}
  const since = Math.floor(partnerGa / 1000) + DAYS_AFTER_GA * 86_400
  if (now() < since * 1000) return {}
  return { Deprecation: `@${since}`, Link: '</docs/migration>; rel="deprecation"; type="text/html"' }
}

export function deprecation(gateway: LegacyInterface) {
  const { now, legacyCalls } = gateway
  return async (ctx: KoaContext, next: Next): Promise<void> => {
    if (!isLegacy(ctx.path)) return next()
    ctx.set(deprecationHeaders(gateway, ctx.path))
    await next()
    const { key, route = ctx.status === 404 ? UNKNOWN_PATH : NOT_ROUTED } = ctx.state
    legacyCalls.count(key?.id ?? readKeyHash(ctx), route, now())
  }
}

/** Returns the hash of a key that was not verified: it may be deactivated. */
function readKeyHash(ctx: KoaContext): Buffer | undefined {
  const key = ctx.get('X-API-Key')
  return isWellFormed(key) ? keyHash(key) : undefined
}
