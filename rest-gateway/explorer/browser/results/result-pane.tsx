/** The answer of the tab in its views, what can be taken away of it, and the REST call that would answer the same. */
import { useGraphiQL } from '@graphiql/react'
import { useMemo, useState } from 'react'
import { RestLine } from '../rest-line'
import { Tabs } from '../tabs'
import { ChartView } from './chart-view'
import { measuresOf } from './charts'
import { csvOf } from './csv'
import { download } from './download'
import { TableView } from './table-view'
import { tablesOf } from './tables'

const VIEWS = ['JSON', 'Table', 'Chart'] as const

type View = (typeof VIEWS)[number]

export function ResultPane() {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex])
  const [view, setView] = useState<View>('JSON')
  const [chosen, setChosen] = useState<string>()
  const response = tab?.response ?? ''
  const tables = useMemo(() => tablesOf(dataOf(response)), [response])
  const fitting = view === 'Chart' ? tables.find(list => measuresOf(list).length > 0) : undefined
  const table = tables.find(({ name }) => name === chosen) ?? fitting ?? tables[0]
  const file = tab?.operationName ?? 'result'

  return (
    <div className={`result ${view === 'JSON' ? 'as-json' : ''}`}>
      <div className="result-bar">
        <Tabs<View> names={VIEWS} current={view} controls="result-view" label="View of the result" onChoose={setView} />
        {view !== 'JSON' && tables.length > 1 && (
          <select aria-label="List" value={table?.name} onChange={event => setChosen(event.target.value)}>
            {tables.map(({ name, rows }) => (
              <option key={name} value={name}>
                {name} ({rows.length})
              </option>
            ))}
          </select>
        )}
        <div className="take">
          <span>Download</span>
          <button
            type="button"
            disabled={!table}
            onClick={() => table && download(`${file}.csv`, 'text/csv', csvOf(table))}
          >
            CSV
          </button>
          <button
            type="button"
            disabled={response === ''}
            onClick={() => download(`${file}.json`, 'application/json', response)}
          >
            JSON
          </button>
        </div>
      </div>
      <RestLine query={tab?.query ?? ''} variables={tab?.variables ?? ''} />
      {view !== 'JSON' && (
        <div className="result-view" id="result-view" role="tabpanel" aria-label={view}>
          {!table && <p className="empty">{response === '' ? 'Run a query to see its answer.' : 'Nothing to show.'}</p>}
          {table && view === 'Table' && <TableView key={`${table.name} ${response.length}`} table={table} />}
          {table && view === 'Chart' && <ChartView key={table.name} table={table} />}
        </div>
      )}
    </div>
  )
}

function dataOf(response: string): unknown {
  try {
    return JSON.parse(response).data
  } catch {
    return undefined
  }
}
