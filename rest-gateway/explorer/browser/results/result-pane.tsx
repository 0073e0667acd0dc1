/** The result of the current tab as JSON, table, chart or map, with its errors, downloads and the equivalent REST call. */
import { ResponseEditor, useGraphiQL } from '@graphiql/react'
import { Suspense, useMemo, useState } from 'react'
import type { Run } from '../editor/runs'
import { ErrorList } from '../errors/error-list'
import { findErrors, type ResponseError } from '../errors/response-errors'
import { loadLater } from '../load-later'
import { RestCallBar } from '../rest-call-bar'
import { Tabs } from '../tabs'
import { describeVariables } from '../variables/describe-variables'
import { findMeasures } from './chart/charts'
import { Downloads } from './downloads/downloads'
import { NotRun } from './not-run'
import { LoadAll } from './pages/load-all'
import { useInputs, useResult } from './result'
import { useTableState } from './table/table-state'
import { TableView } from './table/table-view'
import { findTables, type Table } from './table/tables'
import { useView, VIEWS, type View } from './views'

const ChartView = loadLater(() => import('./chart/chart-view').then(({ ChartView }) => ChartView))

const MapView = loadLater(() => import('./map/map-view').then(({ MapView }) => MapView))

const NO_TABLE: Table = { name: '', columns: [], rows: [], facts: [], additive: [] }

export function ResultPane() {
  const { run, response, body, errors } = useResult()
  const inputs = useInputs()
  const isFetching = useGraphiQL(state => state.isFetching)
  const schema = useGraphiQL(state => state.schema)
  const { view, setView } = useView()
  const [selected, setSelected] = useState<string>()
  const tables = useMemo(() => findTables(body.data), [body])
  const withMeasures =
    view === 'Chart' || view === 'Map' ? tables.find(table => findMeasures(table).length > 0) : undefined
  const table = tables.find(({ name }) => name === selected) ?? withMeasures ?? tables[0]
  const state = useTableState(table ?? NO_TABLE)
  const described = useMemo(() => (schema && run && describeVariables(schema, run.query)) ?? [], [schema, run])
  const fileName = run?.operationName ?? 'result'
  // Before the first run, the call is that of the editors.
  const called = run ?? inputs
  const shown = run && table && { table, fileName, query: run.query, variables: run.variables }

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
      {run && response !== '' && <NotRun inputs={inputs} shown={run} />}
      <SchemaError />
      <ErrorList errors={errors} introduction={table && 'The result is incomplete.'} />
      {called && <RestCallBar {...called} />}
      {run && <LoadAll run={run} body={body} />}
      <div className="result-view" id="result-view" role="tabpanel" aria-label={view}>
        <div className="json" hidden={view !== 'JSON'}>
          <ResponseEditor />
        </div>
        {view !== 'JSON' && !table && <p className="empty">{describeEmpty(run, response, isFetching, errors)}</p>}
        {shown && view === 'Table' && (
          <TableView key={`${run.number} ${shown.table.name}`} table={shown.table} state={state} />
        )}
        <Suspense fallback={<p className="empty">Loading …</p>}>
          {shown && view === 'Map' && (
            <MapView key={`${run.number} ${shown.table.name}`} {...shown} described={described} />
          )}
          {shown && view === 'Chart' && <ChartView key={shown.table.name} {...shown} />}
        </Suspense>
      </div>
    </>
  )
}

function describeEmpty(run: Run | undefined, response: string, isFetching: boolean, errors: ResponseError[]): string {
  if (isFetching) return 'The query is running …'
  if (errors.length > 0) return 'There is no result because of the error above.'
  if (response !== '') return 'The result is empty.'
  return run ? 'The query was stopped before it had a result.' : 'Run a query to see its result.'
}

/** Says why the editors know no fields. */
function SchemaError() {
  const error = useGraphiQL(state => state.fetchError)
  if (!error) return null
  return <ErrorList errors={findErrors(JSON.parse(error))} introduction="The schema could not be read." />
}
