/**
 * /explorer, for analysts: GraphiQL as it was bundled at the build, served from here alone. What it is made of lies in
 * explorer/; the page knows the fixed routes from routes.json, so that it can tell the REST call that answers a query.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { RouteRecord } from './route'

/** A file of the page as it is sent. */
export interface PageFile {
  type: string
  body: string | Buffer
  headers: Record<string, string>
}

/** Where the build puts it. Run from the sources, there is none unless it was built. */
const FOLDERS = [join(__dirname, 'explorer'), join(__dirname, '..', 'dist', 'rest-gateway', 'explorer')]

/** Nothing foreign. Monaco sets styles in the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const CHANGING = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' }

/** Names change with the content. */
const LASTING = { 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' }

/** The files by their paths; none where nothing was bundled. */
export function explorerFiles(routes: readonly RouteRecord[]): Map<string, PageFile> {
  const files = new Map<string, PageFile>()
  const folder = FOLDERS.find(place => existsSync(join(place, 'page.html')))
  if (!folder) return files
  for (const name of readdirSync(folder)) {
    files.set(`/explorer/${name}`, { type: extname(name), body: readFileSync(join(folder, name)), headers: LASTING })
  }
  const page = files.get('/explorer/page.html') as PageFile
  files.delete('/explorer/page.html')
  files.set('/explorer', {
    ...page,
    headers: { ...CHANGING, 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' },
  })
  const told = routes.map(({ path, query, parameters }) => ({
    path,
    query,
    parameters: parameters.map(({ name, in: place, required }) => ({ name, in: place, required })),
  }))
  files.set('/explorer/routes.json', { type: '.json', body: JSON.stringify(told), headers: CHANGING })
  return files
}
