/** Files served to browsers, with their entity tags and their caching and security headers. */

import { createTag, isCached } from '../conditional/representation'
import { type Coding, compressBody, selectCoding } from '../middleware/compression'
import type { Context } from '../state'

export interface PageFile {
  /** The name in logs and metrics. */
  operation: string
  /** A file extension or media type, as `ctx.type` accepts it. */
  type: string
  body: Buffer
  headers: Record<string, string>
  /** The compressed bodies that clients have asked for. All responses share one: a client that does not read costs no memory. */
  compressed: Map<Coding, Promise<Buffer>>
}

/** Headers of files whose content can change. */
export const REVALIDATED = { 'Cache-Control': 'no-cache' }

/** Headers of files whose name changes with the content. */
export const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' }

export function pageFile(
  operation: string,
  type: string,
  body: string | Buffer,
  headers: Record<string, string> = REVALIDATED,
): PageFile {
  return {
    operation,
    type,
    body: Buffer.from(body),
    headers: { ...headers, ETag: createTag(body) },
    compressed: new Map(),
  }
}

/**
 * Returns a page of HTML. The Content-Security-Policy allows only this origin.
 *
 * @param directives additions, by directive
 */
export function htmlPage(operation: string, html: string | Buffer, directives: Record<string, string> = {}): PageFile {
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...directives,
  }
  const value = Object.entries(policy).map(([directive, sources]) => `${directive} ${sources}`)
  const headers = { ...REVALIDATED, 'Content-Security-Policy': value.join('; '), 'Referrer-Policy': 'no-referrer' }
  return pageFile(operation, '.html', html, headers)
}

/** Sends a file, or 304 to a client that has it cached. */
export async function sendFile(ctx: Context, file: PageFile): Promise<void> {
  const { type, body, headers } = file
  ctx.set(headers)
  ctx.vary('Accept-Encoding')
  if (isCached(ctx, headers.ETag as string)) {
    ctx.status = 304
    return
  }
  ctx.type = type
  const coding = selectCoding(ctx, body.length)
  if (coding) ctx.set('Content-Encoding', coding)
  ctx.body = coding ? await compressFile(file, coding) : body
}

function compressFile({ body, compressed }: PageFile, coding: Coding): Promise<Buffer> {
  const known = compressed.get(coding) ?? compressBody(body, coding)
  compressed.set(coding, known)
  return known
}
