/** Draws rows as lines, bars or a heat map with Observable Plot, as `Show` says. */
import * as Plot from '@observablehq/plot'
import { type RefObject, useEffect } from 'react'
import { measureOf, type Show } from '../questions/question'
import type { Chart, Note } from './caption'
import { type Cell, formatCell, isUneven, type Row, shortenDay, UNEVEN } from './rows'
import { readClock } from './series-clock'

/** Colors that are readable on a light and on a dark page; other marks have the color of the text. */
const COLORS = {
  missing: '#c9503e',
  /** The cells of the smallest and the largest number. */
  cells: ['rgba(79, 125, 216, .06)', 'rgba(79, 125, 216, .5)'],
  missingCells: ['rgba(217, 92, 72, .1)', 'rgba(217, 92, 72, .5)'],
  series: '#4a7fe0 #d9822b #2c9c74 #c05f9d #8a76d6 #b8961f #3f9bbf #d0605a #6f9149 #94806c'.split(' '),
}

const valuesOf = (rows: readonly Row[], column: string): string[] =>
  Array.from(new Set(rows.map(row => formatCell(column, row[column]))))

const MAX_GROUPS = { line: COLORS.series.length, bars: 100, heat: 100, table: 0 }

/** Returns the largest groups of a chart in the order of the rows. */
export function findGroups({ rows, show }: Pick<Chart, 'rows' | 'show'>): Pick<Chart, 'groups' | 'omission'> {
  const max = MAX_GROUPS[show.kind]
  const column = { line: show.color, bars: show.x, heat: show.y, table: undefined }[show.kind]
  const sums = new Map<string, number>()
  for (const row of rows) {
    const name = column ? formatCell(column, row[column]) : ''
    sums.set(name, (sums.get(name) ?? 0) + Math.abs(Number(row.impressions ?? row[measureOf(show)] ?? 0)))
  }
  const largest = new Set([...sums.keys()].sort((a, b) => sums.get(b)! - sums.get(a)!).slice(0, max))
  return {
    groups: [...sums.keys()].filter(name => largest.has(name)),
    omission: sums.size > max ? `The ${max} largest of ${sums.size}; the table has all.` : undefined,
  }
}

/** Returns the names of series with their colors; none if there is one series. */
export function listSeries({ rows, show: { kind, color }, groups }: Chart): [name: string, color: string][] {
  if (kind === 'heat' || color === undefined) return []
  const names = kind === 'line' ? groups : valuesOf(rows, color)
  return names.length > 1 ? names.map((name, i) => [name, COLORS.series[i]!]) : []
}

/** Draws a chart into an element, and again when the width of the element changes. */
export function useDrawing(container: RefObject<HTMLElement | null>, chart: Chart, label: string): void {
  useEffect(() => {
    const element = container.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      const { clientWidth } = element
      if (clientWidth === 0) return
      const svg = draw(chart, clientWidth)
      // An image has no links for assistive technology; the table has them, too.
      svg.setAttribute('role', svg.querySelector('a') ? 'group' : 'img')
      svg.setAttribute('aria-label', label)
      // Plot names the kinds of marks, which are no elements of the page to assistive technology.
      for (const group of svg.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label')
      element.replaceChildren(svg)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [container, chart, label])
}

function draw(chart: Chart, width: number): SVGSVGElement {
  const options = { line: drawLines, bars: drawBars, heat: drawHeatMap, table: drawBars }[chart.show.kind]
  const style = { fontSize: '12px', fontFamily: 'system-ui, sans-serif', background: 'transparent' }
  return Plot.plot({ ...options(chart, width), style }) as SVGSVGElement
}

const TEXT_WIDTH = 7

const widthOf = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length)) * TEXT_WIDTH

const cut = (width: number) => (label: string) => {
  const most = Math.floor(width / TEXT_WIDTH)
  return label.length > most ? `${label.slice(0, most - 1)}…` : label
}

/** Returns the options of a tip, which has the values of a row that the chart shows. */
const tipOf = ({ show }: Chart) => ({
  title: (row: Row) => describeRow(show, row),
  fill: 'var(--base)',
  stroke: 'currentColor',
  // It stays where a cell is clicked, and would take the rest of the click.
  pointerEvents: 'none' as const,
})

const describeRow = (show: Show, row: Row): string =>
  [show.color, show.x, show.y]
    .flatMap(column => (column ? formatCell(column, column === show.color ? readCell(show, row) : row[column]) : []))
    .join('\n')

/** Returns the value of the column `color`, or what it lacks to be whole. */
function readCell({ color = '', isMissing }: Show, row: Row): Cell | undefined {
  const cell = row[color]
  return isMissing && typeof cell === 'number' ? 1 - cell : cell
}

/** Returns the options by which a mark of an asset leads to a question on it. */
const linkOf = ({ show, hrefOf, rows }: Chart) =>
  rows.some(hrefOf) ? { href: (row: Row) => hrefOf(row), ariaLabel: (row: Row) => describeRow(show, row) } : {}

const MAX_DOTS = 62

