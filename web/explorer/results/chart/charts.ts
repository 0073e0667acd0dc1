/**
 * Derives a chart from a table: lines or a matrix if the table has a time column, a matrix of the week for hours of the week,
 * otherwise bars.
 */
import type { Records } from '../downloads/text-files'
import type { Cell, Table } from '../table/tables'

export type ChartKind = 'line' | 'bar' | 'matrix'

export interface Chart {
  kind: ChartKind
  /** Points in time, categories, or the columns of a matrix. */
  labels: string[]
  /** The lines, the groups of bars, or the rows of a matrix. */
  series: { name: string; values: (number | null)[] }[]
  /** The number of series (line chart, matrix) or bars (bar chart) that do not fit. */
  omitted: number
}

const MAX_LINES = 10
const MAX_MATRIX_ROWS = 200
const MAX_BARS = 40

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const TIME_COLUMN = /^(start|date|time)$/

const isWeek = ({ columns }: Table): boolean => columns.includes('weekday') && columns.includes('hour')

/** Returns the position of the column with points in time; -1 if there is none. */
export const findTime = ({ columns }: Pick<Table, 'columns'>): number =>
  columns.findIndex(column => TIME_COLUMN.test(column))

/** Returns a table with the names of weekdays in place of their numbers, if they are not those of hours. */
function nameWeekdays(table: Table): Table {
  const weekday = table.columns.indexOf('weekday')
  if (weekday < 0 || isWeek(table)) return table
  const rows = table.rows.map(row => row.with(weekday, WEEKDAYS[Number(row[weekday]) - 1] ?? null))
  return { ...table, rows }
}

/** Returns the numeric columns, impressions first, then totals; those that distinguish hours of the week are none. */
export function findMeasures(given: Table): string[] {
  const table = nameWeekdays(given)
  const { columns, rows } = table
  const numeric = columns.filter((name, i) => {
    if (isWeek(table) && (name === 'weekday' || name === 'hour')) return false
    const cells = rows.map(row => row[i] ?? null)
    return (
      cells.some(cell => typeof cell === 'number') && cells.every(cell => cell === null || typeof cell === 'number')
    )
  })
  const rank = (column: string) => (/impressions$/i.test(column) ? 0 : /total$/i.test(column) ? 1 : 2)
  return numeric.sort((a, b) => rank(a) - rank(b))
}

/** Returns the kinds of charts that a table can be shown as, the most suitable one first. */
export function findKinds(given: Table): ChartKind[] {
  const table = nameWeekdays(given)
  if (isWeek(table)) return ['matrix']
  if (findTime(table) < 0) return findTexts(table).length > 0 ? ['bar'] : []
  const count = new Set(table.rows.map(row => nameRow(row, findTexts(table)))).size
  return count > MAX_LINES ? ['matrix', 'line'] : ['line', 'matrix']
}

/** Returns the chart of a measure. */
export function createChart(given: Table, measure: string, kind: ChartKind): Chart {
  const table = nameWeekdays(given)
  const { columns, rows } = table
  const values = rows.map(row => row[columns.indexOf(measure)] as number | null)
  if (isWeek(table)) return weekChart(table, values)
  const [labelled, named] = splitColumns(table)
  const labelOf = (row: Cell[]) => nameRow(row, labelled)
  const all = [...new Set(rows.map(labelOf))]
  if (kind !== 'bar') all.sort()
  const labels = kind === 'bar' ? all.slice(0, MAX_BARS) : all

  const positions = new Map(labels.map((label, i) => [label, i]))
  const byName = new Map<string, (number | null)[]>()
  rows.forEach((row, i) => {
    const name = named ? nameRow(row, named) : measure
    const points = byName.get(name) ?? labels.map(() => null)
    byName.set(name, points)
    const position = positions.get(labelOf(row))
    if (position !== undefined) points[position] = values[i] ?? null
  })
  const found = [...byName].map(([name, points]) => ({ name, values: points }))
  // Assets that lack most data come first: the matrix shows gaps.
  if (kind === 'matrix') found.sort((a, b) => countGaps(b.values) - countGaps(a.values))
  const series = found.slice(0, kind === 'matrix' ? MAX_MATRIX_ROWS : MAX_LINES)
  return { kind, labels, series, omitted: kind === 'bar' ? all.length - labels.length : found.length - series.length }
}

/** Returns the columns of labels and those of the names of series; undefined if there is one series. */
function splitColumns(table: Table): [labels: number[], names: number[] | undefined] {
  const time = findTime(table)
  const texts = findTexts(table)
  // Names are read before ids.
  if (time >= 0) return [[time], texts.sort((a, b) => Number(isId(table, a)) - Number(isId(table, b)))]
  const [first = -1, second = -1, ...more] = texts
  const isCrossTable = more.length === 0 && countValues(table, first) * countValues(table, second) === table.rows.length
  return second >= 0 && isCrossTable ? [[first], [second]] : [labelColumns(table, texts), undefined]
}

/** Returns a matrix as it is shown: a row for each series, with the texts that name it and a column for each label. */
export function listMatrix(table: Table, { labels, series }: Chart): Records {
  const names = isWeek(table) ? [] : (splitColumns(table)[1] ?? [])
  const texts = new Map(table.rows.map(row => [nameRow(row, names), names.map(i => row[i] ?? null)]))
  return {
    columns: [...(isWeek(table) ? ['hour'] : names.map(i => table.columns[i]!)), ...labels],
    rows: series.map(({ name, values }) => [...(texts.get(name) ?? [name]), ...values]),
  }
}

const isId = ({ columns }: Table, column: number): boolean => /(^|\.)id$|Id$/.test(columns[column]!)

const nameRow = (row: Cell[], columns: number[]): string => columns.map(i => row[i] ?? '–').join(' · ')

/** Returns the text columns that distinguish rows. */
function findTexts(table: Table): number[] {
  const time = findTime(table)
  const isText = (i: number) => typeof table.rows.find(row => row[i] != null)?.[i] === 'string'
  return table.columns.map((_, i) => i).filter(i => i !== time && isText(i) && varies(table, i))
}

function weekChart({ columns, rows }: Table, values: (number | null)[]): Chart {
  const [weekday, hour] = [columns.indexOf('weekday'), columns.indexOf('hour')]
  const series = Array.from({ length: 24 }, (_, i) => ({
    name: `${String(i).padStart(2, '0')}:00`,
    values: WEEKDAYS.map((): number | null => null),
  }))
  rows.forEach((row, i) => {
    const ofHour = series[Number(row[hour])]?.values
    if (ofHour) ofHour[Number(row[weekday]) - 1] = values[i] ?? null
  })
  return { kind: 'matrix', labels: WEEKDAYS, series, omitted: 0 }
}

const countGaps = (values: (number | null)[]): number => values.filter(value => value === null).length

const countValues = ({ rows }: Table, column: number): number => new Set(rows.map(row => row[column])).size

const varies = (table: Table, column: number): boolean => table.rows.length === 1 || countValues(table, column) > 1

/** Returns the columns that label the rows: one if it is unique (a name column, else the last), otherwise all. */
function labelColumns(table: Table, columns: number[]): number[] {
  const unique = columns.filter(i => countValues(table, i) === table.rows.length)
  const best = unique.find(i => /name$/i.test(table.columns[i]!)) ?? unique.at(-1)
  return best === undefined ? columns : [best]
}
