/** Sends the body of a response with its entity tag, or that the client has it cached. */
import { hash } from 'node:crypto'
import { isLegacy } from './paths'
import type { KoaContext } from './state'

const VARY = 'X-API-Key, Accept, Accept-Encoding'

/** The headers on which responses of the legacy interface depend, which is frozen and has one format. */
const LEGACY_VARY = 'X-API-Key, Accept-Encoding'

export interface Representation {
  body: string | Buffer
  /** Weak, because it is the same however the body is compressed. */
  etag: string
  contentType: string
}

const DIGEST_LENGTH = 22

export const createTag = (body: string | Buffer): string =>
  `W/"${hash('sha256', body, 'base64url').slice(0, DIGEST_LENGTH)}"`

/** Further tags of If-None-Match are ignored: the response is then sent whole. */
const MAX_TAGS = 100

/** Returns whether If-None-Match names a tag. `Cache-Control` of a request is ignored. */
export function isCached({ req }: KoaContext, etag: string): boolean {
  const header = req.headers['if-none-match']
  if (!header) return false
  const tags = header.split(',', MAX_TAGS).map(opaque)
  return tags.includes('*') || tags.includes(opaque(etag))
}

const opaque = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')

/** Sends a representation, or 304 where the client has it cached. Returns whether the body is sent. */
export function send(ctx: KoaContext, { body, etag, contentType }: Representation): boolean {
  ctx.res.setHeader('ETag', etag)
  setCaching(ctx)
  if (isCached(ctx, etag)) {
    ctx.status = 304
    return false
  }
  ctx.res.setHeader('Content-Type', contentType)
  ctx.body = body
  return true
}

/** The headers of every successful response that caches depend on. */
export function setCaching({ res, path }: KoaContext): void {
  res.setHeader('Cache-Control', 'private, no-cache')
  res.setHeader('Vary', isLegacy(path) ? LEGACY_VARY : VARY)
}
