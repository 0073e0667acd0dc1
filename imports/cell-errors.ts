/**
 * Errors of cells that are rows of their own. A sink gets the number of a cell in place of the line, so that the errors that it
 * reports later can name line and sensor, or line and column.
 */

import { FileError, type RowError } from '../db/file-errors'
import type { Cell } from './csv/header/cells'

/** Sinks keep the number in 4 bytes. */
const MAX_CELL = 2 ** 31 - 1

export class CellErrors {
  constructor(private readonly cells: readonly Cell[]) {}

  /** Returns the number of a cell. */
  numberCell(line: number, index: number): number {
    const cell = line * this.cells.length + index
    if (cell > MAX_CELL) throw new FileError('has more than two billion cells: split it', line)
    return cell
  }

  /** Returns the error of a cell with its line, and with the sensor or column. */
  locate({ line: cell, reason }: RowError): RowError {
    return { line: this.findLine(cell), reason: this.describe(cell, reason) }
  }

  /** Returns the reason with the sensor or column, and with lines in place of cells. */
  private describe(cell: number, reason: string): string {
    const { label, column } = this.cells[cell % this.cells.length]!
    const text = reason.replace(/\bline (\d+)/g, (_, other) => `line ${this.findLine(Number(other))}`)
    if (!text.startsWith(label)) return `${label}: ${text}`
    return column === 'sensor' && text.startsWith(`${label} is unknown`)
      ? `${text}; if the column is not a sensor, leave it out with --ignore`
      : text
  }

  private findLine(cell: number): number {
    return Math.floor(cell / this.cells.length)
  }
}
