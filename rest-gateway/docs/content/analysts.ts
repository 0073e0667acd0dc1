/** The page for analysts: analysts.md, with the query that each route executes. */
import { print } from 'graphql'
import { dateOf, dayNumber } from '../../../db/calendar/local-days'
import type { Route } from '../../record'
import { fillPlaceholders } from '../layout/markdown'
import { readDocument } from '../read-document'
import { anchorOf } from './reference'

/** Returns Markdown. @param now in milliseconds since 1970; dates in examples are relative to it */
export function analystsText(routes: Route[], now: number): string {
  const today = dayNumber(new Date(now).toISOString().slice(0, 10))
  return fillPlaceholders(readDocument('analysts.md'), {
    day: daysAgo => dateOf(today - Number(daysAgo)),
    queries: () => routes.map(section).join('\n\n'),
  })
}

function section(route: Route): string {
  const query = print(route.document)
  return `### ${route.summary} {#${route.operation}}

[\`GET ${route.path}\`](/docs#${anchorOf(route)})

<details>
<summary>GraphQL query</summary>

\`\`\`graphql
${query}
\`\`\`

[Open in the explorer](/explorer#query=${encodeURIComponent(query).replaceAll('(', '%28').replaceAll(')', '%29')})

</details>`
}
