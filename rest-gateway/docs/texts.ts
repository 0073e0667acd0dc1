/** Renders the documents: the texts of all pages, as HTML and as Markdown, and what is made of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GraphQLSchema } from 'graphql'
import { listServers, openApi } from '../openapi/openapi'
import { once } from '../pages/page-file'
import type { Route } from '../record'
import { analystsText } from './content/analysts'
import { changelogFeed } from './content/changelog-feed'
import { errorsText } from './content/errors'
import { guideText } from './content/guide'
import { methodologyText } from './content/methodology'
import { migrationText } from './content/migration'
import type { OpenApi } from './content/reference'
import { fillPlaceholders, plainMarkdown } from './layout/markdown'
import { renderPage } from './layout/page'
import { markdownPath, PAGES, type PagePath } from './pages'
import { readDocument } from './read-document'
import { searchText } from './search/entries'

/** In the root of the project, and in the root of the build. */
const CHANGELOG = join(__dirname, '..', '..', 'CHANGELOG.md')

/** The parts of pages that are not known at build time. */
export interface Variables {
  /** In milliseconds since 1970; dates in examples are relative to it. */
  now: number
  supportContact?: string | undefined
}

/** The paths of the files that the build made for the pages. */
export interface Bundle {
  scripts: string[]
  /** The index of the search. */
  index?: string | undefined
}

/** Returns functions that render the documents. */
export function createDocuments(schema: GraphQLSchema, routes: Route[], variables: Variables, bundle: Bundle) {
  const { scripts, index } = bundle
  const document = once(() => openApi(schema, routes) as OpenApi)
  const texts = once(() => pageTexts(schema, routes, document(), variables))
  return {
    openApi: (url: string) => JSON.stringify({ ...document(), servers: listServers(url) }),
    page: (path: PagePath) => renderPage({ path, text: texts()[path], scripts }),
    markdown: (path: PagePath) => plainMarkdown(texts()[path]),
    search: () => renderPage({ path: '/docs/search', text: searchText(texts(), index), scripts }),
    notFound: () => renderPage({ path: '', text: searchText(texts(), index, false), scripts }),
    changelogFeed: () => changelogFeed(texts()['/docs/changelog']),
    llms: llmsText,
  }
}

/** Returns the Markdown of all pages. */
export function pageTexts(
  schema: GraphQLSchema,
  routes: Route[],
  document: OpenApi,
  { now, supportContact }: Variables,
): Record<PagePath, string> {
  const day = (daysAgo: string) => new Date(now - Number(daysAgo) * 86_400_000).toISOString().slice(0, 10)
  return {
    '/docs': guideText(schema, routes, document, now),
    '/docs/errors': errorsText(),
    '/docs/methodology': methodologyText(),
    '/docs/migration': migrationText(),
    '/docs/changelog': readFileSync(CHANGELOG, 'utf8'),
    '/docs/policy': policyText(supportContact),
    '/docs/analysts': analystsText(routes, now),
    '/docs/copies': readDocument('copies.md'),
    '/docs/changed-numbers': fillPlaceholders(readDocument('changed-numbers.md'), {
      day,
    }),
    '/docs/assistants': readDocument('assistants.md'),
    '/docs/clients': readDocument('clients.md'),
    '/docs/not-offered': readDocument('not-offered.md'),
    '/docs/spreadsheets': fillPlaceholders(readDocument('spreadsheets.md'), { day }),
    '/docs/operations': readDocument('operations.md'),
  }
}

/** The index of the documentation for assistants, as llmstxt.org describes it. */
const llmsText = (): string => `# partner-metrics

> Audience measurement of physical advertising assets: impressions, demographics and sensors over a read-only REST API.

Send an API key in the header X-API-Key. All routes are described in [/openapi.json](/openapi.json). Totals of days up to a company's final_through in /v1/partner/meta are final; later days
are provisional and may be restated.

## Pages

${PAGES.map(({ path, name, about }) => `- [${name}](${markdownPath(path)}): ${about}`).join('\n')}
`

/** The policy page. @param contact of the operator, an e-mail address or a URL */
const policyText = (contact?: string): string =>
  fillPlaceholders(readDocument('policy.md'), { contact: () => link(contact) })

function link(contact?: string): string {
  if (!contact) return 'the operator who issued your key'
  return contact.includes('://') ? `<${contact}>` : `[${contact}](mailto:${contact})`
}
