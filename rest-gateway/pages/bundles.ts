/** What the build bundled for browsers: the files of a page, under names that change with their content. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** In the build; or, run from the sources, in what was built of them. */
const PLACES = [join(__dirname, '..', '..', 'bundles'), join(__dirname, '..', '..', 'dist', 'bundles')]

interface Bundled {
  name: string
  /** As Koa takes it. */
  type: string
  body: Buffer
}

/** The files of a page; none where nothing was built. */
export function readBundle(page: string): Bundled[] {
  const folder = PLACES.map(place => join(place, page)).find(place => existsSync(place))
  if (!folder) return []
  return readdirSync(folder).map(name => ({ name, type: extname(name), body: readFileSync(join(folder, name)) }))
}
