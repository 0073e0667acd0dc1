/** The page at `/`, its form for clients that do not accept HTML, and the icon of all pages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prefixOf } from '../../db/api-keys/key-format'
import type { Gateway } from '../gateway'
import type { Context } from '../state'
import { htmlPage, pageFile, sendFile } from './page-file'

const OPERATION = 'Home'

const TEXT = `# partner-metrics

Audience measurement of physical advertising assets: impressions, demographics and sensors.

{{state}}

## Partners

The [guide](/docs) leads to the first request with your API key, and to programs for a nightly copy. The [reference](/docs#reference) sends
requests from the page. Typed clients are generated from the [OpenAPI document](/openapi.json); [changes](/docs/changelog) are announced.

## Analysts

The [explorer](/explorer) runs GraphQL queries over all assets of your key, and shows results as tables and charts.

## Operators

[Operations](/docs/operations) describes settings, imports, keys, backups and alerts. \`partner-metrics status\` shows more of the
state than this page, and \`partner-metrics keys issue\` issues a key.
`

const CHECK_MS = 1_000

const ENVIRONMENTS = {
  dev: { name: 'test environment', prefix: prefixOf('dev') },
  production: { name: 'production environment', prefix: prefixOf('production') },
}

const LINKS = { name: 'partner-metrics', documentation: '/docs', explorer: '/explorer', openapi: '/openapi.json' }

/** Returns the handler of `/`. */
export function home({ environment, database, now }: Gateway): (ctx: Context) => Promise<void> {
  const render = (state: string) =>
    htmlPage(OPERATION, () => {
      // As with the documents, the first page requested waits for it, not the start of the service.
      const { renderPage } = require('../docs/layout/page') as typeof import('../docs/layout/page')
      return renderPage({ path: '/', text: TEXT.replace('{{state}}', state) })
    })
  const { name, prefix } = ENVIRONMENTS[environment]
  const ready = render(`The ${name} is **ready**. Its keys begin with \`${prefix}\`.`)
  const away = render(`The ${name} is running, but its **database does not answer**: requests get 503.`)
  let checked = { at: 0, isReady: Promise.resolve(false) }
  // Requests without a key share an answer of the database.
  const isReady = () => {
    if (now() - checked.at >= CHECK_MS) {
      const isUp = database.ping().then(
        () => true,
        () => false,
      )
      checked = { at: now(), isReady: isUp }
    }
    return checked.isReady
  }
  const links = pageFile(OPERATION, '.json', JSON.stringify(LINKS))
  return async ctx => {
    ctx.vary('Accept')
    if (!ctx.accepts('html')) return sendFile(ctx, links)
    return sendFile(ctx, (await isReady()) ? ready : away)
  }
}

export const favicon = () =>
  pageFile(OPERATION, '.ico', readFileSync(join(__dirname, 'favicon.ico')), {
    'Cache-Control': 'public, max-age=86400',
  })
