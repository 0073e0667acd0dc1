/**
 * The panes of the workspace: side by side with movable separators, or on narrow screens one at a time, chosen by tabs. The
 * styles decide which of the two it is.
 */
import { useGraphiQL } from '@graphiql/react'
import { type ReactNode, useEffect, useState } from 'react'
import { Tabs } from '../tabs'
import { Splitter } from './splitter'

const PANES = ['Queries', 'Query', 'Result']

interface Properties {
  queries: ReactNode
  query: ReactNode
  result: ReactNode
}

export function Panes({ queries, query, result }: Properties) {
  const [pane, setPane] = useState(0)
  const isFetching = useGraphiQL(state => state.isFetching)
  const isReferenceOpened = useGraphiQL(state => state.visiblePlugin === state.referencePlugin)
  useEffect(() => {
    if (isFetching) setPane(2)
  }, [isFetching])
  useEffect(() => {
    if (isReferenceOpened) setPane(0)
  }, [isReferenceOpened])
  return (
    <>
      <nav className="strip pane-tabs" aria-label="Panes">
        <Tabs names={PANES} selected={pane} controls="panes" label="Pane" onSelect={setPane} />
      </nav>
      <main id="panes" className="panes">
        <section className="column pane" data-shown={pane === 0 || undefined} aria-label="Queries">
          {queries}
        </section>
        <Splitter label="Width of the list of queries" property="--queries" initial={22} min={14} max={40} />
        <section className="column pane" data-shown={pane === 1 || undefined} aria-label="Query">
          {query}
        </section>
        <Splitter label="Width of the query" property="--query" initial={34} min={18} max={60} after="--queries" />
        <section className="column pane result-pane" data-shown={pane === 2 || undefined} aria-label="Result">
          {result}
        </section>
      </main>
    </>
  )
}
