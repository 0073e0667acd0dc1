/** Refuses URLs that are too long or not valid UTF-8, which Node's parser accepts. */
import type { Context, Next } from 'koa'
import { ApiError } from '../../schema/errors'

const MAX_URL_BYTES = 8192

/** @throws ApiError URI_TOO_LONG, BAD_REQUEST */
export function requestTarget({ req: { url = '' } }: Context, next: Next): Promise<void> {
  if (url.length > MAX_URL_BYTES) throw new ApiError('URI_TOO_LONG')
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
