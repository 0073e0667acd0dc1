/** The result of the current tab as JSON, table or chart, with downloads and the equivalent REST call. */
import { ResponseEditor, useGraphiQL } from '@graphiql/react'
import { Suspense, useMemo, useState } from 'react'
import { loadLater } from '../load-later'
import { RestCallBar } from '../rest-call-bar'
import { Tabs } from '../tabs'
import { describeVariables } from '../variables/describe-variables'
import { findMeasures } from './chart/charts'
import { Downloads } from './downloads/downloads'
import { LoadAll } from './pages/load-all'
import { useTableState } from './table/table-state'
import { TableView } from './table/table-view'
import { findTables, type Table } from './table/tables'
import { useView, VIEWS, type View } from './views'

const ChartView = loadLater(() => import('./chart/chart-view').then(({ ChartView }) => ChartView))

const MapView = loadLater(() => import('./map/map-view').then(({ MapView }) => MapView))

const NO_TABLE: Table = { name: '', columns: [], rows: [], facts: [], additive: [] }

export function ResultPane() {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex])
  const { view, setView } = useView()
  const [selected, setSelected] = useState<string>()
  const response = tab?.response ?? ''
  const data = useMemo(() => parseData(response), [response])
  const tables = useMemo(() => findTables(data), [data])
  const withMeasures =
    view === 'Chart' || view === 'Map' ? tables.find(table => findMeasures(table).length > 0) : undefined
  const table = tables.find(({ name }) => name === selected) ?? withMeasures ?? tables[0]
  const state = useTableState(table ?? NO_TABLE)
  const query = tab?.query ?? ''
  const variables = tab?.variables ?? ''
  const values = useMemo(() => parseObject(variables), [variables])
  const schema = useGraphiQL(state => state.schema)
  const described = useMemo(() => (schema && describeVariables(schema, query)) ?? [], [schema, query])
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
        <Downloads fileName={fileName} table={table && state.shown} response={response} />
      </div>
      <RestCallBar query={query} variables={variables} />
      <LoadAll query={query} variables={variables} data={data} />
      <div className="result-view" id="result-view" role="tabpanel" aria-label={view}>
        <div className="json" hidden={view !== 'JSON'}>
          <ResponseEditor />
        </div>
        {view !== 'JSON' && !table && (
          <p className="empty">{response === '' ? 'Run a query to see its result.' : 'The result is empty.'}</p>
        )}
        {table && view === 'Table' && (
          <TableView key={`${table.name} ${response.length}`} table={table} state={state} />
        )}
        <Suspense fallback={<p className="empty">Loading …</p>}>
          {table && view === 'Map' && (
            <MapView key={table.name} {...{ table, query, fileName, described }} variables={values} />
          )}
          {table && view === 'Chart' && (
            <ChartView key={table.name} {...{ table, query, fileName }} variables={values} />
          )}
        </Suspense>
      </div>
    </>
  )
}

/** Without valid JSON, an empty object. */
function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}

function parseData(response: string): unknown {
  try {
    return JSON.parse(response).data
  } catch {
    return undefined
  }
}
