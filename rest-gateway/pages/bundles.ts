/** Finds the files that the build bundled for browsers. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

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
