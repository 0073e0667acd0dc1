/** Draws charts as SVG with Observable Plot. */
import * as Plot from '@observablehq/plot'
import { exact } from '../table/format'
import type { Chart } from './charts'
import type { Colors } from './colors'
import { markNotes, type Note } from './notes'
import type { PartialBucket } from './partial-buckets'

interface ChartStyle {
  measure: string
  width: number
  height: number
  colors: Colors
  partial: Map<string, PartialBucket>
  notes: Note[]
}

interface Point {
  name: string
  label: string
  x: Date | string
  y: number | null
  isPartial: boolean
}

/** Above this number of points per line, only those without neighbors have dots. */
const MAX_DOTS = 62

const MIN_CELL_WIDTH = 22
const TEXT_CELL_WIDTH = 44
const CELL_HEIGHT = 22
const BAR_HEIGHT = 26
const MAX_LABEL = 30

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })

export function drawChart(chart: Chart, style: ChartStyle): SVGSVGElement {
  const draw = chart.kind === 'line' ? lineOptions : chart.kind === 'bar' ? barOptions : matrixOptions
  const font = { color: style.colors.text, fontSize: '12px', fontFamily: 'system-ui, sans-serif' }
  return Plot.plot({ ...draw(chart, style), style: { ...font, background: 'transparent' } }) as SVGSVGElement
}

function collectPoints({ labels, series }: Chart, partial: ChartStyle['partial'], isTime: boolean): Point[] {
  const offset = readOffset(labels[0] ?? '')
  return series.flatMap(({ name, values }) =>
    labels.map((label, i) => ({
      name,
      label,
      x: isTime ? new Date(Date.parse(label) + offset) : label,
      y: values[i] ?? null,
      isPartial: partial.has(label),
    })),
  )
}

/** Returns the UTC offset of a time in milliseconds: axes show the clock of the assets. A clock change moves no point. */
function readOffset(label: string): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(label) ?? []
  return sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000 : 0
}

const describe = ({ name, label, y }: Point): string =>
  [name, label, y === null ? 'no data' : exact.format(y)].filter(Boolean).join('\n')

function lineOptions(chart: Chart, { width, height, colors, partial, notes }: ChartStyle): Plot.PlotOptions {
  const points = collectPoints(chart, partial, true)
  const whole = points.map(point => (point.isPartial ? { ...point, y: null } : point))
  const isAlone = (i: number) =>
    [whole[i - 1], whole[i + 1]].every(other => other?.name !== whole[i]?.name || other?.y === null)
  const days = new Set(chart.labels.map(label => label.slice(0, 10)))
  const dots = whole.filter((_, i) => chart.labels.length <= MAX_DOTS || isAlone(i))
  return {
    width,
    height: Math.max(height, 200),
    marginLeft: 56,
    x: { type: 'utc', label: null },
    y: {
      label: null,
      grid: true,
      zero: true,
      nice: true,
      tickSpacing: 48,
      tickFormat: (value: number) => compact.format(value),
    },
    color: { domain: chart.series.map(({ name }) => name), range: colors.series },
    marks: [
      ...markNotes(notes, days.size === chart.labels.length, colors),
      Plot.ruleY([0], { stroke: colors.line }),
      Plot.line(whole, { x: 'x', y: 'y', stroke: 'name', z: 'name', strokeWidth: 1.75 }),
      Plot.dot(dots, { x: 'x', y: 'y', fill: 'name', r: 2.5 }),
      Plot.dot(
        points.filter(({ isPartial }) => isPartial),
        {
          x: 'x',
          y: 'y',
          stroke: 'name',
          fill: colors.background,
          strokeDasharray: '2,2',
          r: 4.5,
          className: 'partial',
        },
      ),
      Plot.tip(
        points.filter(({ y }) => y !== null),
        Plot.pointer({ x: 'x', y: 'y', title: describe, ...tipStyle(colors) }),
      ),
    ],
  }
}

