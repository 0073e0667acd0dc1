/** Files served to browsers, with their entity tags and their caching and security headers. */

import { type Coding, compressBody, selectCoding } from '../edge/compression'
import { createTag, isCached } from '../send'
import type { KoaContext } from '../state'

export interface PageFile {
  operation: string
  /** A file extension or media type, as `ctx.type` accepts it. */
  type: string
  headers: Record<string, string>
  /** Returns the content, which is rendered the first time: all files together take a third of the start of a service. */
  content(ctx: KoaContext): Content
}

interface Content {
  body: Buffer
  tag: string
  /** The compressed bodies that clients have asked for. All responses share one: a client that does not read costs no memory. */
  compressed: Map<Coding, Promise<Buffer>>
}

type Source = string | Buffer | (() => string | Buffer)

/** Headers of files whose content can change. */
const REVALIDATED = { 'Cache-Control': 'no-cache' }

/** Headers of files whose name changes with the content. */
export const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' }

export function pageFile(
  operation: string,
  type: string,
  source: Source,
  headers: Record<string, string> = REVALIDATED,
): PageFile {
  let content: Content | undefined
  const render = (): Content => {
    const body = typeof source === 'function' ? source() : source
    return { body: Buffer.from(body), tag: createTag(body), compressed: new Map() }
  }
  return { operation, type, headers, content: () => (content ??= render()) }
}

/** Returns a page of HTML. The policy allows only this origin. @param directives additions, by directive */
export function htmlPage(operation: string, html: Source, directives: Record<string, string> = {}): PageFile {
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
export async function sendFile(ctx: KoaContext, file: PageFile): Promise<void> {
  const { body, tag, compressed } = file.content(ctx)
  ctx.set({ ...file.headers, ETag: tag })
  ctx.vary('Accept-Encoding')
  if (isCached(ctx, tag)) {
    ctx.status = 304
    return
  }
  ctx.type = file.type
  ctx.body = body
  const coding = selectCoding(ctx, body.length)
  if (!coding) return
  ctx.set('Content-Encoding', coding)
  const known = compressed.get(coding) ?? compressBody(body, coding, 'file')
  compressed.set(coding, known)
  ctx.body = await known
}
