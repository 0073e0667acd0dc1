/** GraphiQL with what is ours around it: the shelf at its side, whose data one sees above, the result in three views. */
import { HISTORY_PLUGIN } from '@graphiql/plugin-history'
import type { Fetcher } from '@graphiql/toolkit'
import { GraphiQL } from 'graphiql'
import { useMemo } from 'react'
import { READY_QUERIES } from './ready-queries'
import { ResultPane } from './results/result-pane'
import { ask, type Request, type Sight } from './service'
import { SampleContext, SHELF } from './shelf'

interface Properties {
  apiKey: string
  sight: Sight
  onClose(): void
}

const PLUGINS = [SHELF, HISTORY_PLUGIN]

/** How the page is shared out until somebody drags it otherwise: a narrow shelf, a wide answer. */
const SHARES = { 'graphiql:docExplorerFlex': '0.24', 'graphiql:editorFlex': '0.85' }
for (const [name, share] of Object.entries(SHARES)) {
  if (localStorage.getItem(name) === null) localStorage.setItem(name, share)
}

const WELCOME = READY_QUERIES[0]?.query

export function Workspace({ apiKey, sight, onClose }: Properties) {
  const fetcher: Fetcher = useMemo(() => request => ask(apiKey, request as Request) as never, [apiKey])
  return (
    <SampleContext value={sight.sample}>
      <GraphiQL
        fetcher={fetcher}
        plugins={PLUGINS}
        visiblePlugin={SHELF}
        isHeadersEditorEnabled={false}
        shouldPersistHeaders={false}
        defaultEditorToolsVisibility="variables"
        {...(WELCOME !== undefined && { defaultQuery: WELCOME })}
      >
        <GraphiQL.Logo>
          <WhoseData companies={sight.companies} onClose={onClose} />
        </GraphiQL.Logo>
        <GraphiQL.Footer>
          <ResultPane />
        </GraphiQL.Footer>
      </GraphiQL>
    </SampleContext>
  )
}

const MOST_NAMED = 3

function WhoseData({ companies, onClose }: { companies: string[]; onClose(): void }) {
  const named = companies.slice(0, MOST_NAMED).join(', ')
  const more = companies.length - MOST_NAMED
  return (
    <div className="whose">
      <span title={companies.join('\n')}>
        {companies.length === 0
          ? 'This key reads no company'
          : `Data of ${named}${more > 0 ? ` and ${more} more` : ''}`}
      </span>
      <button type="button" onClick={onClose}>
        Change key
      </button>
    </div>
  )
}
