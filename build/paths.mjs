/** Folders that the build scripts work in. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

export const DIST = join(ROOT, 'dist')

/** The files for browsers, which have the paths of their addresses. */
export const PAGES = join(DIST, 'pages')
