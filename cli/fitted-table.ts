/** A table that is not wider than the terminal. */
import { createTable } from './output'

/** The width where the output is not a terminal. */
const DEFAULT_WIDTH = 80

const MIN_COLUMN_WIDTH = 6

export type Align = 'left' | 'right'

export interface TableOptions {
  /** Of the columns, from the left; left by default. */
  aligns?: readonly Align[]
  width?: number
}

/**
 * Draws a table. Where it is too wide, the texts of some columns are truncated with an ellipsis, the widest ones first.
 *
 * @param truncatable the headings of these columns
 */
export function fittedTable(
  head: string[],
  rows: readonly (readonly string[])[],
  truncatable: readonly string[],
  options: TableOptions = {},
): string {
  const table = new FittedTable(head, truncatable, options)
  return [...table.draw(rows), ...table.end()].join('\n')
}

/** A table that is drawn in parts, whose columns are as wide as the first part needs. */
export class FittedTable {
  private widths: number[] | undefined

  constructor(
    private readonly head: string[],
    private readonly truncatable: readonly string[],
    private readonly options: TableOptions = {},
  ) {}

  /** The lines of further rows, after those of the heading at first. */
  draw(rows: readonly (readonly string[])[]): string[] {
    const isFirst = this.widths === undefined
    this.widths ??= this.fit(widthsOf(this.lines(rows, [])))
    const lines = this.lines(rows, this.widths)
    return lines.slice(isFirst ? 0 : HEADING_LINES, -1)
  }

  /** The last line. */
  end(): string[] {
    return this.lines([], this.widths ?? []).slice(-1)
  }

  private lines(rows: readonly (readonly string[])[], colWidths: number[]): string[] {
    const table = createTable(this.head, { colWidths, colAligns: [...(this.options.aligns ?? [])] })
    table.push(...rows.map(row => row.map(text => text.replace(/\p{Cc}+/gu, ' '))))
    return table.toString().split('\n')
  }

  private fit(widths: number[]): number[] {
    const { width = process.stdout.columns ?? DEFAULT_WIDTH } = this.options
    const isTruncatable = this.head.map(heading => this.truncatable.includes(heading))
    for (;;) {
      const excess = widths.reduce((sum, columnWidth) => sum + columnWidth, widths.length + 1) - width
      const widest = Math.max(...widths.filter((_, i) => isTruncatable[i]))
      if (excess <= 0 || widest <= MIN_COLUMN_WIDTH) return widths
      widths[widths.findIndex((columnWidth, i) => columnWidth === widest && isTruncatable[i])] = widest - 1
    }
  }
}

/** The upper border, the headings, and the line below. */
const HEADING_LINES = 3

/** The widths of the columns, with padding, from the first border of a table. */
const widthsOf = ([border]: readonly string[]): number[] =>
  (border as string)
    .slice(1, -1)
    .split('┬')
    .map(column => column.length)
