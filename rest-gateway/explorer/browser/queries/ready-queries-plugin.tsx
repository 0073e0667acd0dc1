/** A GraphiQL plugin that lists the ready queries. A click opens a query in a tab and runs it. */
import { type GraphiQLPlugin, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { createContext, useContext } from 'react'
import type { QueryDefaults } from './query-defaults'
import { READY_QUERIES } from './ready-queries'
import type { ReadyQuery } from './ready-query'

export const DefaultsContext = createContext<QueryDefaults>({ assetId: '', country: '', fromDate: '', toDate: '' })

function ReadyQueries() {
  const defaults = useContext(DefaultsContext)
  const { addTab, setOperationName, run } = useGraphiQLActions()
  const isLoaded = useGraphiQL(({ queryEditor, variableEditor }) => queryEditor && variableEditor && true)
  const editor = useGraphiQL(state => state)

  const open = ({ query, variables }: ReadyQuery) => {
    const current = editor.queryEditor?.getValue().trim() ?? ''
    // A query that the user has written stays in its tab. A ready query is replaced.
    if (current !== '' && !READY_QUERIES.some(ready => ready.query.trim() === current)) addTab()
    editor.queryEditor?.setValue(query)
    editor.variableEditor?.setValue(variables ? JSON.stringify(variables(defaults), null, 2) : '')
    setOperationName(/query (\w+)/.exec(query)?.[1] ?? '')
    run()
  }

  return (
    <section className="ready-queries" aria-label="Ready queries">
      <h2>Ready queries</h2>
      <ul>
        {READY_QUERIES.map(ready => (
          <li key={ready.title}>
            <button type="button" disabled={!isLoaded} onClick={() => open(ready)}>
              <strong>{ready.title}</strong>
              <span>{ready.description}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const BooksIcon = () => (
  <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d="M3 3v14M7.5 3v14M12 3.4l4.8 13.2M3 17h14" strokeLinecap="round" strokeLinejoin="round" />
  </svg>
)

export const READY_QUERIES_PLUGIN: GraphiQLPlugin = { title: 'Ready queries', icon: BooksIcon, content: ReadyQueries }
