/** The pages of the documentation, in the order of the navigation, by the people that they are for. */

export const PAGES = [
  { path: '/docs', name: 'Guide', readers: 'Partners', about: 'First requests, and how to read the data' },
  { path: '/docs/reference', name: 'Reference', readers: 'Partners', about: 'Each route, its parameters and fields' },
  { path: '/docs/buyers', name: 'For buyers', readers: 'Partners', about: 'Each figure in the words of buyers' },
  { path: '/docs/clients', name: 'Clients', readers: 'Partners', about: 'Copies, libraries, spreadsheets, GraphQL' },
  { path: '/docs/errors', name: 'Errors', readers: 'Partners', about: 'Each error code, its cause and its remedy' },
  { path: '/docs/methodology', name: 'Methodology', readers: 'Partners', about: 'What is counted; why numbers change' },
  { path: '/docs/migration', name: 'Migration', readers: 'Partners', about: 'From the legacy API to the partner API' },
  { path: '/docs/policy', name: 'Policy', readers: 'Partners', about: 'What may change, and what is not offered' },
  { path: '/docs/changelog', name: 'Changelog', readers: 'Partners', about: 'Changes by version' },
  { path: '/docs/install', name: 'Install', readers: 'Operators', about: 'From a bare machine to a service; settings' },
  { path: '/docs/database', name: 'Database', readers: 'Operators', about: 'PostgreSQL, its logins, replicas and TLS' },
  { path: '/docs/running', name: 'Running', readers: 'Operators', about: 'Start, watch and mend it; alerts, security' },
  { path: '/docs/maintenance', name: 'Maintenance', readers: 'Operators', about: 'Keys, backups, care of the data' },
  { path: '/docs/import', name: 'Import', readers: 'Operators', about: 'Counts and records from files as they come' },
]

/** Returns the path of a page as Markdown, which is also that of its source in docs/. */
export const markdownPath = path => `${path === '/docs' ? '/docs/guide' : path}.md`

export const HOME = `# partner-metrics

Measurement of physical advertising assets: impressions, demographics and sensors.

- **Partners**: the [guide](/docs) leads to the first request with your API key; the [reference](/docs/reference) has all routes.
- **Analysts**: the [explorer](/explorer) answers questions about all assets of your key, and runs GraphQL queries.
- **Operators**: [install](/docs/install) and [run](/docs/running) the service, [care for its data](/docs/maintenance), and [import files](/docs/import).
`

/** Returns links to all pages. @param pathOf returns the path to link to */
const list = pathOf => PAGES.map(({ path, name, about }) => `- [${name}](${pathOf(path)}): ${about}`).join('\n')

const CONTENTS = list(path => path)

export const SEARCH = `# Search\n\n<div id="results">\n\n${CONTENTS}\n\n</div>\n`

export const TRY_IT = `# Try it

Requests are sent from this page, with the API key that you enter under **Authorize**.

## Routes

<div id="try">Loading …</div>
`

export const NOT_FOUND = `# Page not found\n\nThere is no page at this address. [Search](/docs/search), or choose a page:\n\n${CONTENTS}\n`

/** The index for assistants, as llmstxt.org describes it. */
export const LLMS = `# partner-metrics

> Measurement of physical advertising assets: impressions, demographics and sensors over a read-only REST API.

Send an API key in the header X-API-Key. All routes are described in [/openapi.json](/openapi.json).

## Pages

${list(markdownPath)}
`
