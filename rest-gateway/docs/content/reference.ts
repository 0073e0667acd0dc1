/** The reference, generated from the route records. With JavaScript, web/docs/try-out.ts adds forms that send requests. */

import type { DocumentedRoute, JsonSchema } from '../../record'
import { TAGS } from '../../record'
import type { Components } from '../../shape/data-schema'
import { escapeHtml } from '../layout/escape-html'
import { jsonBlock, renderTable } from '../layout/markdown'
import { fieldsTable, nameType } from './response-fields'

/** The part of the OpenAPI document that the reference shows. */
export interface OpenApi {
  paths: Record<string, PathItem>
  components: { schemas: Components }
}

interface PathItem {
  get: { responses: Record<string, { content?: Record<string, { schema: JsonSchema; example?: unknown }> }> }
}

/** Returns Markdown. @param document the OpenAPI document of the routes */
export function reference(routes: DocumentedRoute[], document: OpenApi): string {
  const groups = Object.entries(TAGS).map(([tag, description]) => {
    const sections = routes.filter(route => route.tag === tag).map(route => section(route, document))
    return `### ${tag} {#operations-tag-${tag}}\n\n${description}\n\n${sections.join('\n\n')}`
  })
  return `<section class="reference">

## Reference {#reference}

All routes. The OpenAPI document is at [/openapi.json](/openapi.json).

${groups.join('\n\n')}

</section>`
}

/** Returns the anchor of a route. */
export const anchorOf = ({ tag, operation }: DocumentedRoute): string => `operations-${tag}-${operation}`

/** The form is added to the element with the parameters. */
function section(route: DocumentedRoute, document: OpenApi): string {
  return `<div class="operation" data-path="${route.path}" data-parameters="${escapeHtml(formParameters(route))}">

#### ${route.summary} {#${anchorOf(route)}}

\`GET ${route.path}\`

${route.description}

${route.scope ? `Requires the scope \`${route.scope}\`.` : ''}

${parameters(route)}

${renderResponse(route, document)}

</div>`
}

const formParameters = ({ parameters }: DocumentedRoute): string =>
  JSON.stringify(
    parameters.map(({ name, in: location, required, schema, example }) => {
      const { format, enum: choices } = schema as { format?: string; enum?: string[] }
      return { name, in: location, required, format, choices, example }
    }),
  )

function renderResponse({ path }: DocumentedRoute, { paths, components }: OpenApi): string {
  const { responses } = paths[path]!.get
  const content = responses[200]?.content?.['application/json']
  if (!content) return ''
  return `<details>
<summary>Response</summary>

${fieldsTable(content.schema, components.schemas)}

${jsonBlock(content.example)}

</details>`
}

function parameters({ parameters }: DocumentedRoute): string {
  if (parameters.length === 0) return ''
  return renderTable(
    ['parameter', 'type', 'presence', 'meaning'],
    parameters.map(({ name, required, description, schema }) => {
      const { enum: values, default: defaultValue } = schema as { enum?: string[]; default?: unknown }
      const choices = values ? ` One of ${values.map(value => `\`${value}\``).join(', ')}.` : ''
      const byDefault = defaultValue === undefined ? '' : ` Default: ${defaultValue}.`
      return [
        `\`${name}\``,
        nameType(schema as JsonSchema),
        required ? 'required' : 'optional',
        `${description}${choices}${byDefault}`,
      ]
    }),
  )
}
