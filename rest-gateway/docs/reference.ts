/**
 * The reference of the routes, made from their records: what each takes and what it is for. This is what is read without
 * JavaScript; with it, the browser puts in its place what it renders from /openapi.json (browser/main.ts).
 */
import type { Route } from '../routes/route'
import { TAGS } from '../routes/tags'
import { escapeHtml, renderMarkdown, type Section, tableOf } from './markdown'

/** The reference as HTML, with its sections. */
export function reference(routes: Route[]): { html: string; sections: Section[] } {
  const groups = Object.entries(TAGS).map(([tag, about]) => ({
    tag,
    about,
    of: routes.filter(route => route.tag === tag),
  }))
  const html = groups
    .map(
      ({ tag, about, of }) =>
        `<h3 id="operations-tag-${tag}">${tag}</h3>\n<p>${escapeHtml(about)}</p>\n${of.map(section).join('\n')}`,
    )
    .join('\n')
  return {
    html: `<section class="reference">
<h2 id="reference">Reference</h2>
<p>All routes, as <a href="/openapi.json">/openapi.json</a> tells them to programs. <span class="scripted">Authorize with a key, and send
requests from here: the ids are those of the demo, so put in yours with a key of your own. Your key is kept by this page alone, until you leave it.</span></p>
<div id="reference-ui"></div>
<div id="reference-text">
${html}
</div>
</section>`,
    sections: [
      {
        id: 'reference',
        title: 'Reference',
        within: groups.map(({ tag, of }) => ({
          id: `operations-tag-${tag}`,
          title: tag,
          within: of.map(route => ({ id: idOf(route), title: route.summary })),
        })),
      },
    ],
  }
}

/** As the renderer of the browser makes it. */
const idOf = ({ tag, operation }: Route): string => `operations-${tag}-${operation}`

function section(route: Route): string {
  const { html } = renderMarkdown(
    [route.description, route.scope ? `The key needs the scope \`${route.scope}\`.` : '', parameters(route)].join(
      '\n\n',
    ),
  )
  return `<div class="operation" id="${idOf(route)}">
<h4>${escapeHtml(route.summary)}</h4>
<p><code>GET ${route.path}</code></p>
${html}
</div>`
}

function parameters({ parameters }: Route): string {
  if (parameters.length === 0) return ''
  return tableOf(
    ['parameter', '', ''],
    parameters.map(({ name, required, description, schema }) => {
      const { enum: values, default: otherwise } = schema as { enum?: string[]; default?: unknown }
      const choices = values ? ` One of ${values.map(value => `\`${value}\``).join(', ')}.` : ''
      const usual = otherwise === undefined ? '' : ` Default ${otherwise}.`
      return [`\`${name}\``, required ? 'required' : 'optional', `${description}${choices}${usual}`]
    }),
  )
}
