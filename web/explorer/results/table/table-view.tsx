/** A table that can be sorted, with the values beside the list, and totals. It renders 500 rows until the user asks for all. */
import { useState } from 'react'
import { useOpenQuery } from '../../editor/open-query'
import { GAPS_QUERY, missingIn } from '../../queries/gaps-query'
import { findArguments } from '../chart/query-arguments'
import type { Inputs } from '../result'
import { formatCell } from './format'
import { isNumeric, type TableState } from './table-state'
import { TableTools } from './table-tools'
import type { Cell, Table } from './tables'

const INITIAL_ROWS = 500

interface Properties extends Inputs {
  table: Table
  state: TableState
}

export function TableView({ table, state, query, variables }: Properties) {
  const [all, setAll] = useState(false)
  const { shown, totals, order, sortBy } = state
  const { columns, rows } = shown
  const numeric = columns.map((_, i) => isNumeric(shown, i))
  const open = useOpenQuery()
  const asked = findArguments(query, variables, table.name)
  const missing = columns.map(column => missingIn(shown, column, asked))
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
                    <Value cell={cell} missing={missing[column]?.(row)} open={open} />
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

/** A missing count leads to its reasons. */
function Value({
  cell,
  missing,
  open,
}: {
  cell: Cell
  missing: object | undefined
  open: ReturnType<typeof useOpenQuery>
}) {
  if (!missing) return formatCell(cell)
  const ask = () => open?.(GAPS_QUERY.query, JSON.stringify(missing, null, 2))
  return (
    <button type="button" className="bare why" title="Why is there no count?" aria-label="No count: why?" onClick={ask}>
      {formatCell(cell)}
    </button>
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
