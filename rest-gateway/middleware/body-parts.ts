/** Sends large bodies in parts, so that it can be seen whether a client reads them. */
import { Readable } from 'node:stream'
import type { Next } from 'koa'
import type { Context } from '../state'

const PART_BYTES = 65_536

export async function bodyParts(ctx: Context, next: Next): Promise<void> {
  await next()
  const { body, length } = ctx
  if (!length || length <= PART_BYTES || !(typeof body === 'string' || Buffer.isBuffer(body))) return
  ctx.body = Readable.from(splitBody(typeof body === 'string' ? Buffer.from(body) : body), { objectMode: false })
  ctx.length = length
}

function* splitBody(body: Buffer): Iterable<Buffer> {
  for (let start = 0; start < body.length; start += PART_BYTES) yield body.subarray(start, start + PART_BYTES)
}
