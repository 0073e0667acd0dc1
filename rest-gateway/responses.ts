/** What every good answer carries, and conditional requests. */
import { hash } from 'node:crypto'
import type { Context } from 'koa'

const VARY = 'X-API-Key, Accept-Encoding'

/** An answer with what tells it from any other of the same address. */
export interface Representation {
  /** A weak entity tag. */
  etag: string
  /** As an HTTP date; undefined where nobody knows it. */
  lastModified?: string
  /** JSON; undefined where the caller holds it already, so that it was not even made. */
  body: string | Buffer | undefined
}

/** A short name of a text, the same for the same text everywhere. */
export const digest = (text: string | Buffer): string => hash('sha256', text, 'base64url').slice(0, 22)

/** The tag of a body that has no version to be told by. */
export const tagOf = (body: string | Buffer): string => `W/"${digest(body)}"`

/** Whether the caller says that it has an answer already. */
export const isConditional = (ctx: Context): boolean =>
  ctx.get('If-None-Match') !== '' || ctx.get('If-Modified-Since') !== ''

/** Whether the caller has the answer already. */
export function isHeld(ctx: Context, { etag, body }: Representation): boolean {
  if (body === undefined) return true
  const tags = tagsHeld(ctx)
  return tags.length > 0 && (tags.includes('*') || tags.includes(opaque(etag)))
}

/**
 * The opaque part of each tag that If-None-Match names, `*` for any. Only that header counts: `Cache-Control` of a request
 * does not.
 */
export function tagsHeld(ctx: Context): string[] {
  const header = ctx.get('If-None-Match')
  return header === '' ? [] : header.split(',').map(opaque)
}

const opaque = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')

/** Sends an answer, or 304 where the caller has it already. */
export function send(ctx: Context, representation: Representation): void {
  const { etag, lastModified, body } = representation
  ctx.set('ETag', etag)
  if (lastModified !== undefined) ctx.set('Last-Modified', lastModified)
  ctx.set('Cache-Control', 'private, no-cache')
  ctx.set('Vary', ctx.response.get('Vary').startsWith('Origin') ? `Origin, ${VARY}` : VARY)
  if (isHeld(ctx, representation)) {
    ctx.status = 304
    return
  }
  ctx.type = 'application/json'
  ctx.body = body
}
