/** The page at `/`, its form for clients that do not accept HTML, and the icon of all pages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderPage } from '../docs/layout/page'
import type { Context } from '../state'
import { htmlPage, pageFile, sendFile } from './page-file'

const OPERATION = 'Home'

const TEXT = `# partner-metrics

Audience measurement of physical advertising assets: impressions, demographics and sensors.

- [Documentation](/docs): getting started, all routes, and requests that you can send from the page
- [Explorer](/explorer): GraphQL queries for analysts, with tables and charts
- [OpenAPI document](/openapi.json): for generated clients
`

const LINKS = { name: 'partner-metrics', documentation: '/docs', explorer: '/explorer', openapi: '/openapi.json' }

/** Returns the handler of `/`. */
export function home(): (ctx: Context) => Promise<void> {
  const page = htmlPage(OPERATION, renderPage({ path: '/', text: TEXT }))
  const links = pageFile(OPERATION, '.json', JSON.stringify(LINKS))
  return ctx => {
    ctx.vary('Accept')
    return sendFile(ctx, ctx.accepts('html') ? page : links)
  }
}

export const favicon = () =>
  pageFile(OPERATION, '.ico', readFileSync(join(__dirname, 'favicon.ico')), {
    'Cache-Control': 'public, max-age=86400',
  })
