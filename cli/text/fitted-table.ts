/** Tables for a terminal, and tab-separated values for programs. */
import stringWidth from 'string-width'
import { printableLine } from './printable'

const MIN_COLUMN_WIDTH = 6

/** Numbers are grouped and stand on the right of a table; an id that is a number is given as a text. */
export type Cell = string | number | null | undefined

/**
 * Draws a table. Where it is wider than the terminal, the texts of some columns are cut in their middle, the widest
 * ones first; if it is still wider, each row becomes a list of its values. Elsewhere the rows are tab-separated values,
 * whole, below a line with the headings.
 *
 * @param truncatable the headings of these columns; one that is named twice keeps twice the width
 * @param options with the width of the terminal; undefined where the output is not a terminal
 */
export function fittedTable(
  head: string[],
  rows: readonly (readonly Cell[])[],
  truncatable: readonly string[],
  { width }: { width?: number | undefined },
): string {
  const format = width ? formatCell : String
  const cells = rows.map(row => row.map(cell => printableLine(format(cell ?? ''))))
  if (!width) return [head, ...cells].map(row => row.join('\t')).join('\n')
  const shares = head.map(heading => truncatable.filter(name => name === heading).length)
  const colWidths = fitWidths(measureColumns([head, ...cells]), shares, width)
  if (tableWidth(colWidths) > width) return drawLists(head, cells)
  const isNumber = head.map((_, i) => rows.some(row => typeof row[i] === 'number'))
  const drawCell = (text: string, i: number) => {
    const shown = cutMiddle(text, colWidths[i]! - PADDING)
    const padding = ' '.repeat(colWidths[i]! - PADDING - stringWidth(shown))
    return isNumber[i] ? ` ${padding}${shown} ` : ` ${shown}${padding} `
  }
  const drawRow = (row: readonly string[]) => `│${row.map(drawCell).join('│')}│`
  const drawBorder = (start: string, middle: string, end: string) =>
    start + colWidths.map(columnWidth => '─'.repeat(columnWidth)).join(middle) + end
  const top = [drawBorder('┌', '┬', '┐'), drawRow(head), drawBorder('├', '┼', '┤')]
  return [...top, ...cells.map(drawRow), drawBorder('└', '┴', '┘')].join('\n')
}

/** Draws the table of rows. @param columns by heading: a property of the rows, or a function of one */
export const tableOf = <Row extends object>(
  rows: readonly Row[],
  columns: Readonly<Record<string, keyof Row | ((row: Row) => Cell)>>,
  truncatable: readonly string[],
  width: number | undefined,
): string => {
  const readers = Object.values(columns)
  const cells = rows.map(row => readers.map(read => (typeof read === 'function' ? read(row) : (row[read] as Cell))))
  return fittedTable(Object.keys(columns), cells, truncatable, { width })
}

const formatCell = (cell: string | number): string => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)

const PADDING = 2

const measureColumns = (rows: readonly (readonly string[])[]): number[] =>
  rows.reduce<number[]>(
    (widths, row) => row.map((text, i) => Math.max(widths[i] ?? 0, stringWidth(text) + PADDING)),
    [],
  )

/** Draws a line for each value that is not empty. */
function drawLists(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const width = Math.max(...head.map(stringWidth))
  const drawRow = (row: readonly string[]) =>
    row.flatMap((text, i) => (text ? `${head[i]!.padEnd(width)}  ${text}\n` : [])).join('')
  return rows.map(drawRow).join('\n').trimEnd()
}

const tableWidth = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, widths.length + 1)

/** Returns the widths with which a table is not wider than a terminal, as far as columns are truncatable. */
function fitWidths(widths: number[], shares: readonly number[], terminal: number): number[] {
  for (;;) {
    const portions = widths.map((width, i) => (shares[i] && width > MIN_COLUMN_WIDTH ? width / shares[i] : 0))
    const widest = Math.max(...portions)
    if (tableWidth(widths) <= terminal || widest === 0) return widths
    widths[portions.indexOf(widest)]!--
  }
}

const graphemes = new Intl.Segmenter()

/** Cuts a text in its middle: labels and files often differ at their end. */
function cutMiddle(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  const letters = Array.from(graphemes.segment(text), ({ segment }) => segment)
  const endWidth = Math.floor((width - 1) / 2)
  return [...take(letters, width - 1 - endWidth), '…', ...take(letters.reverse(), endWidth).reverse()].join('')
}

/** Returns the first letters of a text that fit into a width. */
function take(letters: readonly string[], width: number): string[] {
  let left = width
  const excess = letters.findIndex(letter => {
    left -= stringWidth(letter)
    return left < 0
  })
  return letters.slice(0, excess)
}
