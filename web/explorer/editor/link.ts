/**
 * Links to a query. They are in the fragment of the address, which browsers do not send to servers: `query`, `variables` (JSON)
 * and `view`.
 */
import { findView, type View } from '../results/views'

export interface Link {
  query: string
  /** Empty, or JSON as the user wrote it. */
  variables: string
  /** Without a view, the query is shown, but does not run. */
  view: View | undefined
}

/** Returns the link in the fragment of an address; undefined if it has no query. */
export function parseLink(fragment: string): Link | undefined {
  const values = new URLSearchParams(fragment.replace(/^#/, ''))
  const query = values.get('query')
  if (query === null) return undefined
  return { query, variables: values.get('variables') ?? '', view: findView(values.get('view')) }
}

/** Returns a link as the fragment of an address. */
export function formatLink({ query, variables, view }: Link): string {
  const values = new URLSearchParams({ query })
  if (variables.trim() !== '') values.set('variables', variables)
  if (view) values.set('view', view.toLowerCase())
  return `#${values}`
}
