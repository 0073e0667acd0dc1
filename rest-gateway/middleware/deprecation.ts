/**
 * What goes for every legacy request: from 90 days after the partner interface is generally available its answer says
 * that it is deprecated, and it is counted, so that the operator can see when the traffic has ended.
 */
import type { Context, Next } from 'koa'
import type { Gateway } from '../gateway'

/** With what the paths of the legacy interface begin. */
export const LEGACY = '/v1/metrics/'

const NOTICE_DAYS = 90

/** When legacy answers begin to say so, in seconds since 1970; undefined without a date of general availability. */
export const deprecatedFrom = (partnerGa: number | undefined): number | undefined =>
  partnerGa === undefined ? undefined : Math.floor(partnerGa / 1000) + NOTICE_DAYS * 86_400

/** RFC 9745: the header tells since when, informs, and changes nothing else. */
export function legacy({ partnerGa, now, legacyCalls }: Gateway) {
  const from = deprecatedFrom(partnerGa)
  return async (ctx: Context, next: Next): Promise<void> => {
    if (!ctx.path.startsWith(LEGACY)) return next()
    if (from !== undefined && now() >= from * 1000) {
      ctx.set('Deprecation', `@${from}`)
      ctx.set('Link', '</docs/migration>; rel="deprecation"; type="text/html"')
    }
    await next()
    // Who is calling is known once the key proved good.
    const { keyId, route } = ctx.state
    if (keyId && route) legacyCalls.count(keyId, route, now())
  }
}
