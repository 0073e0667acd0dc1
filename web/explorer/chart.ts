/** Draws rows as lines, bars or a heat map with Observable Plot, as `Show` says. */
import * as Plot from '@observablehq/plot'
import { type RefObject, useEffect } from 'react'
import type { Chart, Note } from './caption'
import type { Show } from './questions/question'
import { type Cell, formatCell, type Row } from './rows'

export const COLORS = {
  background: '#ffffff',
  text: '#4d586a',
  line: 'rgba(60, 75, 100, .3)',
  /** Cells without data. */
  missing: '#b3402e',
  /** The cells of the smallest and the largest number, on both of which `onCell` is readable. */
  cells: ['#f3f6fc', '#4f7dd8'],
  onCell: '#000',
  series: '#3b6fd4 #d9822b #2c9c74 #b4508f #7f6ad0 #b8961f #3f9bbf #c2544d #5b7a3a #7a6a58'.split(' '),
}

const valuesOf = (rows: readonly Row[], column: string): string[] => [
  ...new Set(rows.map(row => formatCell(column, row[column]))),
]

/** Returns the names of series; none if there is one series. */
export const seriesOf = ({ rows, show: { kind, color } }: Chart): string[] =>
  kind === 'heat' || color === undefined ? [] : valuesOf(rows, color)

const MAX_LINES = COLORS.series.length
const MAX_BARS = 100
const MAX_HEAT_ROWS = 200

/** Returns how many series, bars or rows of a heat map there are beyond those that are drawn. */
export function countOmitted({ rows, show: { kind, x, y, color } }: Chart): number {
  const [column, most] = kind === 'line' ? [color, MAX_LINES] : kind === 'heat' ? [y, MAX_HEAT_ROWS] : [x, MAX_BARS]
  return column === undefined ? 0 : Math.max(0, valuesOf(rows, column).length - most)
}

/** Draws a chart into an element, and again when the width of the element changes. */
export function useDrawing(container: RefObject<HTMLElement | null>, chart: Chart): void {
  useEffect(() => {
    const element = container.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      const { clientWidth } = element
      if (clientWidth === 0) return
      const svg = draw(chart, clientWidth)
      // The caption describes it, and the table has the values.
      svg.setAttribute('aria-hidden', 'true')
      element.replaceChildren(svg)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [container, chart])
}

function draw(chart: Chart, width: number): SVGSVGElement {
  const options = { line: drawLines, bars: drawBars, heat: drawHeatMap, table: drawBars }[chart.show.kind]
  const style = { color: COLORS.text, fontSize: '12px', fontFamily: 'system-ui, sans-serif', background: 'transparent' }
  return Plot.plot({ ...options(chart, width), style }) as SVGSVGElement
}

const TEXT_WIDTH = 7

const widthOf = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length)) * TEXT_WIDTH

/** Returns the form of labels that fit into a margin. */
const cut = (width: number) => (label: string) => {
  const most = Math.floor(width / TEXT_WIDTH)
  return label.length > most ? `${label.slice(0, most - 1)}…` : label
}

/** Returns the options of a tip, which has the values of a row that the chart shows. */
const tipOf = ({ x = '', y = '', color }: Show) => ({
  title: (row: Row) => [color, x, y].flatMap(column => (column ? formatCell(column, row[column]) : [])).join('\n'),
  fill: COLORS.background,
  stroke: COLORS.text,
})

/** Lines of more points have no dots. */
const MAX_DOTS = 62

function drawLines({ rows, show, parts, notes }: Chart, width: number): Plot.PlotOptions {
  const { x = '', y = '', color } = show
  const offset = readOffset(rows[0]?.[x])
  const nameOf = (row: Row) => (color === undefined ? '' : formatCell(color, row[color]))
  const names = [...new Set(rows.map(nameOf))].slice(0, COLORS.series.length)
  const shown = rows.filter(row => names.includes(nameOf(row)))
  const isPart = (row: Row) => parts.has(String(row[x]))
  const at = { x: (row: Row) => new Date(Date.parse(String(row[x])) + offset), y, stroke: nameOf }
  const starts = valuesOf(shown, x)
  const isDaily = new Set(starts.map(start => start.slice(0, 10))).size === starts.length
  const whole = { ...at, y: (row: Row) => (isPart(row) ? null : row[y]), strokeWidth: 1.75 }
  return {
    width,
    height: 420,
    marginLeft: widthOf(valuesOf(shown, y)) + 16,
    marginBottom: 40,
    // Weeks of the axis would begin on Sunday.
    x: { type: 'utc', label: null, ticks: starts.length < width / 60 ? shown.map(at.x) : width / 90 },
    y: { label: null, grid: true, zero: true, nice: true, tickFormat: (value: number) => formatCell(y, value) },
    color: { domain: names, range: COLORS.series },
    marks: [
      ...markNotes(notes, isDaily),
      Plot.ruleY([0], { stroke: COLORS.line }),
      Plot.line(shown, starts.length > MAX_DOTS ? whole : { ...whole, marker: 'dot' }),
      Plot.dot(shown.filter(isPart), { ...at, fill: COLORS.background, r: 4.5, className: 'partial' }),
      Plot.tip(shown, Plot.pointer({ ...at, ...tipOf(show) })),
    ],
  }
}

/** Returns the UTC offset of a time in milliseconds: axes show the clock of the asset. A clock change moves no point. */
function readOffset(time: Cell | undefined): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(String(time)) ?? []
  return sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000 : 0
}

const HOUR = 3_600_000

