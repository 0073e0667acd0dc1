/** The answer to a question as chart and table, with its errors, its caption and a CSV file. All of them are made from one value. */
import { useMemo, useRef, useState } from 'react'
import { type Chart, daysOf, describeResult, readNotes } from './caption'
import { COLORS, countOmitted, seriesOf, useDrawing } from './chart'
import { saveCsv } from './files'
import type { Question } from './questions/question'
import { findParts, type Range } from './ranges'
import { findErrors, type ResponseBody, type ResponseError } from './request'
import { columnsOf, readLists, titleOf } from './rows'
import { Table } from './table'
import type { Variables } from './variables'

export interface Answer {
  question: Question
  variables: Variables
  response: ResponseBody
}

interface Properties {
  answer: Answer
  /** The names of assets by their ids. */
  names: ReadonlyMap<string, string>
  /** The days with data. */
  measured: Range
}

const VIEWS = ['Chart', 'Table'] as const

export function ResultView({ answer, names, measured }: Properties) {
  const { question, variables, response } = answer
  const { show } = question
  const { lists, facts } = useMemo(() => readLists(response.data, names), [response, names])
  const [selected, select] = useState<string>()
  const [chosenView, chooseView] = useState<(typeof VIEWS)[number]>('Chart')

  const full = [show.rows].flat().flatMap(name => (lists.get(name)?.length ? [[name, lists.get(name)!] as const] : []))
  const [listName, rows = []] = full.find(([name]) => name === selected) ?? full[0] ?? []
  const columns = useMemo(() => columnsOf(rows), [rows])
  const chart = useMemo((): Chart => {
    const days = daysOf(variables)
    if (!days) return { rows, show, parts: new Set(), notes: [] }
    const starts = rows.map(row => String(row[show.x ?? '']))
    const notes = readNotes(lists.get('notes.nodes') ?? [], facts['asset.company.finalThrough'], days)
    return { rows, show, parts: findParts(starts, variables.grain, [days, measured]), notes }
  }, [rows, show, variables, measured, lists, facts])

  const errors = findErrors(response)
  const hasChart = show.kind !== 'table' && rows.length > 0
  const view = hasChart ? chosenView : 'Table'
  const caption = describeResult(chart, facts, variables)

  return (
    <section className="result" aria-label="Result">
      {errors.length > 0 && <Errors errors={errors} isIncomplete={rows.length > 0} />}
      <div className="row">
        {hasChart && (
          <fieldset className="row views" aria-label="View of the result">
            {VIEWS.map(name => (
              <button key={name} type="button" aria-pressed={name === view} onClick={() => chooseView(name)}>
                {name}
              </button>
            ))}
          </fieldset>
        )}
        {full.length > 1 && (
          <select aria-label="List" value={listName} onChange={({ target }) => select(target.value)}>
            {full.map(([name, { length }]) => (
              <option key={name} value={name}>
                {titleOf(name.replaceAll(/\.(nodes|rows)\b/g, ''))} ({length})
              </option>
            ))}
          </select>
        )}
        {rows.length > 0 && (
          <button type="button" className="end" onClick={() => saveCsv(question.id, columns, rows)}>
            CSV
          </button>
        )}
      </div>
      <div className="soft" hidden={rows.length === 0 && errors.length > 0}>
        {caption.map(line => (
          <div key={line}>{line}</div>
        ))}
      </div>
      {rows.length === 0 && errors.length === 0 && (
        <p role="status">{show.empty ?? 'There is no data for these values.'}</p>
      )}
      {rows.length > 0 && view === 'Table' && <Table key={listName} columns={columns} rows={rows} />}
      {view === 'Chart' && <ChartView chart={chart} caption={caption} />}
    </section>
  )
}

function ChartView({ chart, caption }: { chart: Chart; caption: readonly string[] }) {
  const container = useRef<HTMLDivElement>(null)
  useDrawing(container, chart)
  const series = seriesOf(chart).slice(0, COLORS.series.length)
  const omitted = countOmitted(chart)
  return (
    <figure aria-label={`Chart: ${caption.join('. ')}`}>
      {series.length > 1 && (
        <ul className="row legend">
          {series.map((name, i) => (
            <li key={name}>
              <i style={{ backgroundColor: COLORS.series[i] }} />
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

/** The errors that are shown; a query may have one for each of its fields. */
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
