/** What a request has to be before anything is done for it. */
import type { Context, Next } from 'koa'
import { ApiError } from '../../schema/errors'

/** Addresses may be so many bytes long. */
const LONGEST_ADDRESS = 8192

/** @throws ApiError URI_TOO_LONG, BAD_REQUEST: what the parser of HTTP let through and nothing behind could read */
export function refuseMalformed({ req: { url = '' } }: Context, next: Next): Promise<void> {
  if (url.length > LONGEST_ADDRESS) throw new ApiError('URI_TOO_LONG')
  if (url.includes('%') && !isDecodable(url)) throw new ApiError('BAD_REQUEST')
  return next()
}

function isDecodable(text: string): boolean {
  try {
    return !decodeURIComponent(text).includes('\0')
  } catch {
    return false
  }
}
