/** The files that the build wrote for browsers, by their paths, and the OpenAPI document. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import type { Gateway } from '../gateway'
import { fillStatement } from './methodology-page'
import { openApiFile } from './openapi-file'
import { htmlPage, IMMUTABLE, type PageFile, pageFile } from './page-file'

/** Relative to the build, and to the sources. */
const FOLDERS = [join(__dirname, '..', '..', 'pages'), join(__dirname, '..', '..', 'dist', 'pages')]

/** The package that partners install, with its version. */
export const CLIENT = /^\/client-.*\.tgz$/

/** The names of these files change with their content. */
const HASHED = /^\/(docs\/assets|explorer)\//

/** Directives of the content security policy that some pages need beside those of all. */
const POLICIES: Record<string, Record<string, string>> = {
  // Swagger UI sets styles of elements.
  '/docs/try': { 'style-src': "'self' 'unsafe-inline'" },
  // GraphiQL's editor adds styles to the page at run time.
  '/explorer': {
    'worker-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'font-src': "'self' data:",
  },
}

/** Returns only the OpenAPI document if the files were not built. */
export function builtFiles(gateway: Gateway): Map<string, PageFile> {
  const files = new Map([['/openapi.json', openApiFile(gateway, 'Documents')]])
  const folder = FOLDERS.find(existsSync)
  if (!folder) return files
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file)}`.replace(/(index)?\.html$/, '')
    const type = extname(file)
    const read = /^\/docs\/methodology(\.md)?$/.test(path)
      ? () => fillStatement(readFileSync(file, 'utf8'), type === '.html', gateway.methodology)
      : () => readFileSync(file)
    files.set(path, describeFile(path, type, read))
  }
  return files
}

function describeFile(path: string, type: string, read: () => string | Buffer): PageFile {
  if (CLIENT.test(path)) return pageFile('Client', 'application/gzip', read, IMMUTABLE)
  const operation = path.startsWith('/explorer') ? 'Explorer' : 'Documents'
  if (type === '.html') return htmlPage(operation, read, POLICIES[path])
  return pageFile(operation, type, read, HASHED.test(path) ? IMMUTABLE : undefined)
}
