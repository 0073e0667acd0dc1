/** The files of the documentation by path: pages, styles, scripts and the OpenAPI document. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GraphQLSchema } from 'graphql'
import type { Gateway } from '../gateway'
import { openApi } from '../openapi/openapi'
import { readBundle } from '../pages/bundles'
import { htmlPage, IMMUTABLE, type PageFile, pageFile } from '../pages/page-file'
import type { Route } from '../routes/record'
import { guidePage } from './guide'
import { migrationPage } from './migration'
import { renderPage, STYLESHEET } from './page'
import type { OpenApi } from './reference'

/** In the root of the project, and in the root of the build. */
const CHANGELOG = join(__dirname, '..', '..', 'CHANGELOG.md')

const OPERATIONS = join(__dirname, 'operations.md')

const ASSISTANTS = join(__dirname, 'assistants.md')

const COPIES = join(__dirname, 'copies.md')

const OPERATION = 'Documents'

interface Rendered {
  day: string
  files: Map<string, PageFile>
}

let rendered: Rendered | undefined

/** Renders the documents once for all gateways of a process. Only the day is different: examples have dates. */
export function documentFiles({ now }: Gateway, schema: GraphQLSchema, routes: Route[]): Map<string, PageFile> {
  const day = new Date(now()).toISOString().slice(0, 10)
  if (rendered?.day !== day) rendered = { day, files: renderFiles(schema, routes, now()) }
  return rendered.files
}

/** Without a bundle, the reference has no forms. */
function renderFiles(schema: GraphQLSchema, routes: Route[], now: number): Map<string, PageFile> {
  const bundle = readBundle('docs').map(file => ({ ...file, path: `/docs/${file.name}` }))
  const scripts = bundle.filter(({ type }) => type === '.js').map(({ path }) => path)
  const file = (type: string, body: string | Buffer, headers?: Record<string, string>) =>
    pageFile(OPERATION, type, body, headers)
  const page = (html: string) => htmlPage(OPERATION, html)
  const document = openApi(schema, routes) as OpenApi
  const guide = guidePage(schema, routes, document, scripts, now)
  return new Map([
    ['/openapi.json', file('.json', JSON.stringify(document))],
    ['/docs', page(guide)],
    ['/docs/migration', page(migrationPage())],
    ['/docs/changelog', page(renderPage({ path: '/docs/changelog', text: readFileSync(CHANGELOG, 'utf8') }))],
    ['/docs/operations', page(renderPage({ path: '/docs/operations', text: readFileSync(OPERATIONS, 'utf8') }))],
    ['/docs/assistants', page(renderPage({ path: '/docs/assistants', text: readFileSync(ASSISTANTS, 'utf8') }))],
    ['/docs/copies', page(renderPage({ path: '/docs/copies', text: readFileSync(COPIES, 'utf8') }))],
    [STYLESHEET.path, file('.css', STYLESHEET.body, IMMUTABLE)],
    ...bundle.map(({ path, type, body }) => [path, file(type, body, IMMUTABLE)] as const),
  ])
}
