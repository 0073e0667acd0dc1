/** Writes a table as CSV (RFC 4180), for spreadsheets: text is guarded against evaluation, and Excel needs the byte order mark. */
import { SPREADSHEET_MARK, spreadsheetCell } from '../../../../db/formulas'
import type { Cell } from '../table/tables'
import type { Records } from './records'

/** Spreadsheets with a decimal comma expect semicolons between values. */
export type Separator = ',' | ';'

export function writeCsv({ columns, rows }: Records, separator: Separator): string {
  const write = (row: readonly Cell[]) => `${row.map(cell => writeCell(cell, separator)).join(separator)}\r\n`
  return SPREADSHEET_MARK + [columns, ...rows].map(write).join('')
}

/** Returns the separator that spreadsheets expect in the language of the browser. */
export const localSeparator = (): Separator => ((1.5).toLocaleString().includes(',') ? ';' : ',')

function writeCell(cell: Cell, separator: Separator): string {
  if (cell === null) return ''
  if (typeof cell === 'number' && separator === ';') return String(cell).replace('.', ',')
  return typeof cell === 'string' ? spreadsheetCell(cell) : String(cell)
}
