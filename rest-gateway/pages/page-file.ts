/** Files served to browsers, and their caching and security headers. */

export interface PageFile {
  /** The name in logs and metrics. */
  operation: string
  /** A file extension or media type, as `ctx.type` accepts it. */
  type: string
  body: string | Buffer
  headers: Record<string, string>
}

const NO_SNIFFING = { 'X-Content-Type-Options': 'nosniff' }

/** Headers of files whose content can change. */
export const REVALIDATED = { 'Cache-Control': 'no-cache', ...NO_SNIFFING }

/** Headers of files whose name changes with the content. */
export const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable', ...NO_SNIFFING }

/** Headers of a page. The Content-Security-Policy allows only this origin. @param directives additions, by directive */
export function pageHeaders(directives: Record<string, string> = {}): Record<string, string> {
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
  return { ...REVALIDATED, 'Content-Security-Policy': value.join('; '), 'Referrer-Policy': 'no-referrer' }
}
