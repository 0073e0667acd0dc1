/** The page at `/`, its form for clients that do not accept HTML, and the icon of all pages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KoaContext } from '../state'
import { type PageFile, pageFile, sendFile } from './page-file'

const OPERATION = 'Home'

const LINKS = { name: 'partner-metrics', documentation: '/docs', explorer: '/explorer', openapi: '/openapi.json' }

/** Returns the handler of `/`. */
export function home(page: PageFile | undefined): (ctx: KoaContext) => Promise<void> {
  const links = pageFile(OPERATION, '.json', JSON.stringify(LINKS))
  return ctx => {
    ctx.vary('Accept')
    return sendFile(ctx, page && ctx.accepts('html') ? page : links)
  }
}

export const favicon = () =>
  pageFile(OPERATION, '.ico', readFileSync(join(__dirname, 'favicon.ico')), {
    'Cache-Control': 'public, max-age=86400',
  })
