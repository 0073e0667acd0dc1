/** A result as chart, table and JSON, with its errors, its caption and its downloads. All of them are made from one value. */
import { type RefObject, useMemo, useRef, useState } from 'react'
import { type Chart, daysOf, describeResult, readNotes } from './caption'
import { type Colors, chooseColors, countOmitted, seriesOf, useDrawing } from './chart'
import { type Picture, saveCsv, savePng } from './files'
import { Options } from './form'
import { findByQuery } from './questions'
import type { Show } from './questions/question'
import { findParts, type Range } from './ranges'
import { findErrors, type ResponseBody, type ResponseError } from './request'
import { columnsOf, type Row, readLists, titleOf } from './rows'
import { Table } from './table'
import { useDark } from './theme'

export interface Result {
  query: string
  variables: Record<string, unknown>
  response: ResponseBody
}

interface Properties {
  result: Result
  /** The names of assets by their ids. */
  names: ReadonlyMap<string, string>
  /** The days with data. */
  measured: Range
}

type View = 'Chart' | 'Table' | 'JSON'

const WITHOUT_CHART: Show = { kind: 'table', rows: '' }
const NOT_CHOSEN: Show = { kind: 'bars', rows: '' }

export function ResultView({ result, names, measured }: Properties) {
  const { query, variables, response } = result
  const question = useMemo(() => findByQuery(query), [query])
  const { lists, facts } = useMemo(() => readLists(response.data, names), [response, names])
  const [selected, select] = useState<string>()
  const [chosenView, chooseView] = useState<View>()
  const [chosenShow, chooseShow] = useState(NOT_CHOSEN)

  // Other lists of a question are parts of its chart.
  const offered = question && [question.show.rows].flat()
  const full = [...lists].filter(([name, rows]) => rows.length > 0 && (offered?.includes(name) ?? true))
  const [listName, rows = []] = findList(full, selected, offered)
  const columns = useMemo(() => columnsOf(rows), [rows])
  const asked = question?.show
  const show = useMemo(() => asked ?? complete(chosenShow, columns), [asked, chosenShow, columns])
  const chart = useMemo((): Chart => {
    const days = daysOf(variables)
    if (!days) return { rows, show, parts: new Set(), notes: [] }
    const starts = rows.map(row => String(row[show.x ?? '']))
    const notes = readNotes(lists.get('notes.nodes') ?? [], facts['asset.company.finalThrough'], days)
    return { rows, show, parts: findParts(starts, variables.grain, [days, measured]), notes }
  }, [rows, show, variables, measured, lists, facts])

  const errors = findErrors(response)
  const hasChart = show.kind !== 'table' && rows.length > 0
  const views: View[] = hasChart || !asked ? ['Chart', 'Table', 'JSON'] : ['Table', 'JSON']
  const view = chosenView && views.includes(chosenView) ? chosenView : hasChart ? 'Chart' : 'Table'
  const caption = describeResult(chart, facts, variables)
  const fileName = question?.id ?? 'result'
  const colors = chooseColors(useDark())
  const container = useRef<HTMLDivElement>(null)
  const legend = seriesOf(chart)
    .slice(0, colors.series.length)
    .map((name, i) => ({ name, color: colors.series[i]! }))
  const savePicture = () => {
    const svg = container.current?.querySelector('svg')
    if (svg) savePng(fileName, { svg, caption, legend, colors })
  }

  return (
    <section className="result" aria-label="Result">
      {errors.length > 0 && <Errors errors={errors} isIncomplete={rows.length > 0} />}
      <div className="row">
        <fieldset className="row views" aria-label="View of the result">
          {views.map(name => (
            <button key={name} type="button" aria-pressed={name === view} onClick={() => chooseView(name)}>
              {name}
            </button>
          ))}
        </fieldset>
        {full.length > 1 && view !== 'JSON' && (
          <select aria-label="List" value={listName} onChange={({ target }) => select(target.value)}>
            {full.map(([name, { length }]) => (
              <option key={name} value={name}>
                {titleOf(name.replaceAll(/\.(nodes|rows)\b/g, ''))} ({length})
              </option>
            ))}
          </select>
        )}
        <span className="row end">
          {hasChart && view === 'Chart' && (
            <button type="button" onClick={savePicture}>
              PNG
            </button>
          )}
          {rows.length > 0 && (
            <button type="button" onClick={() => saveCsv(fileName, columns, rows)}>
              CSV
            </button>
          )}
        </span>
      </div>
      {view === 'Chart' && !asked && <Chooser show={chosenShow} columns={columns} onChange={chooseShow} />}
      {view === 'JSON' ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        <pre tabIndex={0}>{JSON.stringify(response, null, 2)}</pre>
      ) : (
        <>
          <div className="soft" hidden={rows.length === 0 && errors.length > 0}>
            {caption.map(line => (
              <div key={line}>{line}</div>
            ))}
          </div>
          {rows.length === 0 && errors.length === 0 && (
            <p role="status">{question?.show.empty ?? 'There is no data for these values.'}</p>
          )}
          {rows.length > 0 && view === 'Table' && <Table key={listName} columns={columns} rows={rows} />}
          {hasChart && view === 'Chart' && <ChartView {...{ chart, caption, legend, colors, container }} />}
        </>
      )}
    </section>
  )
}

