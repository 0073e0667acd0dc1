/** The files of the documentation by path: pages, also as Markdown, styles, scripts and the OpenAPI document. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GraphQLSchema } from 'graphql'
import type { Gateway } from '../gateway'
import { openApi } from '../openapi/openapi'
import { readBundle } from '../pages/bundles'
import { htmlPage, IMMUTABLE, once, type PageFile, pageFile } from '../pages/page-file'
import type { Route } from '../routes/record'
import { analystsText } from './content/analysts'
import { changelogFeed } from './content/changelog-feed'
import { errorsText } from './content/errors'
import { guideText } from './content/guide'
import { llmsText } from './content/llms'
import { methodologyText } from './content/methodology'
import { migrationText } from './content/migration'
import { policyText } from './content/policy'
import type { OpenApi } from './content/reference'
import { searchText } from './content/search'
import { plainMarkdown } from './layout/markdown'
import { renderPage, STYLESHEET } from './layout/page'
import { markdownPath, PAGES, type PagePath } from './pages'

/** In the root of the project, and in the root of the build. */
const CHANGELOG = join(__dirname, '..', '..', 'CHANGELOG.md')

const OPERATION = 'Documents'

interface Rendered {
  key: string
  files: Map<string, PageFile>
}

let rendered: Rendered | undefined

/** Renders the documents once for all gateways of a process with the same day, since examples have dates, and contact. */
export function documentFiles(
  { now, supportContact }: Gateway,
  schema: GraphQLSchema,
  routes: Route[],
): Map<string, PageFile> {
  const key = `${new Date(now()).toISOString().slice(0, 10)} ${supportContact}`
  if (rendered?.key !== key) rendered = { key, files: renderFiles(schema, routes, { now: now(), supportContact }) }
  return rendered.files
}

/** Without a bundle, the pages have no scripts: no forms and no search. */
function renderFiles(schema: GraphQLSchema, routes: Route[], variables: Variables): Map<string, PageFile> {
  const bundle = readBundle('docs').map(file => ({ ...file, path: `/docs/${file.name}` }))
  const scripts = bundle.filter(({ name }) => name.startsWith('main-')).map(({ path }) => path)
  const index = bundle.find(({ name }) => name.startsWith('search-'))?.path
  const document = once(() => openApi(schema, routes) as OpenApi)
  const texts = once(() => pageTexts(schema, routes, document(), variables))
  const file = (type: string, source: Parameters<typeof pageFile>[2], headers?: Record<string, string>) =>
    pageFile(OPERATION, type, source, headers)
  return new Map([
    ['/openapi.json', file('.json', () => JSON.stringify(document()))],
    ...PAGES.flatMap(({ path }) => [
      [path, htmlPage(OPERATION, () => renderPage({ path, text: texts()[path], scripts }))] as const,
      [markdownPath(path), file('text/markdown; charset=utf-8', () => plainMarkdown(texts()[path]))] as const,
    ]),
    [
      '/docs/search',
      htmlPage(OPERATION, () => renderPage({ path: '/docs/search', text: searchText(texts(), index), scripts })),
    ],
    [
      '/docs/changelog.atom',
      file('application/atom+xml; charset=utf-8', () => changelogFeed(texts()['/docs/changelog'])),
    ],
    ['/llms.txt', file('text/plain; charset=utf-8', llmsText)],
    [STYLESHEET.path, file('.css', STYLESHEET.body, IMMUTABLE)],
    ...bundle.map(({ path, type, body }) => [path, file(type, body, IMMUTABLE)] as const),
  ])
}

/** The parts of pages that are not known at build time. */
interface Variables {
  /** In milliseconds since 1970; dates in examples are relative to it. */
  now: number
  supportContact?: string | undefined
}

/** Returns the Markdown of all pages. */
export function pageTexts(
  schema: GraphQLSchema,
  routes: Route[],
  document: OpenApi,
  { now, supportContact }: Variables,
): Record<PagePath, string> {
  return {
    '/docs': guideText(schema, routes, document, now),
    '/docs/errors': errorsText(),
    '/docs/methodology': methodologyText(),
    '/docs/migration': migrationText(),
    '/docs/changelog': readFileSync(CHANGELOG, 'utf8'),
    '/docs/policy': policyText(supportContact),
    '/docs/analysts': analystsText(routes, now),
    '/docs/copies': read('copies.md'),
    '/docs/assistants': read('assistants.md'),
    '/docs/operations': read('operations.md'),
  }
}

const read = (name: string): string => readFileSync(join(__dirname, name), 'utf8')
