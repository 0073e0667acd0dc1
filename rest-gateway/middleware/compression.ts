/** Compresses large responses with Brotli or gzip, at the levels that save most for the CPU time they cost. */
import { constants } from 'node:zlib'
import type { Context, Next } from 'koa'
import compress from 'koa-compress'

const MIN_BYTES = 2048

const koaCompress = compress({
  threshold: MIN_BYTES,
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  gzip: { level: 1 },
  deflate: false,
})

const noop = async (): Promise<void> => {}

export async function compression(ctx: Context, next: Next): Promise<void> {
  await next()
  if ((ctx.length ?? 0) < MIN_BYTES) return
  // koa-compress would compress for clients that do not send Accept-Encoding, and answer 406 to those that refuse every coding.
  if (ctx.req.headers['accept-encoding'] === undefined) return ctx.vary('Accept-Encoding')
  if (ctx.acceptsEncodings('br', 'gzip', 'identity') === false) ctx.compress = false
  await koaCompress(ctx, noop)
}
