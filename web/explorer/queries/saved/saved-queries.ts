/** Queries that the user has saved: in the browser, and as a file to share or to move to another browser. */
import { findView, type View } from '../../results/views'

export interface SavedQuery {
  name: string
  query: string
  variables: string
  view: View
}

const STORAGE_KEY = 'explorer:saved-queries'

const MAX_QUERIES = 500
const MAX_FILE_BYTES = 2_000_000

export function loadSavedQueries(): SavedQuery[] {
  try {
    return parseFile(localStorage.getItem(STORAGE_KEY) ?? formatFile([]))
  } catch {
    return []
  }
}

/** @throws Error with a message for the user if there is no room */
export function storeSavedQueries(queries: SavedQuery[]): void {
  if (queries.length > MAX_QUERIES) throw new Error(`At most ${MAX_QUERIES} queries can be saved: delete some first.`)
  try {
    localStorage.setItem(STORAGE_KEY, formatFile(queries))
  } catch {
    throw new Error('The browser has no room for more queries: export them to a file, and delete some.')
  }
}

/** Adds queries to others, sorted by name. One of the same name is replaced. */
export function mergeQueries(queries: SavedQuery[], added: SavedQuery[]): SavedQuery[] {
  const byName = new Map([...queries, ...added].map(query => [query.name, query]))
  return [...byName.values()].sort((a, b) => a.name.localeCompare(b.name))
}

export const formatFile = (queries: SavedQuery[]): string => `${JSON.stringify({ queries }, null, 2)}\n`

/** @throws Error with a message for the user who chose the file */
export function parseFile(text: string): SavedQuery[] {
  if (text.length > MAX_FILE_BYTES) throw new Error('The file is too large: exported queries have at most 2 MB.')
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new Error('The file is not JSON: choose one that “Export” wrote.')
  }
  const { queries } = (content ?? {}) as { queries?: unknown }
  if (!Array.isArray(queries)) throw new Error('The file has no list “queries”: choose one that “Export” wrote.')
  return queries.map((entry, i) => {
    const { name, query, variables = '', view } = (entry ?? {}) as Record<string, unknown>
    if (typeof name !== 'string' || name === '' || typeof query !== 'string' || typeof variables !== 'string')
      throw new Error(`Query ${i + 1} of the file needs a name, a query and variables, all of them text.`)
    return { name, query, variables, view: findView(view) ?? 'JSON' }
  })
}
