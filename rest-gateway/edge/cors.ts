/** CORS for the origins that the operator allows. Without any, no CORS headers are sent. */
import koaCors from '@koa/cors'
import type { Middleware } from '../state'

/** Allows every origin. That is safe: responses depend on the API key, which browsers do not send on their own. */
export const ANY_ORIGIN = '*'

const REQUEST_HEADERS = [
  'X-API-Key',
  'Content-Type',
  'If-None-Match',
  'X-Request-Id',
  'traceparent',
  ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
]

const RESPONSE_HEADERS = [
  ...['ETag', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id', 'WWW-Authenticate'],
  ...['Deprecation', 'Link', 'X-Next-Cursor', 'Server-Timing', 'X-API-Key-Expiration'],
]

const PREFLIGHT_MAX_AGE_SECONDS = 3600

/** @param origins as browsers send them in Origin, or ANY_ORIGIN */
export function cors(origins: readonly string[]): Middleware {
  const allowsAny = origins.includes(ANY_ORIGIN)
  return koaCors({
    origin: ctx => (allowsAny ? ANY_ORIGIN : (origins.find(origin => origin === ctx.get('Origin')) ?? '')),
    allowMethods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
    allowHeaders: REQUEST_HEADERS,
    exposeHeaders: RESPONSE_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
  })
}
