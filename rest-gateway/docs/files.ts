/** The files of the documentation by path: pages, also as Markdown, styles, scripts and the OpenAPI document. */
import type { GraphQLSchema } from 'graphql'
import type { Gateway } from '../gateway'
import { readBundle } from '../pages/bundles'
import { htmlPage, IMMUTABLE, once, type PageFile, pageFile } from '../pages/page-file'
import type { Route } from '../record'
import { STYLESHEET } from './layout/stylesheet'
import { openApiFile } from './openapi-file'
import { markdownPath, PAGES } from './pages'
import type { Variables } from './texts'

const OPERATION = 'Documents'

interface Rendered {
  key: string
  files: Map<string, PageFile>
  /** The page for addresses that do not exist. */
  notFound: PageFile
  /** Returns the OpenAPI document of a service at an address. */
  openApi(url: string): string
}

let rendered: Rendered | undefined

/** Renders the documents once for all gateways of a process with the same day, since examples have dates, and contact. */
export function documentFiles(
  gateway: Gateway,
  schema: GraphQLSchema,
  routes: Route[],
): Pick<Rendered, 'files' | 'notFound'> {
  const { now, supportContact } = gateway
  const key = `${new Date(now()).toISOString().slice(0, 10)} ${supportContact}`
  if (rendered?.key !== key) rendered = { key, ...renderDocuments(schema, routes, { now: now(), supportContact }) }
  const { files, notFound, openApi } = rendered
  return { files: new Map([['/openapi.json', openApiFile(gateway, OPERATION, openApi)], ...files]), notFound }
}

/** Without a bundle, the pages have no scripts: no forms and no search. */
function renderDocuments(schema: GraphQLSchema, routes: Route[], variables: Variables): Omit<Rendered, 'key'> {
  const bundle = readBundle('docs').map(file => ({ ...file, path: `/docs/${file.name}` }))
  const scripts = bundle.filter(({ name }) => name.startsWith('main-')).map(({ path }) => path)
  const index = bundle.find(({ name }) => name.startsWith('search-'))?.path
  const documents = once(() => {
    // Loading what renders takes a tenth of the start of a service: the first document waits for it instead.
    const { createDocuments } = require('./texts') as typeof import('./texts')
    return createDocuments(schema, routes, variables, { scripts, index })
  })
  const file = (type: string, source: Parameters<typeof pageFile>[2], headers?: Record<string, string>) =>
    pageFile(OPERATION, type, source, headers)
  const files = new Map([
    ...PAGES.flatMap(({ path }) => [
      [path, htmlPage(OPERATION, () => documents().page(path))] as const,
      [markdownPath(path), file('text/markdown; charset=utf-8', () => documents().markdown(path))] as const,
    ]),
    ['/docs/search', htmlPage(OPERATION, () => documents().search())],
    ['/docs/changelog.atom', file('application/atom+xml; charset=utf-8', () => documents().changelogFeed())],
    ['/llms.txt', file('text/plain; charset=utf-8', () => documents().llms())],
    [STYLESHEET.path, file('.css', STYLESHEET.body, IMMUTABLE)],
    ...bundle.map(({ path, type, body }) => [path, file(type, body, IMMUTABLE)] as const),
  ])
  const notFound = htmlPage('NotFound', () => documents().notFound())
  return { files, notFound, openApi: url => documents().openApi(url) }
}
