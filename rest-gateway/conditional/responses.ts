/** What every good answer carries, and conditional requests. */
import { hash } from 'node:crypto'
import type { Context } from 'koa'

/** On what answers depend, besides on the page that asks, where pages may. */
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
export const isConditional = ({ req: { headers } }: Context): boolean =>
  headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined

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
  const header = ctx.req.headers['if-none-match']
  return header ? header.split(',').map(opaque) : []
}

const opaque = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')

/** Sends an answer. @param held whether the caller has it already: then 304 */
export function send(ctx: Context, { etag, lastModified, body }: Representation, held: boolean): void {
  const { res } = ctx
  res.setHeader('ETag', etag)
  if (lastModified !== undefined) res.setHeader('Last-Modified', lastModified)
  res.setHeader('Cache-Control', 'private, no-cache')
  res.setHeader('Vary', res.hasHeader('Vary') ? `Origin, ${VARY}` : VARY)
  if (held) {
    ctx.status = 304
    return
  }
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  ctx.body = body
}
