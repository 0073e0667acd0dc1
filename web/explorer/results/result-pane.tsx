/** The result of the current tab as JSON, table, chart or map, with its errors, downloads and the equivalent REST call. */
import { ResponseEditor, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { type ComponentType, lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { CopyButton } from '../copy-button'
import { formatLink } from '../editor/link'
import type { Run } from '../editor/runs'
import { ErrorList } from '../errors/error-list'
import { findErrors, type ResponseError } from '../errors/response-errors'
import { findRestCall, type PersistedRoute } from '../rest-call'
import { Tabs } from '../tabs'
import { describeVariables } from '../variables/describe-variables'
import { findMeasures } from './chart/charts'
import { Downloads } from './downloads/downloads'
import { LoadAll } from './pages/load-all'
import { areEqual, type Inputs, useInputs, useResult } from './result'
import { useNames } from './table/asset-names'
import { useTableState } from './table/table-state'
import { TableView } from './table/table-view'
import { findTables, type Table } from './table/tables'
import { useView, VIEWS } from './views'

const Failure = () => (
  <p className="empty" role="alert">
    This part of the page could not be loaded. Reload the page to try again.
  </p>
)

/** Returns a component for a `Suspense`. If its code cannot be loaded, for example after an update, it says so. */
const loadLater = <Properties,>(load: () => Promise<ComponentType<Properties>>) =>
  lazy<ComponentType<Properties>>(() =>
    load().then(
      component => ({ default: component }),
      () => ({ default: Failure }),
    ),
  )

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
  const chosen = tables.find(({ name }) => name === selected) ?? withMeasures ?? tables[0]
  const named = useNames(chosen ?? NO_TABLE)
  const table = chosen && named
  const state = useTableState(named)
  const described = useMemo(() => (schema && run && describeVariables(schema, run.query)) ?? [], [schema, run])
  const fileName = run?.operationName ?? 'result'
  // Before the first run, the call is that of the editors.
  const called = run ?? inputs
  const shown = run && table && { table, fileName, query: run.query, variables: run.variables }

  return (
    <>
      <div className="row strip pane-bar">
        <Tabs
          names={VIEWS}
          selected={VIEWS.indexOf(view)}
          controls="result-view"
          label="View of the result"
          onSelect={index => setView(VIEWS[index] ?? view)}
        />
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
      <div className="column result-view" id="result-view" role="tabpanel" aria-label={view}>
        <div className="json" hidden={view !== 'JSON'}>
          <ResponseEditor />
        </div>
        {view !== 'JSON' && !table && <p className="empty">{describeEmpty(run, response, isFetching, errors)}</p>}
        {shown && view === 'Table' && <TableView key={`${run.number} ${shown.table.name}`} {...shown} state={state} />}
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

/** Says that the inputs have changed since a result, and leads to either of the two. */
function NotRun({ inputs, shown }: { inputs: Inputs | undefined; shown: Inputs }) {
  const { run } = useGraphiQLActions()
  const { view } = useView()
  if (inputs && areEqual(inputs, shown)) return null
  const link = formatLink({ query: shown.query, variables: JSON.stringify(shown.variables, null, 2), view })
  return (
    <div className="row strip notice">
      <span role="status">Not run yet: the query or its variables have changed since this result.</span>
      <button type="button" onClick={() => run()}>
        Run
      </button>
      <CopyButton label="Copy link to this result" text={`${location.origin}/explorer${link}`} />
    </div>
  )
}

const routes: Promise<PersistedRoute[]> = fetch('/explorer/routes.json').then(response => response.json())

/** Shows the REST call that returns the data of a query, if there is one. */
function RestCallBar({ query, variables }: Inputs) {
  const [known, setKnown] = useState<PersistedRoute[]>([])
  useEffect(() => {
    // Without the routes, the bar stays hidden.
    routes.then(setKnown, () => {})
  }, [])
  const path = useMemo(() => findRestCall(known, query, variables), [known, query, variables])
  if (path === undefined) return null
  return (
    <div className="row strip rest-call">
      <span className="soft">As REST</span>
      <code className="cut" title={path}>
        GET {path}
      </code>
      <CopyButton label="Copy curl" text={`curl -H "X-API-Key: $KEY" '${location.origin}${path}'`} />
    </div>
  )
}
