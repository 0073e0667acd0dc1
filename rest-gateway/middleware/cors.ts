/** Which pages of other origins may ask from a browser: none, unless the operator names them. */
import cors from '@koa/cors'
import type { Middleware } from 'koa'

/** Any origin. What is answered depends on the key, which no browser sends by itself. */
export const ANY_ORIGIN = '*'

const SENT = ['X-API-Key', 'Content-Type', 'If-None-Match', 'If-Modified-Since', 'X-Request-Id', 'traceparent']

const READ = [
  ...['ETag', 'Last-Modified', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id', 'WWW-Authenticate'],
  ...['Deprecation', 'Link', 'Server-Timing'],
]

/** How long a browser may keep the answer to a preflight, in seconds. */
const PREFLIGHT_SECONDS = 3600

/** @param origins as browsers write them, or ANY_ORIGIN */
export function allowOrigins(origins: readonly string[]): Middleware {
  const any = origins.includes(ANY_ORIGIN)
  return cors({
    origin: ctx => (any ? ANY_ORIGIN : (origins.find(origin => origin === ctx.get('Origin')) ?? '')),
    allowMethods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
    allowHeaders: SENT,
    exposeHeaders: READ,
    maxAge: PREFLIGHT_SECONDS,
  })
}
