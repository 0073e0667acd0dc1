/** Compresses large responses with Brotli or gzip, at the levels that save most for the CPU time they cost. */
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Next } from 'koa'
import compress from 'koa-compress'
import type { Context } from '../state'

const MIN_BYTES = 2048

export type Coding = 'br' | 'gzip'

const koaCompress = compress({
  threshold: MIN_BYTES,
  zstd: false,
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  gzip: { level: 1 },
  deflate: false,
  wildcardAcceptEncoding: 'br',
})

const noop = async (): Promise<void> => {}

export async function compression(ctx: Context, next: Next): Promise<void> {
  await next()
  if ((ctx.length ?? 0) < MIN_BYTES || ctx.response.get('Content-Encoding')) return
  // koa-compress would compress for clients that do not send Accept-Encoding, and answer 406 to those that refuse every coding.
  if (ctx.req.headers['accept-encoding'] === undefined) return ctx.vary('Accept-Encoding')
  if (ctx.acceptsEncodings('br', 'gzip', 'identity') === false) ctx.compress = false
  if (ctx.method === 'HEAD') describeCompressed(ctx)
  else await koaCompress(ctx, noop)
}

/** Media types whose bodies are compressed already. */
const COMPRESSED = new Set(['application/gzip', 'application/vnd.apache.parquet'])

/** Returns the coding in which to send a body of some length; undefined for none. The type of the response is set before. */
export function selectCoding(ctx: Context, length: number): Coding | undefined {
  if (length < MIN_BYTES || COMPRESSED.has(ctx.response.type)) return undefined
  if (ctx.req.headers['accept-encoding'] === undefined) return undefined
  const coding = ctx.acceptsEncodings('br', 'gzip', 'identity')
  return coding === 'br' || coding === 'gzip' ? coding : undefined
}

/** Compresses a body that is sent many times, in a thread of its own. */
export const compressBody = (body: Buffer, coding: Coding): Promise<Buffer> =>
  coding === 'br'
    ? promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
    : promisify(gzip)(body, { level: 6 })

/** Gives a response to HEAD the headers of one to GET, which koa-compress leaves uncompressed. */
function describeCompressed(ctx: Context): void {
  ctx.vary('Accept-Encoding')
  const coding = selectCoding(ctx, ctx.length ?? 0)
  if (!coding) return
  ctx.set('Content-Encoding', coding)
  // The length of a compressed response is not known before it is sent.
  ctx.body = Readable.from([])
}
