/** Files of pages that are served from here alone, and what their headers forbid and allow. */

/** A file as it is sent. */
export interface PageFile {
  /** What it is called in logs and metrics. */
  operation: string
  /** As Koa takes it. */
  type: string
  body: string | Buffer
  headers: Record<string, string>
}

const SNIFFED = { 'X-Content-Type-Options': 'nosniff' }

/** Of what may be another at any time. */
export const CHANGING = { 'Cache-Control': 'no-cache', ...SNIFFED }

/** Of what has a name that changes with the content. */
export const LASTING = { 'Cache-Control': 'public, max-age=31536000, immutable', ...SNIFFED }

/** Of a page: nothing foreign. @param more what it needs besides, by directive */
export function pageHeaders(more: Record<string, string> = {}): Record<string, string> {
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...more,
  }
  const told = Object.entries(policy).map(([directive, sources]) => `${directive} ${sources}`)
  return { ...CHANGING, 'Content-Security-Policy': told.join('; '), 'Referrer-Policy': 'no-referrer' }
}
