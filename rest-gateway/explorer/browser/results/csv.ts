/** Writes a table as CSV (RFC 4180), for spreadsheets: text is guarded against evaluation, and Excel needs the byte order mark. */
import { guardFormula } from '../../../../db/import/csv/formulas'
import type { Cell, Table } from './tables'

const BYTE_ORDER_MARK = '\ufeff'

export const writeCsv = ({ columns, rows }: Table): string =>
  BYTE_ORDER_MARK + [columns, ...rows].map(row => `${row.map(writeCell).join(',')}\r\n`).join('')

function writeCell(cell: Cell): string {
  if (cell === null) return ''
  const text = typeof cell === 'string' ? guardFormula(cell) : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
