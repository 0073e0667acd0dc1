/**
 * /explorer, for analysts: GraphiQL as it was bundled at the build, served from here alone. What it is made of lies in
 * explorer/; the page knows the fixed routes from routes.json, so that it can tell the REST call that answers a query.
 */
import { readBundle } from '../pages/bundles'
import { CHANGING, LASTING, type PageFile, pageHeaders } from '../pages/page-file'
import type { RouteRecord } from '../routes/route'

/** Monaco sets styles in the page. */
const HEADERS = pageHeaders({
  'worker-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self' data:",
})

/** The files by their paths; none where nothing was bundled. */
export function explorerFiles(routes: readonly RouteRecord[]): Map<string, PageFile> {
  const files = new Map<string, PageFile>()
  const bundle = readBundle('explorer')
  const file = (type: string, body: string | Buffer, headers: Record<string, string>): PageFile => ({
    operation: 'Explorer',
    type,
    body,
    headers,
  })
  for (const { name, type, body } of bundle) {
    if (name === 'page.html') files.set('/explorer', file(type, body, HEADERS))
    else files.set(`/explorer/${name}`, file(type, body, LASTING))
  }
  if (bundle.length === 0) return files
  const told = routes.map(({ path, query, parameters }) => ({
    path,
    query,
    parameters: parameters.map(({ name, in: place, required }) => ({ name, in: place, required })),
  }))
  return files.set('/explorer/routes.json', file('.json', JSON.stringify(told), CHANGING))
}
