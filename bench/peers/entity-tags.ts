/** Entity tags and 304 for the peers on Koa, computed as koa-etag does. */
import { createHash } from 'node:crypto'
import type { Context, Next } from 'koa'

export async function entityTags(ctx: Context, next: Next): Promise<void> {
  await next()
  if (ctx.status !== 200 || typeof ctx.body !== 'string') return
  ctx.set(
    'ETag',
    `W/"${ctx.body.length.toString(16)}-${createHash('sha1').update(ctx.body).digest('base64').slice(0, 27)}"`,
  )
  if (!ctx.fresh) return
  ctx.status = 304
}
