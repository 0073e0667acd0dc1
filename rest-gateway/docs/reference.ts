/** The reference of the routes, made from their records: what each takes, what it can answer, and the query that it runs. */
import { print } from 'graphql'
import { ERRORS } from '../../schema/errors'
import { legacyName } from '../error-boundary'
import { LEGACY } from '../legacy'
import { errorsOf } from '../openapi'
import { EVERYWHERE } from '../openapi-errors'
import type { Parameter } from '../params'
import type { Route } from '../route'
import { contentsOf, escapeHtml, renderPage } from './page'

const INTRODUCTION = `# Reference

Every route is a \`GET\` with your key in the header \`X-API-Key\`, and answers JSON. The same as a document for tools:
[/openapi.json](/openapi.json). Moving from the legacy interface:
[/docs/migration](/docs/migration). What has changed: [/docs/changelog](/docs/changelog).

Any of them can answer {{everywhere}}. What it can answer besides stands with it.

Each route runs one fixed query on the GraphQL schema, which is shown with it. Analysts may run it, or change it, at
\`/graphql\`.

{{contents}}
`

/** The page as HTML. */
export function referencePage(routes: Route[]): string {
  const everywhere = EVERYWHERE.map(code => `\`${code}\` ${ERRORS[code].status}`).join(', ')
  const text = [INTRODUCTION.replace('{{everywhere}}', everywhere), ...routes.map(section)].join('\n')
  return renderPage(text, { contents: () => contentsOf(text) })
}

function section(route: Route): string {
  const legacy = route.path.startsWith(LEGACY)
  const errors = errorsOf(route)
    .filter(code => !EVERYWHERE.includes(code))
    .map(code => `\`${legacy ? legacyName(code) : code}\` ${ERRORS[code].status}`)
  return `## ${route.summary}

\`GET ${route.path}\`

${route.parameters.length > 0 ? table(route.parameters) : ''}

${route.scope ? `The key needs the scope \`${route.scope}\`.` : ''}

${errors.length > 0 ? `Errors: ${[...new Set(errors)].join(', ')}.` : ''}

<details><summary>The query that it runs: <code>${route.operation}</code></summary><pre><code>${escapeHtml(
    print(route.document),
  ).replaceAll('\n\n', '\n')}</code></pre></details>
`
}

const table = (parameters: Parameter[]): string =>
  [
    '| parameter | | |',
    '|---|---|---|',
    ...parameters.map(({ name, required, description, schema }) => {
      const { enum: values, default: otherwise } = schema as { enum?: string[]; default?: unknown }
      const choices = values ? ` One of ${values.map(value => `\`${value}\``).join(', ')}.` : ''
      const usual = otherwise === undefined ? '' : ` Default ${otherwise}.`
      return `| \`${name}\` | ${required ? 'required' : 'optional'} | ${description}${choices}${usual} |`
    }),
  ].join('\n')
