/** Finds the files that the build bundled for browsers, and the package of the client. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { IMMUTABLE, type PageFile, pageFile } from './page-file'

/** Relative to the build, and to the sources. */
const DIRECTORIES = [join(__dirname, '..', '..', 'bundles'), join(__dirname, '..', '..', 'dist', 'bundles')]

interface BundledFile {
  name: string
  /** The file extension. */
  type: string
  /** Reads the file. */
  body: () => Buffer
}

/** Returns the files of a page's bundle; none if it was not built. */
export function readBundle(page: string): BundledFile[] {
  const folder = DIRECTORIES.map(directory => join(directory, page)).find(existsSync)
  if (!folder) return []
  return readdirSync(folder).map(name => ({
    name,
    type: extname(name),
    body: () => readFileSync(join(folder, name)),
  }))
}

/** Returns the package that partners install, by the path with its version; nothing if it was not built. */
export const clientFiles = (): [path: string, file: PageFile][] =>
  readBundle('client').map(({ name, body }) => [
    `/${name.replace('partner-metrics-', '')}`,
    pageFile('Client', 'application/gzip', body, IMMUTABLE),
  ])
