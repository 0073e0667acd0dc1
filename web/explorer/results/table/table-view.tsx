/** A table that can be sorted, with the values beside the list, and totals. It renders 500 rows until the user asks for all. */
import { useState } from 'react'
import { formatCell } from './format'
import { isNumeric, type TableState } from './table-state'
import { TableTools } from './table-tools'
import type { Table } from './tables'

const INITIAL_ROWS = 500

export function TableView({ table, state }: { table: Table; state: TableState }) {
  const [all, setAll] = useState(false)
  const { shown, totals, order, sortBy } = state
  const { columns, rows } = shown
  const numeric = columns.map((_, i) => isNumeric(shown, i))
  const visible = all ? rows : rows.slice(0, INITIAL_ROWS)
  const sorted = order && table.columns[order.column]
  const direction = (column: string) => (sorted !== column ? 'none' : order?.descending ? 'descending' : 'ascending')
  const hasTotals = rows.length > 1 && totals.some(total => total !== null)

  return (
    <div className="column">
      <Facts facts={table.facts} />
      <TableTools table={table} state={state} />
      <div className="table-view">
        <table>
          <thead>
            <tr>
              {columns.map((column, i) => (
                <th key={column} scope="col" aria-sort={direction(column)} className={numeric[i] ? 'number' : ''}>
                  <button type="button" className="bare" onClick={() => sortBy(column)}>
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
                  <td key={columns[column]} className={numeric[column] ? 'number' : ''}>
                    {formatCell(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {hasTotals && (
            <tfoot>
              <tr>
                {columns.map((column, i) => (
                  <td key={column} className={numeric[i] ? 'number' : ''}>
                    {totals[i] !== null ? formatCell(totals[i] ?? null) : i === 0 ? 'Total' : ''}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
        {visible.length < rows.length && (
          <button type="button" className="more" onClick={() => setAll(true)}>
            Show all {formatCell(rows.length)} rows
          </button>
        )}
      </div>
    </div>
  )
}

/** The values beside a list. */
function Facts({ facts }: Pick<Table, 'facts'>) {
  if (facts.length === 0) return null
  return (
    <dl className="row strip facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="soft">{name}</dt>
          <dd>{formatCell(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