function drawLines(chart: Chart, width: number): Plot.PlotOptions {
  const { show, cutBuckets, notes, groups } = chart
  const { x = '', y = '', color } = show
  const nameOf = (row: Row) => (color === undefined ? '' : formatCell(color, row[color]))
  const shown = chart.rows.filter(row => groups.includes(nameOf(row)))
  const ofFirst = shown.filter(row => nameOf(row) === groups[0])
  const isCut = (row: Row) => cutBuckets.has(String(row[x]))
  const at = { x: readClock(shown, x, nameOf), y, stroke: nameOf }
  const starts = valuesOf(ofFirst, x)
  const isDaily = new Set(starts.map(start => start.slice(0, 10))).size === starts.length
  const whole = { ...at, y: (row: Row) => (isCut(row) ? null : row[y]), strokeWidth: 1.75 }
  return {
    width,
    height: 420,
    marginLeft: widthOf(valuesOf(shown, y)) + 16,
    marginBottom: 40,
    // Weeks of the axis would begin on Sunday.
    x: { type: 'utc', label: null, ticks: starts.length < width / 60 ? ofFirst.map(at.x) : width / 90 },
    y: { label: null, grid: true, zero: true, nice: true, tickFormat: (value: number) => formatCell(y, value) },
    color: { domain: groups, range: COLORS.series },
    marks: [
      ...markNotes(notes, isDaily),
      Plot.ruleY([0], { strokeOpacity: 0.3 }),
      Plot.line(shown, starts.length > MAX_DOTS ? whole : { ...whole, marker: 'dot' }),
      Plot.dot(shown.filter(isCut), { ...at, fill: 'var(--base)', r: 4.5, className: 'partial' }),
      Plot.tip(shown, Plot.pointer({ ...at, ...tipOf(chart) })),
    ],
  }
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
    Plot.ruleX(ofKind(kind), { x: begin, strokeDasharray, className: `note ${kind}` })
  return [
    area('caveat', 'currentColor', 0.12),
    area('unusable', COLORS.missing, 0.22),
    rule('provisional'),
    rule('break', '5,4'),
  ]
}

const BAR_HEIGHT = 26
const GROUPED_BAR_HEIGHT = 15

/** Bars lie, so that their labels and numbers have room on a phone. Bars of several series stand together by label. */
function drawBars(chart: Chart, width: number): Plot.PlotOptions {
  const { show, groups: labels } = chart
  const { x = '', y = '', color } = show
  const labelOf = (row: Row) => formatCell(x, row[x])
  const rows = chart.rows.filter(row => labels.includes(labelOf(row)))
  const series = color === undefined ? [''] : valuesOf(rows, color)
  const numberOf = (row: Row) => formatCell(y, row[y]) + (isUneven(row) ? ` ${UNEVEN}` : '')
  const marginLeft = Math.min(widthOf(labels) + 16, width * 0.4)
  const label = { domain: labels, label: null, tickFormat: cut(marginLeft - 12), tickSize: 0, padding: 0.15 }
  const nameOf = color === undefined ? () => '' : (row: Row) => formatCell(color, row[color])
  const position = color === undefined ? { y: labelOf } : { fy: labelOf, y: nameOf }
  // Numbers stand to the right of bars, also of those that go to the left.
  const end = { ...position, x: (row: Row) => Math.max(0, Number(row[y])), text: numberOf }
  return {
    width,
    marginLeft,
    marginRight: widthOf(rows.map(numberOf)) + 8,
    height: 40 + labels.length * (color === undefined ? BAR_HEIGHT : series.length * GROUPED_BAR_HEIGHT + 10),
    color: { domain: series, range: COLORS.series },
    x: { axis: null },
    ...(color === undefined ? { y: label } : { fy: label, y: { axis: null, domain: series } }),
    marks: [
      Plot.barX(rows, {
        ...position,
        x: y,
        fill: nameOf,
        fillOpacity: row => (isUneven(row) ? 0.4 : 1),
        ...linkOf(chart),
      }),
      Plot.ruleX([0], { strokeOpacity: 0.3 }),
      Plot.text(rows, { ...end, textAnchor: 'start', dx: 4 }),
    ],
  }
}

const CELL_HEIGHT = 22

/**
 * A cell without data is empty and has a border, so that gaps are seen; where a chart shows what is missing, nothing is drawn if it is
 * nothing. Cells have their numbers where these fit.
 */
function drawHeatMap(chart: Chart, width: number): Plot.PlotOptions {
  const { rows, show, groups: names } = chart
  const { x = '', y = '', color = '', isMissing } = show
  const columns = valuesOf(rows, x)
  const nameOf = (row: Row) => formatCell(y, row[y])
  const shown = rows.filter(row => names.includes(nameOf(row)))
  const figureOf = (row: Row) => Number(readCell(show, row))
  const known = shown.filter(row => typeof row[color] === 'number' && !(isMissing && figureOf(row) === 0))
  const unknown = shown.filter(row => typeof row[color] !== 'number')
  const numberOf = (row: Row) => formatCell(color, figureOf(row))
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
      domain: [0, isMissing ? 1 : Math.max(0, ...known.map(figureOf)) || 1],
      range: isMissing ? COLORS.missingCells : COLORS.cells,
    },
    x: {
      ...{ domain: columns, axis: 'top', label: null, tickSize: 0, tickRotate: isTurned ? -90 : 0 },
      tickFormat: (label: string, i: number) => (i % every === 0 ? shortenDay(label) : ''),
    },
    y: { domain: names, label: null, tickSize: 0, tickFormat: cut(marginLeft - 12) },
    marks: [
      Plot.cell(known, { ...position, fill: figureOf, ...linkOf(chart) }),
      Plot.cell(unknown, { ...position, fill: 'none', stroke: COLORS.missing, className: 'missing' }),
      widthOf(known.map(numberOf)) <= cell
        ? Plot.text(known, { ...position, text: numberOf, pointerEvents: 'none' })
        : null,
      Plot.tip(shown, Plot.pointer({ ...position, ...tipOf(chart) })),
    ],
  }
}
