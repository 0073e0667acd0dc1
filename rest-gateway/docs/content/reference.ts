/** The reference, generated from the route records. With JavaScript, browser/try-out.ts adds forms that send requests. */
import { type DocumentNode, print } from 'graphql'
import type { Components } from '../openapi/json-schema'
import type { JsonSchema } from '../routes/envelopes'
import type { DocumentedRoute } from '../routes/record'
import { TAGS } from '../routes/tags'
import { EXAMPLES } from './examples'
import { escapeHtml, jsonBlock, renderMarkdown, renderTable, type Section } from './markdown'
import { fieldsTable } from './response-fields'

/** The part of the OpenAPI document that the reference shows. */
export interface OpenApi {
  paths: Record<string, PathItem>
  components: { schemas: Components }
}

interface PathItem {
  get: { responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }> }
}

/** A route of the reference. */
interface ReferenceRoute extends DocumentedRoute {
  /** The query that it executes. */
  document?: DocumentNode
}

/** @param document the OpenAPI document of the routes */
export function reference(routes: ReferenceRoute[], document: OpenApi): { html: string; sections: Section[] } {
  const groups = Object.entries(TAGS).map(([tag, description]) => ({
    tag,
    description,
    routes: routes.filter(route => route.tag === tag),
  }))
  const html = groups
    .map(
      ({ tag, description, routes }) =>
        `<h3 id="operations-tag-${tag}">${tag}</h3>\n<p>${escapeHtml(description)}</p>\n${routes.map(route => section(route, document)).join('\n')}`,
    )
    .join('\n')
  return {
    html: `<section class="reference">
<h2 id="reference">Reference</h2>
<p>All routes. The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>. <span class="scripted">To send requests from this page,
enter your API key. It stays in this page until you close or reload it. The example ids belong to the demo data.</span></p>
<p class="scripted"><label>API key <input id="reference-key" autocomplete="off" spellcheck="false"></label></p>
${html}
</section>`,
    sections: [
      {
        id: 'reference',
        title: 'Reference',
        children: groups.map(({ tag, routes }) => ({
          id: `operations-tag-${tag}`,
          title: tag,
          children: routes.map(route => ({ id: idOf(route), title: route.summary })),
        })),
      },
    ],
  }
}

/** Its form is added to the element with this id. */
const idOf = ({ tag, operation }: DocumentedRoute): string => `operations-${tag}-${operation}`

function section(route: ReferenceRoute, document: OpenApi): string {
  const { html } = renderMarkdown(
    [route.description, route.scope ? `Requires the scope \`${route.scope}\`.` : '', parameters(route)].join('\n\n'),
  )
  return `<div class="operation" id="${idOf(route)}">
<h4>${escapeHtml(route.summary)}</h4>
<p><code>GET ${route.path}</code></p>
${html}
${renderResponse(route, document)}
${route.document ? renderQuery(route.document) : ''}
</div>`
}

function renderResponse({ path, operation }: ReferenceRoute, { paths, components }: OpenApi): string {
  const { responses } = (paths[path] as PathItem).get
  const schema = responses[200]?.content?.['application/json']?.schema
  if (!schema) return ''
  const [example] = Object.values(EXAMPLES.responses[operation] ?? {})
  const blocks = [fieldsTable(schema, components.schemas), ...(example ? [jsonBlock(example.value)] : [])]
  return `<details>
<summary>Response</summary>
${renderMarkdown(blocks.join('\n\n')).html}
</details>`
}

const renderQuery = (document: DocumentNode): string => {
  const query = print(document)
  return `<details>
<summary>GraphQL query</summary>
<pre><code>${escapeHtml(query)}</code></pre>
<p><a href="/explorer#query=${encodeURIComponent(query)}">Open in the explorer</a></p>
</details>`
}

function parameters({ parameters }: DocumentedRoute): string {
  if (parameters.length === 0) return ''
  return renderTable(
    ['parameter', '', ''],
    parameters.map(({ name, required, description, schema }) => {
      const { enum: values, default: defaultValue } = schema as { enum?: string[]; default?: unknown }
      const choices = values ? ` One of ${values.map(value => `\`${value}\``).join(', ')}.` : ''
      const byDefault = defaultValue === undefined ? '' : ` Default: ${defaultValue}.`
      return [`\`${name}\``, required ? 'required' : 'optional', `${description}${choices}${byDefault}`]
    }),
  )
}
