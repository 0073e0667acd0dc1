/** The open queries as tabs. */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { Tabs } from '../tabs'

export function QueryTabs() {
  const tabs = useGraphiQL(state => state.tabs)
  const active = useGraphiQL(state => state.activeTabIndex)
  // Another tab writes into the editors, which load later than this page.
  const isReady = useGraphiQL(state => Boolean(state.queryEditor && state.variableEditor && state.responseEditor))
  const { addTab, changeTab, closeTab, stop } = useGraphiQLActions()
  const add = () => {
    // The response would be given to the new tab.
    stop()
    addTab()
  }
  const names = tabs.map(({ title }) => title.replace('<untitled>', 'New query'))
  return (
    <div className="row strip pane-bar" inert={!isReady}>
      <Tabs names={names} selected={active} controls="query" label="Open queries" onSelect={changeTab} />
      <button type="button" aria-label="New query" title="New query" onClick={add}>
        +
      </button>
      {tabs.length > 1 && (
        <button
          type="button"
          aria-label={`Close ${names[active]}`}
          title="Close this query"
          onClick={() => closeTab(active)}
        >
          ×
        </button>
      )}
    </div>
  )
}
