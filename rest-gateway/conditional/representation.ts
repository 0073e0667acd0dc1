/** A response body with its validators, and conditional requests. */
import { createHash, hash } from 'node:crypto'
import { Turns } from '../../resolvers/turns'
import { isLegacy } from '../middleware/deprecation'
import type { Context } from '../state'

/** The headers on which responses depend, besides the origin where CORS is enabled. */
const VARY = 'X-API-Key, Accept, Accept-Encoding'

/** The headers on which responses of the legacy interface depend, which is frozen and has one format. */
const LEGACY_VARY = 'X-API-Key, Accept-Encoding'

export interface Validators {
  /** A weak entity tag. */
  etag: string
  /** An HTTP date; undefined where it is unknown. */
  lastModified?: string | undefined
}

export interface Representation extends Validators {
  body: string | Buffer
  /** JSON, if it is left out. */
  contentType?: string
}

const DIGEST_LENGTH = 22

/** Returns a short hash of a text. */
export const digest = (text: string | Buffer): string => hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH)

/** Returns the entity tag of a body that has no version. */
export const createTag = (body: string | Buffer): string => weakTag(digest(body))

/** Bytes that are hashed at once. */
const MAX_HASHED_BYTES = 1_000_000

/** Returns the entity tag of a body that has no version. A long body is hashed in turns. */
export async function tagInTurns(body: string | Buffer, turns = new Turns()): Promise<string> {
  if (body.length <= MAX_HASHED_BYTES) return createTag(body)
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const sum = createHash('sha256')
  for (let offset = 0; offset < bytes.length; offset += MAX_HASHED_BYTES) {
    sum.update(bytes.subarray(offset, offset + MAX_HASHED_BYTES))
    if (turns.isOver) await turns.next()
  }
  return weakTag(sum.digest('base64url').slice(0, DIGEST_LENGTH))
}

const weakTag = (text: string): string => `W/"${text}"`

/** Returns whether If-None-Match names a tag. */
export function isCached(ctx: Context, etag: string): boolean {
  const tags = cachedTags(ctx)
  return tags.length > 0 && (tags.includes('*') || tags.includes(opaque(etag)))
}

/** Further tags of If-None-Match are ignored: the response is then sent whole. */
const MAX_TAGS = 100

/** Returns the opaque part of the tags in If-None-Match, `*` for any. `Cache-Control` of a request is ignored. */
export function cachedTags(ctx: Context): string[] {
  const header = ctx.req.headers['if-none-match']
  return header ? header.split(',', MAX_TAGS).map(opaque) : []
}

const opaque = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')

/** Sends 304: the client has this representation cached. */
export function sendNotModified(ctx: Context, validators: Validators): void {
  setValidators(ctx, validators)
  ctx.status = 304
}

export function send(ctx: Context, representation: Representation): void {
  setValidators(ctx, representation)
  ctx.res.setHeader('Content-Type', representation.contentType ?? 'application/json; charset=utf-8')
  ctx.body = representation.body
}

function setValidators(ctx: Context, { etag, lastModified }: Validators): void {
  ctx.res.setHeader('ETag', etag)
  if (lastModified !== undefined) ctx.res.setHeader('Last-Modified', lastModified)
  setCaching(ctx)
}

/** The headers of every successful response that caches depend on. */
export function setCaching({ res, path }: Context): void {
  const vary = isLegacy(path) ? LEGACY_VARY : VARY
  res.setHeader('Cache-Control', 'private, no-cache')
  res.setHeader('Vary', res.hasHeader('Vary') ? `Origin, ${vary}` : vary)
}
