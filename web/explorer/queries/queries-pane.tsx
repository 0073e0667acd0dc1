/** Lists of queries to open, and the reference of the schema. */
import { DOC_EXPLORER_PLUGIN } from '@graphiql/plugin-doc-explorer'
import { type GraphiQLPlugin, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useEffect } from 'react'
import { useOpenQuery } from '../editor/open-query'
import { useSession } from '../scope-context'
import { Tabs } from '../tabs'
import { HistoryList } from './history-list'
import { READY_QUERIES } from './ready-queries'
import { SavedQueries } from './saved/saved-queries-list'

/** The query editor opens the reference when one of its fields is clicked. */
export const REFERENCE: GraphiQLPlugin = { ...DOC_EXPLORER_PLUGIN, title: 'Schema' }

const icon = () => null
const READY: GraphiQLPlugin = { title: 'Ready', icon, content: ReadyQueries }

export const QUERY_LISTS: GraphiQLPlugin[] = [
  READY,
  { title: 'Saved', icon, content: SavedQueries },
  { title: 'History', icon, content: HistoryList },
  REFERENCE,
]

const TITLES = QUERY_LISTS.map(({ title }) => title)

export function QueriesPane() {
  const visible = useGraphiQL(state => state.visiblePlugin)
  const { setVisiblePlugin } = useGraphiQLActions()
  useEffect(() => {
    if (!visible) setVisiblePlugin(READY)
  }, [visible, setVisiblePlugin])
  const { title, content: Content } = visible ?? READY
  return (
    <>
      <div className="row strip pane-bar">
        <Tabs
          names={TITLES}
          selected={TITLES.indexOf(title)}
          controls="query-list"
          label="Lists of queries"
          onSelect={index => setVisiblePlugin(QUERY_LISTS[index] ?? READY)}
        />
      </div>
      <div id="query-list" role="tabpanel" aria-label={title} className="column query-list">
        <Content />
      </div>
    </>
  )
}

/** The list of ready queries. A click opens a query and runs it. */
function ReadyQueries() {
  const { defaults } = useSession()
  const open = useOpenQuery()
  return (
    <ul className="ready-queries">
      {READY_QUERIES.map(({ title, description, query, variables }) => (
        <li key={title}>
          <button
            type="button"
            className="bare"
            disabled={!open}
            onClick={() => open?.(query, variables ? JSON.stringify(variables(defaults), null, 2) : '')}
          >
            <strong>{title}</strong>
            <span className="soft">{description}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
