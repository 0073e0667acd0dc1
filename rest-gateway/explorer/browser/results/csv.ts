/** Writes a table as CSV (RFC 4180). */
import type { Cell, Table } from './tables'

export const csvOf = ({ columns, rows }: Table): string =>
  [columns, ...rows].map(row => `${row.map(cellOf).join(',')}\r\n`).join('')

function cellOf(cell: Cell): string {
  if (cell === null) return ''
  // Spreadsheets would evaluate such text as a formula.
  const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
