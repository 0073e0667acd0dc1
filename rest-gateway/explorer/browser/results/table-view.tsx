/** A sortable table. It renders a limited number of rows until the user asks for all. */
import { useMemo, useState } from 'react'
import { type Order, sortRows } from './sorting'
import type { Cell, Table } from './tables'

const INITIAL_ROWS = 500

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })

const format = (cell: Cell): string =>
  cell === null ? '–' : typeof cell === 'number' ? numbers.format(cell) : String(cell)

export function TableView({ table }: { table: Table }) {
  const [order, setOrder] = useState<Order>()
  const [all, setAll] = useState(false)
  const rows = useMemo(() => sortRows(table.rows, order), [table, order])
  const numeric = table.columns.map((_, i) => table.rows.some(row => typeof row[i] === 'number'))
  const visible = all ? rows : rows.slice(0, INITIAL_ROWS)

  const sortBy = (column: number) =>
    setOrder(now => {
      if (now?.column !== column) return { column, descending: numeric[column] === true }
      return now.descending === (numeric[column] === true) ? { column, descending: !now.descending } : undefined
    })
  const direction = (column: number) =>
    order?.column !== column ? 'none' : order.descending ? 'descending' : 'ascending'

  return (
    <div className="table-view">
      <table>
        <thead>
          <tr>
            {table.columns.map((column, i) => (
              <th key={column} scope="col" aria-sort={direction(i)} className={numeric[i] ? 'number' : ''}>
                <button type="button" onClick={() => sortBy(i)}>
                  {column}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {visible.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id
            <tr key={i}>
              {row.map((cell, column) => (
                <td key={table.columns[column]} className={numeric[column] ? 'number' : ''}>
                  {format(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {visible.length < rows.length && (
        <button type="button" className="more plain" onClick={() => setAll(true)}>
          Show all {numbers.format(rows.length)} rows
        </button>
      )}
    </div>
  )
}
