/** What every good answer carries, and conditional requests. */
import { createHash } from 'node:crypto'
import type { Context } from 'koa'

/** Sends a JSON body, or 304 where the caller has it already. */
export function send(ctx: Context, body: string): void {
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  ctx.set('ETag', etag)
  ctx.set('Cache-Control', 'private, no-cache')
  ctx.set('Vary', 'X-API-Key, Accept-Encoding')
  if (matches(ctx.get('If-None-Match'), etag)) {
    ctx.status = 304
    return
  }
  ctx.type = 'application/json'
  ctx.body = body
}

/** Whether an If-None-Match header names this weak tag. Only that header counts: `Cache-Control` of a request does not. */
function matches(header: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.trim() === '*' || header.split(',').some(tag => opaque(tag) === opaque(etag))
}
