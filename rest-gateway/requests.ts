/** What a request has to be before anything is done for it. */
import type { Context, Next } from 'koa'
import { ApiError } from '../schema/errors'

/** Addresses may be so many bytes long. */
const LONGEST_ADDRESS = 8192

/** What the caller refuses in any form is sent as it is rather than not at all. */
export async function sendAnyhow(ctx: Context, next: Next): Promise<void> {
  if (ctx.acceptsEncodings('br', 'gzip', 'identity') === false) ctx.compress = false
  await next()
}

/** @throws ApiError URI_TOO_LONG, BAD_REQUEST: what the parser of HTTP let through and nothing behind could read */
export async function refuseMalformed(ctx: Context, next: Next): Promise<void> {
  if (ctx.url.length > LONGEST_ADDRESS) throw new ApiError('URI_TOO_LONG')
  // A + in a query is a space.
  const address = decoded(ctx.url.replaceAll('+', ' '))
  if (address === undefined || address.includes('\0')) throw new ApiError('BAD_REQUEST')
  await next()
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
