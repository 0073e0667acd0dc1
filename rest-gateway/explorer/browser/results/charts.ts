/** From a table to what a chart shows: lines where rows follow time, bars where they break something down. */
import type { Cell, Table } from './tables'

export interface Chart {
  kind: 'line' | 'bar'
  labels: string[]
  series: { name: string; values: (number | null)[] }[]
  /** How many more there are than can be told apart. */
  left: number
}

const MOST_LINES = 10
const MOST_BARS = 40

/** Columns that say when. */
const TIME = /^(start|date|time)$/

/** The columns that can be shown, the one that is meant most likely first. */
export function measuresOf({ columns, rows }: Table): string[] {
  const numeric = columns.filter((_, i) => {
    const cells = rows.map(row => row[i] ?? null)
    return (
      cells.some(cell => typeof cell === 'number') && cells.every(cell => cell === null || typeof cell === 'number')
    )
  })
  const rank = (column: string) => (/impressions$/i.test(column) ? 0 : /total$/i.test(column) ? 1 : 2)
  return numeric.sort((a, b) => rank(a) - rank(b))
}

/** The chart of a measure. Undefined where there is nothing to tell apart. */
export function chartOf(table: Table, measure: string): Chart | undefined {
  const at = table.columns.indexOf(measure)
  const time = table.columns.findIndex(column => TIME.test(column))
  const said = table.columns
    .map((_, i) => i)
    .filter(i => i !== time && typeof table.rows.find(row => row[i] != null)?.[i] === 'string' && varies(table, i))
  const value = (row: Cell[]) => row[at] as number | null
  const name = (row: Cell[], columns: number[]) => columns.map(i => row[i] ?? '–').join(' · ')
  if (time >= 0)
    return lines(
      table.rows,
      row => String(row[time]),
      row => name(row, said),
      value,
    )
  if (said.length === 0) return undefined
  const last = said.at(-1) as number
  const crossed = said.length === 2 && count(table, said[0] as number) * count(table, last) === table.rows.length
  return crossed
    ? bars(
        table.rows,
        row => name(row, said.slice(0, 1)),
        row => name(row, [last]),
        value,
      )
    : bars(
        table.rows,
        row => name(row, narrowed(table, said)),
        () => measure,
        value,
      )
}

type Read<Value> = (row: Cell[]) => Value

function lines(rows: Cell[][], label: Read<string>, name: Read<string>, value: Read<number | null>): Chart {
  const labels = [...new Set(rows.map(label))].sort()
  return { kind: 'line', labels, ...seriesOf(rows, labels, label, name, value, MOST_LINES) }
}

function bars(rows: Cell[][], label: Read<string>, name: Read<string>, value: Read<number | null>): Chart {
  const all = [...new Set(rows.map(label))]
  const labels = all.slice(0, MOST_BARS)
  const { series } = seriesOf(rows, labels, label, name, value, MOST_LINES)
  return { kind: 'bar', labels, series, left: all.length - labels.length }
}

function seriesOf(
  rows: Cell[][],
  labels: string[],
  label: Read<string>,
  name: Read<string>,
  value: Read<number | null>,
  most: number,
): Pick<Chart, 'series' | 'left'> {
  const place = new Map(labels.map((text, i) => [text, i]))
  const series = new Map<string, (number | null)[]>()
  for (const row of rows) {
    const values = series.get(name(row)) ?? labels.map(() => null)
    series.set(name(row), values)
    const i = place.get(label(row))
    if (i !== undefined) values[i] = value(row)
  }
  const shown = [...series].slice(0, most).map(([text, values]) => ({ name: text, values }))
  return { series: shown, left: series.size - shown.length }
}

const count = ({ rows }: Table, column: number): number => new Set(rows.map(row => row[column])).size

const varies = (table: Table, column: number): boolean => table.rows.length === 1 || count(table, column) > 1

/** The columns that name the rows: one alone where it tells them all apart, a name or else the last, the narrowest. */
function narrowed(table: Table, columns: number[]): number[] {
  const alone = columns.filter(i => count(table, i) === table.rows.length)
  const best = alone.find(i => /name$/i.test(table.columns[i] as string)) ?? alone.at(-1)
  return best === undefined ? columns : [best]
}
