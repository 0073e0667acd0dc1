/** The files for browsers by their paths: those that the build wrote, with the statement of the operator, the OpenAPI document, and the page at `/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { LRUCache } from 'lru-cache'
import { snakeCase } from '../../db/assets/attributes'
import { STATED } from '../../resolvers/methodology'
import type { Methodology } from '../../schema/generated'
import type { Gateway } from '../gateway'
import { listServers } from '../openapi/openapi'
import { PROTOCOL, serviceUrl } from '../service-url'
import type { KoaContext } from '../state'
import { htmlPage, IMMUTABLE, type PageFile, pageFile, sendFile } from './page-file'

const FILE = join(__dirname, '..', 'openapi', 'openapi.json')

/** The documents that are kept, compressed as well: a service has one address as a rule, and a proxy a few hosts. */
const MAX_KEPT = 4

const ADDRESS = 'https://address.invalid'

/** Returns the OpenAPI document with the version and the address of the service, and the contact of its operator. */
function openApiFile(gateway: Gateway): PageFile {
  const { version, publicUrl, supportContact } = gateway
  const contact = supportContact && { [supportContact.includes('://') ? 'url' : 'email']: supportContact }
  const render = () => {
    const { openapi, info, ...document } = JSON.parse(readFileSync(FILE, 'utf8'))
    const own = { ...info, version, contact: { ...info.contact, ...contact } }
    return JSON.stringify({ openapi, info: own, ...document, servers: listServers(ADDRESS) }).split(ADDRESS)
  }
  let segments: string[] | undefined
  const files = new LRUCache<string, PageFile>({ max: MAX_KEPT })
  return {
    ...pageFile('Documents', '.json', ''),
    content(ctx) {
      const url = serviceUrl(ctx, gateway) ?? '/'
      if (publicUrl === undefined) ctx.vary(PROTOCOL)
      segments ??= render()
      const file = files.get(url) ?? pageFile('Documents', '.json', segments.join(JSON.stringify(url).slice(1, -1)))
      files.set(url, file)
      return file.content(ctx)
    },
  }
}

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
  const files = new Map([['/openapi.json', openApiFile(gateway)]])
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

const OPERATION = 'Home'

const LINKS = { name: 'partner-metrics', documentation: '/docs', explorer: '/explorer', openapi: '/openapi.json' }

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

const MARK = '<!-- statement -->'

/** Returns the page, or its Markdown, with what the operator states. */
function fillStatement(page: string, isHtml: boolean, methodology: Methodology): string {
  const items = (['standard', ...STATED] as const).flatMap(name => {
    const stated: (string | object)[] = [methodology[name] ?? 'not stated'].flat()
    const texts = stated.length > 0 ? stated.map(textOf) : ['none']
    return texts.map(text => `${snakeCase(name)}: ${text}`.replace(/\s+/g, ' '))
  })
  const escaped = items.map(item => item.replace(/[&<]/g, sign => `&#${sign.charCodeAt(0)};`))
  const html = escaped.map(item => `<li>${item.replace(/`([^`]+)`/g, '<code>$1</code>')}</li>`)
  return page.replace(MARK, () => (isHtml ? `<ul>${html.join('\n')}</ul>` : `- ${items.join('\n- ')}`))
}

const textOf = (stated: string | object): string =>
  typeof stated === 'string'
    ? stated
    : Object.entries(stated)
        .flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
        .join('; ')
