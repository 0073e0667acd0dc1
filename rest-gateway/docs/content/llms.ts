/** The index of the documentation for assistants, as llmstxt.org describes it. */
import { markdownPath, PAGES } from '../pages'

/** Returns Markdown. */
export const llmsText = (): string => `# partner-metrics

> Audience measurement of physical advertising assets: impressions, demographics and sensors over a read-only REST API.

Send an API key in the header X-API-Key. All routes are described in [/openapi.json](/openapi.json).

## Pages

${PAGES.map(({ path, name, about }) => `- [${name}](${markdownPath(path)}): ${about}`).join('\n')}
`