/** Returns the marks of notes: breaks, and where days are not final any more, as lines, others as areas. */
function markNotes(notes: readonly Note[], isDaily: boolean): Plot.Markish[] {
  const early = isDaily ? 12 * HOUR : 0
  const begin = ({ from }: Note) => new Date(Date.parse(from) - early)
  const end = ({ to }: Note) => new Date(Date.parse(to) + 24 * HOUR - early)
  const ofKind = (kind: Note['kind']) => notes.filter(note => note.kind === kind)
  const area = (kind: Note['kind'], fill: string, fillOpacity: number) =>
    Plot.rect(ofKind(kind), { x1: begin, x2: end, fill, fillOpacity, className: `note ${kind}` })
  const rule = (kind: Note['kind'], strokeDasharray = 'none') =>
    Plot.ruleX(ofKind(kind), { x: begin, stroke: COLORS.text, strokeDasharray, className: `note ${kind}` })
  return [
    area('caveat', COLORS.text, 0.12),
    area('unusable', COLORS.missing, 0.22),
    rule('provisional'),
    rule('break', '5,4'),
  ]
}

const BAR_HEIGHT = 26
const GROUPED_BAR_HEIGHT = 15

/** Bars lie, so that their labels and numbers have room on a phone. Bars of several series stand together by label. */
function drawBars(chart: Chart, width: number): Plot.PlotOptions {
  const { x = '', y = '', color } = chart.show
  const labels = valuesOf(chart.rows, x).slice(0, MAX_BARS)
  const labelOf = (row: Row) => formatCell(x, row[x])
  const rows = chart.rows.filter(row => labels.includes(labelOf(row)))
  const series = seriesOf(chart)
  const numberOf = (row: Row) => formatCell(y, row[y])
  const marginLeft = Math.min(widthOf(labels) + 16, width * 0.4)
  const label = { domain: labels, label: null, tickFormat: cut(marginLeft - 12), tickSize: 0, padding: 0.15 }
  const nameOf = color === undefined ? () => '' : (row: Row) => formatCell(color, row[color])
  const position = color === undefined ? { y: labelOf } : { fy: labelOf, y: nameOf }
  // Numbers stand to the right of bars, also of those that go to the left.
  const end = { ...position, x: (row: Row) => Math.max(0, Number(row[y])), text: numberOf, fill: COLORS.text }
  return {
    width,
    marginLeft,
    marginRight: widthOf(rows.map(numberOf)) + 8,
    height: 40 + labels.length * (color === undefined ? BAR_HEIGHT : series.length * GROUPED_BAR_HEIGHT + 10),
    color: { domain: color === undefined ? [''] : series, range: COLORS.series },
    x: { axis: null },
    ...(color === undefined ? { y: label } : { fy: label, y: { axis: null, domain: series } }),
    marks: [
      Plot.barX(rows, { ...position, x: y, fill: nameOf }),
      Plot.ruleX([0], { stroke: COLORS.line }),
      Plot.text(rows, { ...end, textAnchor: 'start', dx: 4 }),
    ],
  }
}

const CELL_HEIGHT = 22

/** A cell without data is empty and has a border, so that gaps are seen. Cells have their numbers where these fit. */
function drawHeatMap({ rows, show }: Chart, width: number): Plot.PlotOptions {
  const { x = '', y = '', color = '' } = show
  const columns = valuesOf(rows, x)
  const names = valuesOf(rows, y).slice(0, MAX_HEAT_ROWS)
  const nameOf = (row: Row) => formatCell(y, row[y])
  const shown = rows.filter(row => names.includes(nameOf(row)))
  const known = shown.filter(row => typeof row[color] === 'number')
  const missing = shown.filter(row => typeof row[color] !== 'number')
  const numberOf = (row: Row) => formatCell(color, row[color])
  const marginLeft = Math.min(widthOf(names) + 16, width * 0.35)
  const cell = (width - marginLeft) / columns.length
  const position = { x: (row: Row) => formatCell(x, row[x]), y: nameOf }
  const top = columns.map(shortenDay)
  const isTurned = widthOf(top) > cell
  // Labels stand above each other where they would collide.
  const every = isTurned ? Math.ceil(16 / cell) : 1
  return {
    width,
    height: names.length * CELL_HEIGHT + 70,
    marginLeft,
    marginRight: 4,
    marginTop: isTurned ? widthOf(top) + 20 : 30,
    padding: 0.06,
    color: {
      type: 'linear',
      domain: [0, Math.max(0, ...known.map(row => Number(row[color]))) || 1],
      range: COLORS.cells,
    },
    x: {
      ...{ domain: columns, axis: 'top', label: null, tickSize: 0, tickRotate: isTurned ? -90 : 0 },
      tickFormat: (label: string, i: number) => (i % every === 0 ? shortenDay(label) : ''),
    },
    y: { domain: names, label: null, tickSize: 0, tickFormat: cut(marginLeft - 12) },
    marks: [
      Plot.cell(known, { ...position, fill: color }),
      Plot.cell(missing, { ...position, fill: 'none', stroke: COLORS.missing, className: 'missing' }),
      widthOf(known.map(numberOf)) <= cell
        ? Plot.text(known, { ...position, text: numberOf, fill: COLORS.onCell })
        : null,
      Plot.tip(shown, Plot.pointer({ ...position, ...tipOf(show) })),
    ],
  }
}

/** Dates are shown without the year. */
const shortenDay = (label: string): string => (/^\d{4}-\d\d-\d\d$/.test(label) ? label.slice(5) : label)
