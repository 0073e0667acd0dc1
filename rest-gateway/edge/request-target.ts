/**
 * Refuses what Node's parser accepts: more headers than any client sends, a missing or invalid Host header, and URLs that are too long or
 * not valid UTF-8; and ignores headers that are longer than any client needs.
 */
import type { IncomingMessage } from 'node:http'
import type { Next } from 'koa'
import { ApiError } from '../../schema/errors'
import type { KoaContext } from '../state'

export const MAX_URL_BYTES = 8192

/** The server passes on one header more than this, so that none is lost without an error. */
export const MAX_HEADERS = 200

/** The time to parse them grows faster than their length, and no key has been verified yet: longer ones count as absent. */
const PARSED_HEADERS = ['accept', 'accept-encoding', 'content-type'] as const

const MAX_HEADER_BYTES = 1_024

/** @throws ApiError HEADERS_TOO_LARGE, URI_TOO_LONG, BAD_REQUEST */
export function requestTarget({ req }: KoaContext, next: Next): Promise<void> {
  const { url = '', headers } = req
  for (const name of PARSED_HEADERS) if ((headers[name]?.length ?? 0) > MAX_HEADER_BYTES) delete headers[name]
  if (req.rawHeaders.length > 2 * MAX_HEADERS) throw new ApiError('HEADERS_TOO_LARGE')
  if (!hasValidHost(req)) throw new ApiError('BAD_REQUEST')
  if (url.length > MAX_URL_BYTES) throw new ApiError('URI_TOO_LONG')
  if (url.includes('%') && !isDecodable(url)) throw new ApiError('BAD_REQUEST')
  return next()
}

/** A host name or IP address, with or without a port; it may be empty (RFC 9112, section 3.2). */
const HOST = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/i

/** Node ignores all Host headers after the first. */
function hasValidHost({ httpVersionMajor, httpVersionMinor, headers: { host }, rawHeaders }: IncomingMessage): boolean {
  if (host === undefined) return httpVersionMajor === 1 && httpVersionMinor === 0
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') count++
  return count === 1 && HOST.test(host)
}

function isDecodable(text: string): boolean {
  try {
    return !decodeURIComponent(text).includes('\0')
  } catch {
    return false
  }
}
