/** GraphiQL, with the list of ready queries, the companies in scope, and the result pane. */
import { HISTORY_PLUGIN } from '@graphiql/plugin-history'
import type { Fetcher } from '@graphiql/toolkit'
import { GraphiQL } from 'graphiql'
import { useMemo } from 'react'
import { execute, type GraphqlRequest, type KeyScope } from './graphql-client'
import { READY_QUERIES } from './queries/ready-queries'
import { DefaultsContext, READY_QUERIES_PLUGIN } from './queries/ready-queries-plugin'
import { ResultPane } from './results/result-pane'

interface Properties {
  apiKey: string
  scope: KeyScope
  onClose(): void
}

const PLUGINS = [READY_QUERIES_PLUGIN, HISTORY_PLUGIN]

/** Initial pane sizes. GraphiQL stores its own once the user has dragged a divider. */
const PANE_SIZES = { 'graphiql:docExplorerFlex': '0.24', 'graphiql:editorFlex': '0.85' }
for (const [name, size] of Object.entries(PANE_SIZES)) {
  if (localStorage.getItem(name) === null) localStorage.setItem(name, size)
}

/** The query of a link from the documentation. */
const LINKED_QUERY = new URLSearchParams(location.hash.slice(1)).get('query')

const DEFAULT_QUERY = READY_QUERIES[0]?.query

export function Workspace({ apiKey, scope, onClose }: Properties) {
  const fetcher: Fetcher = useMemo(() => request => execute(apiKey, request as GraphqlRequest) as never, [apiKey])
  return (
    <DefaultsContext value={scope.defaults}>
      <GraphiQL
        fetcher={fetcher}
        plugins={PLUGINS}
        visiblePlugin={READY_QUERIES_PLUGIN}
        isHeadersEditorEnabled={false}
        shouldPersistHeaders={false}
        defaultEditorToolsVisibility="variables"
        {...(LINKED_QUERY !== null && { initialQuery: LINKED_QUERY })}
        {...(DEFAULT_QUERY !== undefined && { defaultQuery: DEFAULT_QUERY })}
      >
        <GraphiQL.Logo>
          <Companies names={scope.companies} onClose={onClose} />
        </GraphiQL.Logo>
        <GraphiQL.Footer>
          <ResultPane />
        </GraphiQL.Footer>
      </GraphiQL>
    </DefaultsContext>
  )
}

const MAX_NAMES = 3

function Companies({ names, onClose }: { names: string[]; onClose(): void }) {
  const more = names.length - MAX_NAMES
  const text = `Data of ${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return (
    <div className="companies">
      <span title={names.join('\n')}>{names.length === 0 ? 'This key has no companies' : text}</span>
      <button type="button" onClick={onClose}>
        Change key
      </button>
    </div>
  )
}
