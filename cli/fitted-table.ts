/** A table that is not wider than the terminal. */
import { createTable } from './output'

/** The width where the output is not a terminal. */
const DEFAULT_WIDTH = 80

const MIN_COLUMN_WIDTH = 6

/**
 * Draws a table. Where it is too wide, the texts of some columns are truncated with an ellipsis, the widest ones first.
 *
 * @param truncatable the headings of these columns
 */
export function fittedTable(
  head: string[],
  rows: readonly (readonly string[])[],
  truncatable: readonly string[],
  width = process.stdout.columns ?? DEFAULT_WIDTH,
): string {
  const cells = rows.map(row => row.map(text => text.replace(/\p{Cc}+/gu, ' ')))
  const draw = (colWidths: number[]) => {
    const table = createTable(head, { colWidths })
    table.push(...cells)
    return table.toString()
  }
  const widths = widthsOf(draw([]))
  for (;;) {
    const excess = widths.reduce((sum, columnWidth) => sum + columnWidth, widths.length + 1) - width
    const widest = Math.max(...widths.filter((_, i) => truncatable.includes(head[i] as string)))
    if (excess <= 0 || widest <= MIN_COLUMN_WIDTH) return draw(widths)
    widths[widths.findIndex((columnWidth, i) => columnWidth === widest && truncatable.includes(head[i] as string))] =
      widest - 1
  }
}

/** The widths of the columns, with padding, from the first border of a table. */
const widthsOf = (table: string): number[] =>
  (table.split('\n', 1)[0] as string)
    .slice(1, -1)
    .split('┬')
    .map(border => border.length)
