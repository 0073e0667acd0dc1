/** The result of the current tab as JSON, table or chart, with downloads and the equivalent REST call. */
import { ResponseEditor, useGraphiQL } from '@graphiql/react'
import { useMemo, useState } from 'react'
import { RestCallBar } from '../rest-call-bar'
import { Tabs } from '../tabs'
import { ChartView } from './chart-view'
import { findMeasures } from './charts'
import { writeCsv } from './csv'
import { download } from './download'
import { TableView } from './table-view'
import { findTables } from './tables'
import { useView, VIEWS, type View } from './views'

export function ResultPane() {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex])
  const { view, setView } = useView()
  const [selected, setSelected] = useState<string>()
  const response = tab?.response ?? ''
  const tables = useMemo(() => findTables(parseData(response)), [response])
  const withMeasures = view === 'Chart' ? tables.find(table => findMeasures(table).length > 0) : undefined
  const table = tables.find(({ name }) => name === selected) ?? withMeasures ?? tables[0]
  const fileName = tab?.operationName ?? 'result'

  return (
    <>
      <div className="pane-bar">
        <Tabs<View> names={VIEWS} current={view} controls="result-view" label="View of the result" onSelect={setView} />
        {view !== 'JSON' && tables.length > 1 && (
          <select aria-label="List" value={table?.name} onChange={event => setSelected(event.target.value)}>
            {tables.map(({ name, rows }) => (
              <option key={name} value={name}>
                {name} ({rows.length})
              </option>
            ))}
          </select>
        )}
        <div className="downloads">
          <span>Download</span>
          <button
            type="button"
            disabled={!table}
            onClick={() => table && download(`${fileName}.csv`, 'text/csv', writeCsv(table))}
          >
            CSV
          </button>
          <button
            type="button"
            disabled={response === ''}
            onClick={() => download(`${fileName}.json`, 'application/json', response)}
          >
            JSON
          </button>
        </div>
      </div>
      <RestCallBar query={tab?.query ?? ''} variables={tab?.variables ?? ''} />
      <div className="result-view" id="result-view" role="tabpanel" aria-label={view}>
        <div className="json" hidden={view !== 'JSON'}>
          <ResponseEditor />
        </div>
        {view !== 'JSON' && !table && (
          <p className="empty">{response === '' ? 'Run a query to see its result.' : 'The result is empty.'}</p>
        )}
        {table && view === 'Table' && <TableView key={`${table.name} ${response.length}`} table={table} />}
        {table && view === 'Chart' && <ChartView key={table.name} table={table} />}
      </div>
    </>
  )
}

function parseData(response: string): unknown {
  try {
    return JSON.parse(response).data
  } catch {
    return undefined
  }
}