function barOptions(chart: Chart, { width, height, colors, measure }: ChartStyle): Plot.PlotOptions {
  const points = collectPoints(chart, new Map(), false)
  const value = { label: null, grid: true, tickFormat: (number: number) => compact.format(number) }
  const shorten = (label: string) => (label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label)
  const color = { domain: chart.series.map(({ name }) => name), range: colors.series }
  const tip = { title: describe, ...tipStyle(colors) }
  if (chart.series.length > 1)
    return {
      width,
      height: Math.max(height, 200),
      marginLeft: 56,
      color,
      fx: { domain: chart.labels, label: null, tickFormat: shorten },
      x: { axis: null, domain: chart.series.map(({ name }) => name) },
      y: value,
      marks: [
        Plot.ruleY([0], { stroke: colors.line }),
        Plot.barY(points, { fx: 'label', x: 'name', y: 'y', fill: 'name' }),
        Plot.tip(points, Plot.pointer({ fx: 'label', x: 'name', y: 'y', ...tip })),
      ],
    }
  const longest = Math.max(...chart.labels.map(label => Math.min(label.length, MAX_LABEL)))
  return {
    width,
    height: chart.labels.length * BAR_HEIGHT + 50,
    marginLeft: Math.min(longest * 7 + 16, width * 0.45),
    marginRight: 24,
    color: { ...color, domain: [measure] },
    x: value,
    y: { domain: chart.labels, label: null, tickFormat: shorten },
    marks: [
      Plot.barX(points, { y: 'label', x: 'y', fill: 'name' }),
      Plot.tip(points, Plot.pointer({ y: 'label', x: 'y', ...tip })),
    ],
  }
}

/** A cell without data is empty and has a border, so that gaps are seen. */
function matrixOptions(chart: Chart, { width, colors }: ChartStyle): Plot.PlotOptions {
  const points = collectPoints(chart, new Map(), false)
  const names = chart.series.map(({ name }) => name)
  const max = Math.max(0, ...points.map(({ y }) => y ?? 0))
  const marginLeft = Math.min(Math.max(...names.map(name => name.length)) * 7 + 16, 240)
  const full = Math.max(width, marginLeft + chart.labels.length * MIN_CELL_WIDTH)
  const hasText = (full - marginLeft) / chart.labels.length >= TEXT_CELL_WIDTH
  const position = { x: 'label', y: 'name' }
  const known = points.filter(({ y }) => y !== null)
  const missing = points.filter(({ y }) => y === null)
  return {
    width: full,
    height: names.length * CELL_HEIGHT + 60,
    marginLeft,
    marginTop: 50,
    padding: 0.06,
    color: { type: 'linear', domain: [0, max || 1], range: colors.cells },
    x: { domain: chart.labels, axis: 'top', label: null, tickFormat: shortenDay, tickRotate: hasText ? 0 : -60 },
    y: {
      domain: names,
      label: null,
      tickFormat: (name: string) => (name.length > 34 ? `${name.slice(0, 33)}…` : name),
    },
    marks: [
      Plot.cell(known, { ...position, fill: 'y' }),
      Plot.cell(missing, { ...position, fill: 'none', stroke: colors.missing, className: 'missing' }),
      hasText
        ? Plot.text(known, {
            ...position,
            text: point => compact.format(point.y as number),
            fill: colors.onCell,
          })
        : null,
      Plot.text(missing, { ...position, text: () => '–', fill: colors.missing }),
      Plot.tip(points, Plot.pointer({ ...position, title: describe, ...tipStyle(colors) })),
    ],
  }
}

/** Dates are shown without the year, midnight without the time. */
const shortenDay = (label: string): string =>
  /^\d{4}-/.test(label)
    ? label
        .slice(5, 16)
        .replace('T', ' ')
        .replace(/ 00:00$/, '')
    : label

const tipStyle = ({ background, text }: Colors) => ({ fill: background, stroke: text })
