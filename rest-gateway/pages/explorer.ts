/** The files of the explorer by path, as the build bundled them. */

import { readBundle } from './bundles'
import { htmlPage, IMMUTABLE, type PageFile, pageFile } from './page-file'

/** GraphiQL's editor adds styles to the page at run time. */
const POLICY = {
  'worker-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self' data:",
}

/** Empty if the explorer was not built. */
export const explorerFiles = (): Map<string, PageFile> =>
  new Map(
    readBundle('explorer').map(({ name, type, body }) =>
      name === 'page.html'
        ? ['/explorer', htmlPage('Explorer', body, POLICY)]
        : [`/explorer/${name}`, pageFile('Explorer', type, body, IMMUTABLE)],
    ),
  )
