/** Rows as a table, which can be sorted by each column. */
import { useMemo, useState } from 'react'
import { type Cell, formatCell, isUneven, type Row, titleOf, UNEVEN } from './rows'

interface Order {
  column: string
  isDescending: boolean
}

const ARROWS = { none: '', ascending: '↑', descending: '↓' }

/** More rows make the page slow; the CSV file has all. */
const MAX_ROWS = 1_000

interface Properties {
  columns: readonly string[]
  rows: readonly Row[]
  /** Returns the address of the question to which an asset leads. */
  hrefOf(row: Row): string | undefined
}

export function Table({ columns, rows, hrefOf }: Properties) {
  const [order, setOrder] = useState<Order>()
  const sorted = useMemo(() => (order ? sort(rows, order) : rows), [rows, order])
  const isNumber = (column: string) => rows.some(row => typeof row[column] === 'number')
  const linked = columns.find(column => /^(name|asset|asset\.name)$/.test(column))
  // The largest number comes first, and the first text.
  const sortBy = (column: string) =>
    setOrder({ column, isDescending: order?.column === column ? !order.isDescending : isNumber(column) })
  const directionOf = (column: string) =>
    order?.column !== column ? 'none' : order.isDescending ? 'descending' : 'ascending'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section className="table" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column} aria-sort={directionOf(column)} className={isNumber(column) ? 'number' : undefined}>
                <button type="button" onClick={() => sortBy(column)}>
                  {titleOf(column)} {ARROWS[directionOf(column)]}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, MAX_ROWS).map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other key
            <tr key={i}>
              {columns.map(column => (
                <td key={column} className={isNumber(column) ? 'number' : isLong(row[column]) ? 'long' : undefined}>
                  {column === linked && hrefOf(row) ? (
                    <a href={hrefOf(row)}>{formatCell(column, row[column])}</a>
                  ) : (
                    formatCell(column, row[column])
                  )}
                  {/(^|\.)coverage$/.test(column) && isUneven(row) && ` ${UNEVEN}`}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS && (
        <p className="soft">
          The first {MAX_ROWS} of {rows.length} rows: the CSV file has all.
        </p>
      )}
    </section>
  )
}

/** Text that does not fit into a line of a narrow table. */
const isLong = (cell: Cell | undefined): boolean => typeof cell === 'string' && cell.length > 40

/** Returns the rows in an order, those without a value last. */
function sort(rows: readonly Row[], { column, isDescending }: Order): Row[] {
  const compare = (a: Cell, b: Cell) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b))
  return rows.toSorted(({ [column]: a = null }, { [column]: b = null }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return isDescending ? compare(b, a) : compare(a, b)
  })
}
