/** How bodies are compressed: at the levels that cost least for what they save, and only where that is worth it. */
import { constants } from 'node:zlib'
import type { Context, Next } from 'koa'
import compress from 'koa-compress'

/** Bodies smaller than this are sent as they are. */
const SMALLEST = 2048

const compression = compress({
  threshold: SMALLEST,
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  gzip: { level: 1 },
  deflate: false,
})

const nothingMore = async (): Promise<void> => {}

/** Compresses what is large as the caller accepts it. What the caller refuses in any form is sent as it is rather than not at all. */
export async function encode(ctx: Context, next: Next): Promise<void> {
  await next()
  if ((ctx.length ?? 0) < SMALLEST) return
  // Who does not say what it takes is sent bodies as they are.
  if (ctx.req.headers['accept-encoding'] === undefined) return ctx.vary('Accept-Encoding')
  if (ctx.acceptsEncodings('br', 'gzip', 'identity') === false) ctx.compress = false
  await compression(ctx, nothingMore)
}
