/** The workspace: queries to choose from, the query with its variables, and its result. */
import './monaco'
import './styles/workspace.css'
import { DocExplorerStore } from '@graphiql/plugin-doc-explorer'
import { HistoryStore } from '@graphiql/plugin-history'
import { GraphiQLProvider, Tooltip } from '@graphiql/react'
import type { Fetcher } from '@graphiql/toolkit'
import { useMemo } from 'react'
import { QueryPane } from './editor/query-pane'
import { execute, type GraphqlRequest, type KeyScope } from './graphql-client'
import { Header } from './layout/header'
import { Panes } from './layout/panes'
import { QUERY_LISTS, QueriesPane, REFERENCE } from './queries/queries-pane'
import { READY_QUERIES } from './queries/ready-queries'
import { ResultPane } from './results/result-pane'
import { ScopeContext } from './scope-context'

export interface WorkspaceProperties {
  apiKey: string
  scope: KeyScope
  onClose(): void
}

const DEFAULT_QUERY = READY_QUERIES[0]?.query

export function Workspace({ apiKey, scope, onClose }: WorkspaceProperties) {
  const fetcher: Fetcher = useMemo(() => request => execute(apiKey, request as GraphqlRequest) as never, [apiKey])
  return (
    <ScopeContext value={{ ...scope, apiKey }}>
      <GraphiQLProvider
        fetcher={fetcher}
        plugins={QUERY_LISTS}
        referencePlugin={REFERENCE}
        shouldPersistHeaders={false}
        {...(DEFAULT_QUERY !== undefined && { defaultQuery: DEFAULT_QUERY })}
      >
        <HistoryStore>
          <DocExplorerStore>
            <Tooltip.Provider>
              <div className="graphiql-container explorer">
                <Header companies={scope.companies} onClose={onClose} />
                <Panes queries={<QueriesPane />} query={<QueryPane />} result={<ResultPane />} />
              </div>
            </Tooltip.Provider>
          </DocExplorerStore>
        </HistoryStore>
      </GraphiQLProvider>
    </ScopeContext>
  )
}
