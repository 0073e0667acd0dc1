/** Writes a table as an Excel workbook: a sheet with the rows, and one with the values beside the list. */
import writeWorkbook, { type Sheet, type Row as SheetRow } from 'write-excel-file/universal'
import type { Cell, Table } from '../table/tables'

const DATE = /^\d{4}-\d\d-\d\d$/

const MIN_WIDTH = 10
const MAX_WIDTH = 50

export function writeXlsx({ columns, rows, facts }: Table): Promise<Blob> {
  const sheets: Sheet<Blob>[] = [
    {
      sheet: 'Rows',
      data: [headings(columns), ...rows.map(row => row.map(createCell))],
      columns: columns.map((column, i) => ({ width: findWidth([column, ...rows.slice(0, 100).map(row => row[i])]) })),
      stickyRowsCount: 1,
    },
  ]
  if (facts.length > 0) {
    const names = facts.map(([name]) => name)
    sheets.push({
      sheet: 'Totals',
      data: [headings(['name', 'value']), ...facts.map(([name, value]) => [name, createCell(value)])],
      columns: [{ width: findWidth(names) }, { width: 20 }],
    })
  }
  return writeWorkbook(sheets).toBlob()
}

const headings = (names: string[]): SheetRow => names.map(value => ({ value, fontWeight: 'bold' }))

/** A date has no time zone: the library takes the UTC date. */
function createCell(cell: Cell): SheetRow[number] {
  if (typeof cell === 'string' && DATE.test(cell)) return { value: new Date(cell), type: Date, format: 'yyyy-mm-dd' }
  return cell
}

const findWidth = (cells: (Cell | undefined)[]): number =>
  Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, ...cells.map(cell => String(cell ?? '').length + 2)))
