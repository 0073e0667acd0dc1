/** Tables for a terminal, and tab-separated values for programs. */
import stringWidth from 'string-width'
import { printableLine } from './printable'
import { createTable } from './table'

const MIN_COLUMN_WIDTH = 6

/** The table library takes long for many rows at once. */
const ROWS_PER_PART = 500

export type Align = 'left' | 'right'

interface TableOptions {
  /** The alignment of each column, from the left; left by default. */
  aligns?: readonly Align[]
  /** The width of the terminal; undefined where the output is not a terminal. */
  width?: number | undefined
}

/**
 * Draws a table. Where it is wider than the terminal, the texts of some columns are truncated with an ellipsis, the widest
 * ones first; if it is still wider, each row becomes a list of its values. Elsewhere the rows are tab-separated values, whole,
 * below a line with the headings.
 *
 * @param truncatable the headings of these columns
 */
export const fittedTable = (...table: Parameters<typeof drawTable>): string => [...drawTable(...table)].join('\n')

/** Draws such a table in parts of some lines. */
export function* drawTable(
  head: string[],
  rows: readonly (readonly string[])[],
  truncatable: readonly string[],
  { aligns = [], width }: TableOptions = {},
): Generator<string> {
  const cells = rows.map(row => row.map(printableLine))
  const isTruncatable = head.map(heading => truncatable.includes(heading))
  if (!width) return yield* [head, ...cells].map(row => row.join('\t'))
  const colWidths = fitWidths(measureColumns([head, ...cells]), isTruncatable, width)
  if (tableWidth(colWidths) > width) return yield* drawLists(head, cells)
  for (let i = 0; i < cells.length; i += ROWS_PER_PART) {
    const table = createTable(head, { colWidths, colAligns: [...aligns] })
    table.push(...cells.slice(i, i + ROWS_PER_PART))
    const lines = table.toString().split('\n')
    const isLast = i + ROWS_PER_PART >= cells.length
    yield lines.slice(i === 0 ? 0 : HEADING_LINES, isLast ? undefined : -1).join('\n')
  }
}

/** The upper border, the headings, and the line below. */
const HEADING_LINES = 3

const PADDING = 2

/** Returns the widths that columns need. */
const measureColumns = (rows: readonly (readonly string[])[]): number[] =>
  rows.reduce<number[]>(
    (widths, row) => row.map((text, i) => Math.max(widths[i] ?? 0, stringWidth(text) + PADDING)),
    [],
  )

/** Draws a line for each value that is not empty. */
function* drawLists(head: readonly string[], rows: readonly (readonly string[])[]): Generator<string> {
  const width = Math.max(...head.map(stringWidth))
  for (const [i, row] of rows.entries()) {
    if (i > 0) yield ''
    for (const [column, text] of row.entries()) if (text) yield `${head[column]!.padEnd(width)}  ${text}`
  }
}

/** Returns the width of a table with these columns and their borders. */
const tableWidth = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, widths.length + 1)

/** Returns the widths with which a table is not wider than a terminal, as far as columns are truncatable. */
function fitWidths(widths: number[], isTruncatable: readonly boolean[], terminal: number): number[] {
  for (;;) {
    const excess = tableWidth(widths) - terminal
    const widest = Math.max(...widths.filter((_, i) => isTruncatable[i]))
    if (excess <= 0 || widest <= MIN_COLUMN_WIDTH) return widths
    widths[widths.findIndex((width, i) => width === widest && isTruncatable[i])] = widest - 1
  }
}
