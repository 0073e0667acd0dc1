/** The answer to a question as chart and table, with its errors, its caption and a CSV file. All of them are made from one value. */
import { useMemo, useRef, useState } from 'react'
import { formatAddress } from '../address'
import { findCutBuckets, formatRange, type Range } from '../form/ranges'
import { filterOf, rangeAgainst, rangeOf, type Variables } from '../form/variables'
import { findQuestion } from '../questions'
import type { Question } from '../questions/question'
import { findErrors, type ResponseBody, type ResponseError } from '../request'
import { type Chart, daysOf, describeResult, readNotes } from './caption'
import { findGroups, listSeries, useDrawing } from './chart'
import { columnsOf, type Row, readLists, type Separator, writeCsv } from './rows'
import { Table } from './table'

export interface Answer {
  question: Question
  variables: Variables
  response: ResponseBody
}

interface Properties {
  answer: Answer
  names: ReadonlyMap<string, string>
  measured: Range
}

const VIEWS = ['Chart', 'Table'] as const

const NO_ROWS: readonly Row[] = []

export function ResultView({ answer, names, measured }: Properties) {
  const { question, variables, response } = answer
  const { show } = question
  const { lists, facts } = useMemo(() => readLists(response.data, names), [response, names])
  const [chosenView, chooseView] = useState<(typeof VIEWS)[number]>('Chart')

  const list = lists.get(show.rows) ?? NO_ROWS
  const rows = useMemo((): readonly Row[] => {
    const others = show.beside && lists.get(show.beside)
    if (!others) return list
    const label = (row: Row, range: Range) => ({ range: formatRange(range), ...row })
    return [
      ...list.map(row => label(row, rangeOf(variables))),
      ...others.map(row => label(row, rangeAgainst(variables))),
    ]
  }, [list, lists, show, variables])
  const columns = useMemo(() => columnsOf(rows), [rows])
  const chart = useMemo((): Chart => {
    const days = daysOf(variables)
    const starts = rows.map(row => String(row[show.x ?? '']))
    return {
      ...{ rows, show, ...findGroups({ rows, show }), hrefOf: (row: Row) => findAddress(answer, row) },
      cutBuckets: days ? findCutBuckets(starts, variables.grain, [days, measured]) : new Set(),
      notes: days ? readNotes(lists.get('notes.nodes') ?? [], facts['asset.company.finalThrough'], days) : [],
    }
  }, [rows, show, variables, measured, lists, facts, answer])

  const errors = [...findErrors(response), ...findUnread(answer)]
  const hasChart = show.kind !== 'table' && rows.length > 0
  const view = hasChart ? chosenView : 'Table'
  const caption = describeResult(chart, facts, variables, names)
  const lines = view === 'Chart' && chart.omission ? [...caption, chart.omission] : caption

  const container = useRef<HTMLDivElement>(null)
  useDrawing(container, chart, [question.title, ...lines].join('. '))
  const savePicture = () => {
    const svg = container.current?.querySelector('svg')
    if (svg) savePng(question.id, svg, [question.title, ...lines], listSeries(chart))
  }

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
        {rows.length > 0 && (
          <button type="button" className="end" onClick={() => saveCsv(question.id, columns, rows)}>
            CSV
          </button>
        )}
        {view === 'Chart' && (
          <button type="button" onClick={savePicture}>
            PNG
          </button>
        )}
      </div>
      <div className="soft" hidden={rows.length === 0 && errors.length > 0}>
        {lines.map(line => (
          <div key={line}>{line}</div>
        ))}
      </div>
      {rows.length === 0 && errors.length === 0 && (
        <p role="status">{show.empty ?? 'There is no data for these values.'}</p>
      )}
      {rows.length > 0 && view === 'Table' && <Table {...{ columns, rows, hrefOf: chart.hrefOf }} />}
      <figure hidden={view !== 'Chart'}>
        <ul className="row legend">
          {listSeries(chart).map(([name, color]) => (
            <li key={name}>
              <i style={{ backgroundColor: color }} />
              {name}
            </li>
          ))}
        </ul>
        <div ref={container} />
      </figure>
    </section>
  )
}

/** Returns the address of the question about the asset of a row, on the same days. */
function findAddress({ question: { show }, variables }: Answer, { assetId }: Row): string | undefined {
  const question = findQuestion(show.leadsTo ?? 'over-time')!
  if (typeof assetId !== 'string') return undefined
  const { from, to, before, until } = variables
  const asset = question.fields.includes('asset') ? { asset: assetId } : { filter: { id: [assetId] } }
  return formatAddress({ question: question.id, variables: { ...asset, from, to, before, until } })
}

/** Returns an error if the response has none: where it has no object, an id is of no asset that the key reads. */
function findUnread({ variables, response: { data, errors, error } }: Answer): ResponseError[] {
  if (!data || errors || error || !Object.values(data).includes(null)) return []
  const ids = [variables.asset ?? filterOf(variables).id].flat()
  return [{ message: `This key reads no asset with this id: ${ids.join(', ')}.` }]
}

/** The errors that are shown; a query may have one for each of its fields. */
const MAX_ERRORS = 5

function Errors({ errors, isIncomplete }: { errors: ResponseError[]; isIncomplete: boolean }) {
  return (
    <div className="errors" role="alert">
      {isIncomplete && <p>The result is incomplete.</p>}
      <ul>
        {errors.slice(0, MAX_ERRORS).map(({ code, message }) => (
          <li key={message}>
            {code && <a href={`/docs/errors#${code}`}>{code}</a>} {message}
          </li>
        ))}
      </ul>
    </div>
  )
}

function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Revoking the URL at once can cancel the download.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

const SCALE = 2
const LINE_HEIGHT = 18

/** Saves a chart as a picture below its caption and legend: a chart alone does not say what it shows. */
async function savePng(
  name: string,
  svg: SVGSVGElement,
  lines: readonly string[],
  series: readonly [name: string, color: string][],
): Promise<void> {
  const { color, backgroundColor } = getComputedStyle(document.body)
  const copy = svg.cloneNode(true) as SVGSVGElement
  copy.style.color = color
  const image = new Image()
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
  await image.decode()
  const texts = [
    ...lines.map(line => [line, color] as const),
    ...series.map(([of, fill]) => [`■ ${of}`, fill] as const),
  ]
  const top = (texts.length + 1) * LINE_HEIGHT
  const canvas = document.createElement('canvas')
  canvas.width = image.width * SCALE
  canvas.height = (top + image.height) * SCALE
  const context = canvas.getContext('2d')!
  context.scale(SCALE, SCALE)
  context.font = '12px system-ui, sans-serif'
  context.fillStyle = backgroundColor
  context.fillRect(0, 0, canvas.width, canvas.height)
  for (const [i, [text, fill]] of texts.entries()) {
    context.fillStyle = fill
    // Text that is too long is condensed.
    context.fillText(text, 4, (i + 1) * LINE_HEIGHT, image.width - 8)
  }
  context.drawImage(image, 0, top)
  canvas.toBlob(blob => blob && download(`${name}.png`, blob))
}

/** Returns the separator of spreadsheets in the language of the browser. */
const findSeparator = (): Separator => ((1.5).toLocaleString().includes(',') ? ';' : ',')

const saveCsv = (name: string, columns: readonly string[], rows: readonly Row[]): void =>
  download(`${name}.csv`, new Blob([writeCsv(columns, rows, findSeparator())], { type: 'text/csv;charset=utf-8' }))
