/**
 * The panes of the workspace: side by side with movable separators, or on narrow screens one at a time, chosen by tabs. The
 * styles decide which of the two it is.
 */
import { useGraphiQL } from '@graphiql/react'
import { type ReactNode, useEffect, useState } from 'react'
import { Tabs } from '../tabs'
import { Splitter } from './splitter'

const PANES = ['Queries', 'Query', 'Result'] as const

type Pane = (typeof PANES)[number]

interface Properties {
  queries: ReactNode
  query: ReactNode
  result: ReactNode
}

export function Panes({ queries, query, result }: Properties) {
  const [pane, setPane] = useState<Pane>('Queries')
  const isFetching = useGraphiQL(state => state.isFetching)
  const isReferenceOpened = useGraphiQL(state => state.visiblePlugin === state.referencePlugin)
  useEffect(() => {
    if (isFetching) setPane('Result')
  }, [isFetching])
  useEffect(() => {
    if (isReferenceOpened) setPane('Queries')
  }, [isReferenceOpened])
  return (
    <>
      <nav className="pane-tabs" aria-label="Panes">
        <Tabs<Pane> names={PANES} current={pane} controls="panes" label="Pane" onSelect={setPane} />
      </nav>
      <main id="panes" className="panes" data-pane={pane}>
        <section className="pane queries-pane" aria-label="Queries">
          {queries}
        </section>
        <Splitter label="Width of the list of queries" property="--queries" initial={22} min={14} max={40} />
        <section className="pane query-pane" aria-label="Query">
          {query}
        </section>
        <Splitter label="Width of the query" property="--query" initial={34} min={18} max={60} after="--queries" />
        <section className="pane result-pane" aria-label="Result">
          {result}
        </section>
      </main>
    </>
  )
}