/** Returns the selected list; otherwise that of the question, or the longest one. */
function findList(
  full: [string, Row[]][],
  selected: string | undefined,
  offered: readonly string[] = [],
): [string?, Row[]?] {
  const find = (name: string | undefined) => full.find(([other]) => other === name)
  const ofQuestion = offered.map(find).find(Boolean)
  const longest = full.toSorted(([, a], [, b]) => b.length - a.length)[0]
  return find(selected) ?? ofQuestion ?? longest ?? []
}

/** Returns what the reader has chosen to show, if it is complete and the list has the columns. */
function complete({ kind, x = '', y = '', color = '' }: Show, columns: readonly string[]): Show {
  const has = (column: string) => columns.includes(column)
  if (!has(x) || !has(y) || (kind === 'heat' && !has(color))) return WITHOUT_CHART
  return { kind, rows: '', x, y, ...(has(color) && { color }) }
}

/** The choice of what a chart shows of a query that is not of a question. */
function Chooser({ show, columns, onChange }: { show: Show; columns: string[]; onChange(show: Show): void }) {
  const options = { kind: ['bars', 'line', 'heat'], x: ['', ...columns], y: ['', ...columns], color: ['', ...columns] }
  return (
    <div className="row">
      {Object.entries(options).map(([name, values]) => (
        <label key={name}>
          {name}{' '}
          <select
            aria-label={name}
            value={show[name as keyof typeof options] ?? ''}
            onChange={({ target }) => onChange({ ...show, [name]: target.value })}
          >
            <Options names={values} />
          </select>
        </label>
      ))}
    </div>
  )
}

interface ChartProperties {
  chart: Chart
  caption: readonly string[]
  legend: Picture['legend']
  colors: Colors
  container: RefObject<HTMLDivElement | null>
}

function ChartView({ chart, caption, legend, colors, container }: ChartProperties) {
  useDrawing(container, chart, colors)
  const omitted = countOmitted(chart)
  return (
    <figure aria-label={`Chart: ${caption.join('. ')}`}>
      {legend.length > 1 && (
        <ul className="row legend">
          {legend.map(({ name, color }) => (
            <li key={name}>
              <i style={{ backgroundColor: color }} />
              {name}
            </li>
          ))}
        </ul>
      )}
      {omitted > 0 && <p className="soft">{omitted} more in the table</p>}
      <div ref={container} />
    </figure>
  )
}

/** The errors that are shown; a query may have one for each of its fields, which JSON has. */
const MAX_ERRORS = 5

function Errors({ errors, isIncomplete }: { errors: ResponseError[]; isIncomplete: boolean }) {
  return (
    <div className="errors" role="alert">
      {isIncomplete && <p>The result is incomplete.</p>}
      <ul>
        {errors.slice(0, MAX_ERRORS).map(({ code, message, path }) => (
          <li key={`${path} ${message}`}>
            {code && <a href={`/docs/errors#${code}`}>{code}</a>} {message} {path && <small>{path}</small>}
          </li>
        ))}
      </ul>
    </div>
  )
}
