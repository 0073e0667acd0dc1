/** Writes a table as text, as files have it: the values beside the list are columns of each row. */
import { SPREADSHEET_MARK, spreadsheetCell } from '../../../../db/formulas'
import type { Cell, Table } from '../table/tables'

export interface Records {
  columns: string[]
  rows: Cell[][]
}

export function addFacts({ columns, rows, facts }: Table): Records {
  const names = facts.map(([name]) => (columns.includes(name) ? `result.${name}` : name))
  const values = facts.map(([, value]) => value)
  return { columns: [...columns, ...names], rows: rows.map(row => [...row, ...values]) }
}

/** Spreadsheets with a decimal comma expect semicolons between values. */
export type Separator = ',' | ';'

/** Returns CSV (RFC 4180) for spreadsheets: text is guarded against evaluation, and Excel needs the byte order mark. */
export const writeCsv = (records: Records, separator: Separator): string =>
  SPREADSHEET_MARK + writeRows(records, separator)

/** Returns CSV without a byte order mark, which has no place in the clipboard. */
export const writeRows = ({ columns, rows }: Records, separator: Separator): string =>
  [columns, ...rows].map(row => `${row.map(cell => writeCell(cell, separator)).join(separator)}\r\n`).join('')

function writeCell(cell: Cell, separator: Separator): string {
  if (cell === null) return ''
  if (typeof cell === 'number' && separator === ';') return String(cell).replace('.', ',')
  return typeof cell === 'string' ? spreadsheetCell(cell) : String(cell)
}

/** Writes one JSON object per row and line. */
export const writeNdjson = ({ columns, rows }: Records): string =>
  rows.map(row => `${JSON.stringify(Object.fromEntries(columns.map((column, i) => [column, row[i]])))}\n`).join('')
