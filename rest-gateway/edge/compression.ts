/** Compresses large bodies with Brotli or gzip, in a thread of their own. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Next } from 'koa'
import type { KoaContext } from '../state'

const MIN_BYTES = 2048

export type Coding = 'br' | 'gzip'

/** The levels of Brotli and gzip. Those of responses save most for the CPU time they cost; files are sent many times. */
const LEVELS = { response: [1, 1], file: [5, 6] } as const

export async function compression(ctx: KoaContext, next: Next): Promise<void> {
  await next()
  const { body, length = 0 } = ctx
  if (length < MIN_BYTES || ctx.response.get('Content-Encoding')) return
  ctx.vary('Accept-Encoding')
  const coding = selectCoding(ctx, length)
  if (!coding) return
  ctx.body = await compressBody(body as string | Buffer, coding, 'response')
  ctx.set('Content-Encoding', coding)
}

const COMPRESSED = new Set(['application/gzip', 'application/vnd.apache.parquet'])

/** Returns the coding in which to send a body of some length; undefined for none. The type of the response is set before. */
export function selectCoding(ctx: KoaContext, length: number): Coding | undefined {
  if (length < MIN_BYTES || COMPRESSED.has(ctx.response.type)) return undefined
  if (ctx.req.headers['accept-encoding'] === undefined) return undefined
  const coding = ctx.acceptsEncodings('br', 'gzip', 'identity')
  return coding === 'br' || coding === 'gzip' ? coding : undefined
}

export function compressBody(body: string | Buffer, coding: Coding, use: keyof typeof LEVELS): Promise<Buffer> {
  const [quality, level] = LEVELS[use]
  return coding === 'br'
    ? promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
    : promisify(gzip)(body, { level })
}
