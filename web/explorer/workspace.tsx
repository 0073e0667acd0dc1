/** The workspace: queries to choose from, the query with its variables, and its result. */
import './styles/workspace.css'
import { DocExplorerStore } from '@graphiql/plugin-doc-explorer'
import { HistoryStore } from '@graphiql/plugin-history'
import { GraphiQLProvider, Tooltip } from '@graphiql/react'
import { TabFocus } from 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js'
import { useState } from 'react'
import { parseLink } from './editor/link'
import { QueryPane } from './editor/query-pane'
import { RunsContext, useRuns } from './editor/runs'
import type { KeyScope } from './graphql-client'
import { Header } from './layout/header'
import { Panes } from './layout/panes'
import { QUERY_LISTS, QueriesPane, REFERENCE } from './queries/queries-pane'
import { READY_QUERIES } from './queries/ready-queries'
import { ResultPane } from './results/result-pane'
import { type View, ViewContext } from './results/views'
import { ScopeContext } from './scope-context'

/** The files of Monaco's workers, which the build bundles. */
declare const WORKERS: { editor: string; json: string; graphql: string }

Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_: string, label: string) =>
      new Worker(label === 'json' ? WORKERS.json : label === 'graphql' ? WORKERS.graphql : WORKERS.editor),
  },
})

// The Tab key leaves an editor, so that the page can be used with the keyboard alone.
TabFocus.setTabFocusMode(true)

export interface WorkspaceProperties {
  apiKey: string
  scope: KeyScope
  onClose(): void
}

const DEFAULT_QUERY = READY_QUERIES[0]?.query

export function Workspace({ apiKey, scope, onClose }: WorkspaceProperties) {
  const [runs, properties] = useRuns(apiKey)
  const [opened] = useState(() => parseLink(location.hash))
  const [view, setView] = useState<View>(opened?.view ?? 'JSON')
  return (
    <ScopeContext value={{ ...scope, apiKey }}>
      <GraphiQLProvider
        {...properties}
        plugins={QUERY_LISTS}
        referencePlugin={REFERENCE}
        shouldPersistHeaders={false}
        {...(opened && { initialQuery: opened.query, initialVariables: opened.variables })}
        {...(DEFAULT_QUERY !== undefined && { defaultQuery: DEFAULT_QUERY })}
      >
        <HistoryStore>
          <DocExplorerStore>
            <Tooltip.Provider>
              <RunsContext value={runs}>
                <ViewContext value={{ view, setView }}>
                  <div className="graphiql-container column explorer">
                    <Header companies={scope.companies.map(({ name }) => name)} onClose={onClose} />
                    <Panes queries={<QueriesPane />} query={<QueryPane opened={opened} />} result={<ResultPane />} />
                  </div>
                </ViewContext>
              </RunsContext>
            </Tooltip.Provider>
          </DocExplorerStore>
        </HistoryStore>
      </GraphiQLProvider>
    </ScopeContext>
  )
}
