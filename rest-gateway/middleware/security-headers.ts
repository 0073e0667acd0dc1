/** Headers of every response that prevent misuse in browsers. */
import type { Context, Next } from 'koa'

export const SECURITY_HEADERS = { 'X-Content-Type-Options': 'nosniff' }

export function securityHeaders(ctx: Context, next: Next): Promise<void> {
  ctx.set(SECURITY_HEADERS)
  return next()
}
