/** The files of the explorer by path: GraphiQL as bundled by the build, and the routes for which it shows REST calls. */

import type { RouteRecord } from '../record'
import { readBundle } from './bundles'
import { htmlPage, IMMUTABLE, type PageFile, pageFile } from './page-file'

/** Monaco adds styles to the page at run time. */
const POLICY = {
  'worker-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self' data:",
}

/** Empty if the explorer was not built. */
export function explorerFiles(routes: readonly RouteRecord[]): Map<string, PageFile> {
  const files = new Map<string, PageFile>()
  const bundle = readBundle('explorer')
  for (const { name, type, body } of bundle) {
    if (name === 'page.html') files.set('/explorer', htmlPage('Explorer', body, POLICY))
    else files.set(`/explorer/${name}`, pageFile('Explorer', type, body, IMMUTABLE))
  }
  if (bundle.length === 0) return files
  const persisted = routes.map(({ path, query, parameters }) => ({
    path,
    query,
    parameters: parameters.map(({ name, in: location, required }) => ({ name, in: location, required })),
  }))
  return files.set('/explorer/routes.json', pageFile('Explorer', '.json', JSON.stringify(persisted)))
}
