/** Writes the index of the search of the documentation into dist/bundles/docs: one entry per section of each page. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { DIST } from './paths.mjs'

const require = createRequire(import.meta.url)

export function writeSearchIndex() {
  const [{ schema }, { partnerRoutes, legacyRoutes }, { compileRoute }, { openApi }, { pageTexts }] = [
    'resolvers/schema',
    'rest-gateway/routes/all-routes',
    'rest-gateway/request',
    'rest-gateway/openapi/openapi',
    'rest-gateway/docs/texts',
  ].map(module => require(join(DIST, module)))
  const { listEntries } = require(join(DIST, 'rest-gateway', 'docs', 'search', 'entries'))
  const { SEARCH_OPTIONS } = require(join(DIST, 'rest-gateway', 'docs', 'search', 'options'))
  const routes = [...partnerRoutes, ...legacyRoutes].map(record => compileRoute(record))
  const index = new MiniSearch(SEARCH_OPTIONS)
  index.addAll(listEntries(pageTexts(schema, routes, openApi(schema, routes), { now: Date.now() })))
  const json = JSON.stringify(index)
  const folder = join(DIST, 'bundles', 'docs')
  mkdirSync(folder, { recursive: true })
  const hash = createHash('sha256').update(json).digest('hex').slice(0, 8)
  writeFileSync(join(folder, `search-${hash}.json`), json)
}
