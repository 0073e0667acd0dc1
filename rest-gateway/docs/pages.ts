/** The pages of the documentation, in the order of the navigation, by the people that they are for. */

interface DocumentedPage {
  path: string
  /** As links to it are named. */
  name: string
  readers: 'Partners' | 'Analysts' | 'Operators'
  /** One sentence for the index of pages. */
  about: string
}

export const PAGES = [
  {
    path: '/docs',
    name: 'Guide',
    readers: 'Partners',
    about: 'First requests, a nightly copy, and the reference of all routes',
  },
  {
    path: '/docs/copies',
    name: 'Copies',
    readers: 'Partners',
    about: 'The command and the library that keep a copy of the data',
  },
  {
    path: '/docs/spreadsheets',
    name: 'Spreadsheets',
    readers: 'Partners',
    about: 'Excel, Google Sheets and Power Query: encoding, formulas, decimals, the key, and refresh',
  },
  {
    path: '/docs/clients',
    name: 'Clients',
    readers: 'Partners',
    about: 'Generated clients: what a generator has to know, with zod and in other languages',
  },
  {
    path: '/docs/assistants',
    name: 'Assistants',
    readers: 'Partners',
    about: 'The routes as tools of AI assistants, by the Model Context Protocol',
  },
  {
    path: '/docs/changed-numbers',
    name: 'Changed numbers',
    readers: 'Partners',
    about: 'Whether a day is final, what a number was before, why it changed, and why it is missing',
  },
  { path: '/docs/errors', name: 'Errors', readers: 'Partners', about: 'Each error code with its cause and its remedy' },
  {
    path: '/docs/methodology',
    name: 'Methodology',
    readers: 'Partners',
    about: 'How impressions are measured, and what they are not',
  },
  { path: '/docs/migration', name: 'Migration', readers: 'Partners', about: 'From the legacy API to the partner API' },
  {
    path: '/docs/not-offered',
    name: 'Not offered',
    readers: 'Partners',
    about: 'What there is not, such as webhooks and a sandbox, and what to use instead',
  },
  { path: '/docs/changelog', name: 'Changelog', readers: 'Partners', about: 'Changes by date, also as a feed' },
  {
    path: '/docs/policy',
    name: 'Policy',
    readers: 'Partners',
    about: 'Versions, notice before changes, and whom to ask',
  },
  {
    path: '/docs/analysts',
    name: 'Analysts',
    readers: 'Analysts',
    about: 'GraphQL, the explorer, and the query of each route',
  },
  {
    path: '/docs/operations',
    name: 'Operations',
    readers: 'Operators',
    about: 'Settings, database, imports, monitoring, and troubleshooting',
  },
] as const satisfies readonly DocumentedPage[]

export type PagePath = (typeof PAGES)[number]['path']

/** Returns the path of a page as Markdown. */
export const markdownPath = (path: string): string => `${path === '/docs' ? '/docs/guide' : path}.md`
