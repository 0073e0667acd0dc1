/** Derives a chart from a table: a line chart if the table has a time column, otherwise a bar chart. */
import type { Cell, Table } from '../table/tables'

export interface Chart {
  kind: 'line' | 'bar'
  labels: string[]
  series: { name: string; values: (number | null)[] }[]
  /** The number of series (line chart) or bars (bar chart) that do not fit. */
  omitted: number
}

const MAX_SERIES = 10
const MAX_BARS = 40

const TIME_COLUMN = /^(start|date|time)$/

/** Returns whether the rows are hours of the week. */
export const isWeek = ({ columns }: Table): boolean => columns.includes('weekday') && columns.includes('hour')

/** Returns the numeric columns, impressions first, then totals; those that distinguish hours of the week are none. */
export function findMeasures(table: Table): string[] {
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

/** Returns a measure of hours of the week, by weekday and hour; null without data. */
export function arrangeWeek({ columns, rows }: Table, measure: string): (number | null)[][] {
  const [weekday, hour, value] = ['weekday', 'hour', measure].map(name => columns.indexOf(name)) as [
    number,
    number,
    number,
  ]
  const week = Array.from({ length: 7 }, () => Array.from({ length: 24 }, (): number | null => null))
  for (const row of rows) {
    const day = week[Number(row[weekday]) - 1]
    if (day) day[Number(row[hour])] = row[value] as number | null
  }
  return week
}

/** Returns the chart of a measure; undefined if no text column distinguishes the rows. */
export function createChart(table: Table, measure: string): Chart | undefined {
  const measureIndex = table.columns.indexOf(measure)
  const time = table.columns.findIndex(column => TIME_COLUMN.test(column))
  const texts = table.columns
    .map((_, i) => i)
    .filter(i => i !== time && typeof table.rows.find(row => row[i] != null)?.[i] === 'string' && varies(table, i))
  const value = (row: Cell[]) => row[measureIndex] as number | null
  const name = (row: Cell[], columns: number[]) => columns.map(i => row[i] ?? '–').join(' · ')
  if (time >= 0)
    return lineChart(
      table.rows,
      row => String(row[time]),
      row => name(row, texts),
      value,
    )
  if (texts.length === 0) return undefined
  const last = texts.at(-1) as number
  const isCrossTable =
    texts.length === 2 && countValues(table, texts[0] as number) * countValues(table, last) === table.rows.length
  return isCrossTable
    ? barChart(
        table.rows,
        row => name(row, texts.slice(0, 1)),
        row => name(row, [last]),
        value,
      )
    : barChart(
        table.rows,
        row => name(row, labelColumns(table, texts)),
        () => measure,
        value,
      )
}

type Read<Value> = (row: Cell[]) => Value

function lineChart(rows: Cell[][], label: Read<string>, name: Read<string>, value: Read<number | null>): Chart {
  const labels = [...new Set(rows.map(label))].sort()
  return { kind: 'line', labels, ...collectSeries(rows, labels, label, name, value) }
}

function barChart(rows: Cell[][], label: Read<string>, name: Read<string>, value: Read<number | null>): Chart {
  const all = [...new Set(rows.map(label))]
  const labels = all.slice(0, MAX_BARS)
  const { series } = collectSeries(rows, labels, label, name, value)
  return { kind: 'bar', labels, series, omitted: all.length - labels.length }
}

function collectSeries(
  rows: Cell[][],
  labels: string[],
  label: Read<string>,
  name: Read<string>,
  value: Read<number | null>,
): Pick<Chart, 'series' | 'omitted'> {
  const indexes = new Map(labels.map((text, i) => [text, i]))
  const series = new Map<string, (number | null)[]>()
  for (const row of rows) {
    const values = series.get(name(row)) ?? labels.map(() => null)
    series.set(name(row), values)
    const i = indexes.get(label(row))
    if (i !== undefined) values[i] = value(row)
  }
  const shown = [...series].slice(0, MAX_SERIES).map(([text, values]) => ({ name: text, values }))
  return { series: shown, omitted: series.size - shown.length }
}

const countValues = ({ rows }: Table, column: number): number => new Set(rows.map(row => row[column])).size

const varies = (table: Table, column: number): boolean => table.rows.length === 1 || countValues(table, column) > 1

/** Returns the columns that label the rows: one if it is unique (a name column, else the last), otherwise all. */
function labelColumns(table: Table, columns: number[]): number[] {
  const unique = columns.filter(i => countValues(table, i) === table.rows.length)
  const best = unique.find(i => /name$/i.test(table.columns[i] as string)) ?? unique.at(-1)
  return best === undefined ? columns : [best]
}
