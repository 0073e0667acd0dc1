/** Headers of every response that prevent misuse in browsers. */
import type { Next } from 'koa'
import type { Context } from '../state'

export const SECURITY_HEADERS = { 'X-Content-Type-Options': 'nosniff' }

export function securityHeaders(ctx: Context, next: Next): Promise<void> {
  ctx.set(SECURITY_HEADERS)
  return next()
}
