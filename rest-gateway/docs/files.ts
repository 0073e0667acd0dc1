/** The files of the documentation by path: what the build wrote, and the OpenAPI document. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import type { Gateway } from '../gateway'
import { htmlPage, IMMUTABLE, type PageFile, pageFile } from '../pages/page-file'
import { openApiFile } from './openapi-file'

const OPERATION = 'Documents'

/** Relative to the build, and to the sources. */
const FOLDERS = [join(__dirname, '..', '..', 'pages'), join(__dirname, '..', '..', 'dist', 'pages')]

/** The names of files in this folder change with their content. */
const ASSETS = '/docs/assets/'

/** Swagger UI sets styles of elements. */
const TRY = '/docs/try'
const TRY_POLICY = { 'style-src': "'self' 'unsafe-inline'" }

/** Returns only the OpenAPI document if the pages were not built. */
export function documentFiles(gateway: Gateway): Map<string, PageFile> {
  const files = new Map([['/openapi.json', openApiFile(gateway, OPERATION)]])
  const folder = FOLDERS.find(existsSync)
  if (!folder) return files
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const read = () => readFileSync(file)
    const path = `/${relative(folder, file)}`.replace(/(index)?\.html$/, '')
    const type = extname(file)
    const headers = path.startsWith(ASSETS) ? IMMUTABLE : undefined
    if (type === '.html') files.set(path, htmlPage(OPERATION, read, path === TRY ? TRY_POLICY : {}))
    else files.set(path, pageFile(OPERATION, type, read, headers))
  }
  return files
}
