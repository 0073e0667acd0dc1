/** The stylesheet of all pages. Its path changes with its content, so that clients can cache it forever. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const body = readFileSync(join(__dirname, 'page.css'))

export const STYLESHEET = {
  path: `/docs/page-${createHash('sha256').update(body).digest('base64url').slice(0, 8)}.css`,
  body,
}
