/** The static reference, generated from the route records. With JavaScript, browser/reference.ts replaces it. */
import { type DocumentNode, print } from 'graphql'
import type { DocumentedRoute } from '../routes/record'
import { TAGS } from '../routes/tags'
import { escapeHtml, renderMarkdown, type Section, tableOf } from './markdown'

/** A route of the reference. */
interface ReferenceRoute extends DocumentedRoute {
  /** The query that it executes. */
  document?: DocumentNode
}

export function reference(routes: ReferenceRoute[]): { html: string; sections: Section[] } {
  const groups = Object.entries(TAGS).map(([tag, description]) => ({
    tag,
    description,
    routes: routes.filter(route => route.tag === tag),
  }))
  const html = groups
    .map(
      ({ tag, description, routes }) =>
        `<h3 id="operations-tag-${tag}">${tag}</h3>\n<p>${escapeHtml(description)}</p>\n${routes.map(section).join('\n')}`,
    )
    .join('\n')
  return {
    html: `<section class="reference">
<h2 id="reference">Reference</h2>
<p>All routes. The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>. <span class="scripted">To send requests from this page,
choose Authorize and enter your API key. Your key stays in this page until you close or reload it. The example ids belong to the demo data.</span></p>
<div id="reference-ui"></div>
<div id="reference-text">
${html}
</div>
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

/** The id that Swagger UI gives to an operation. */
const idOf = ({ tag, operation }: DocumentedRoute): string => `operations-${tag}-${operation}`

function section(route: ReferenceRoute): string {
  const { html } = renderMarkdown(
    [route.description, route.scope ? `Requires the scope \`${route.scope}\`.` : '', parameters(route)].join('\n\n'),
  )
  return `<div class="operation" id="${idOf(route)}">
<h4>${escapeHtml(route.summary)}</h4>
<p><code>GET ${route.path}</code></p>
${html}
${route.document ? queryOf(route.document) : ''}
</div>`
}

const queryOf = (document: DocumentNode): string => {
  const query = print(document)
  return `<details class="query">
<summary>GraphQL query</summary>
<pre><code>${escapeHtml(query)}</code></pre>
<p><a href="/explorer#query=${encodeURIComponent(query)}">Open in the explorer</a></p>
</details>`
}

function parameters({ parameters }: DocumentedRoute): string {
  if (parameters.length === 0) return ''
  return tableOf(
    ['parameter', '', ''],
    parameters.map(({ name, required, description, schema }) => {
      const { enum: values, default: defaultValue } = schema as { enum?: string[]; default?: unknown }
      const choices = values ? ` One of ${values.map(value => `\`${value}\``).join(', ')}.` : ''
      const byDefault = defaultValue === undefined ? '' : ` Default: ${defaultValue}.`
      return [`\`${name}\``, required ? 'required' : 'optional', `${description}${choices}${byDefault}`]
    }),
  )
}
