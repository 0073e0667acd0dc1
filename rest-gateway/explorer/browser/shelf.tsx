/** The shelf: a list of ready queries; a click opens one in a tab and runs it. */
import { type GraphiQLPlugin, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { createContext, useContext } from 'react'
import { READY_QUERIES, type ReadyQuery } from './ready-queries'
import type { Sample } from './sample'

export const SampleContext = createContext<Sample>({ assetId: '', country: '', fromDate: '', toDate: '' })

function Shelf() {
  const sample = useContext(SampleContext)
  const { addTab, setOperationName, run } = useGraphiQLActions()
  const editors = useGraphiQL(({ queryEditor, variableEditor }) => queryEditor && variableEditor && true)
  const get = useGraphiQL(state => state)

  const open = ({ query, variables }: ReadyQuery) => {
    const written = get.queryEditor?.getValue().trim() ?? ''
    // What somebody wrote stays in its tab; what came from the shelf makes room.
    if (written !== '' && !READY_QUERIES.some(ready => ready.query.trim() === written)) addTab()
    get.queryEditor?.setValue(query)
    get.variableEditor?.setValue(variables ? JSON.stringify(variables(sample), null, 2) : '')
    setOperationName(/query (\w+)/.exec(query)?.[1] ?? '')
    run()
  }

  return (
    <section className="shelf" aria-label="Ready queries">
      <h2>Ready queries</h2>
      <ul>
        {READY_QUERIES.map(ready => (
          <li key={ready.title}>
            <button type="button" disabled={!editors} onClick={() => open(ready)}>
              <strong>{ready.title}</strong>
              <span>{ready.sentence}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const ShelfIcon = () => (
  <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d="M3 3v14M7.5 3v14M12 3.4l4.8 13.2M3 17h14" strokeLinecap="round" strokeLinejoin="round" />
  </svg>
)

export const SHELF: GraphiQLPlugin = { title: 'Ready queries', icon: ShelfIcon, content: Shelf }
