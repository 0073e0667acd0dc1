/** The filter of a table, and the choice of its columns. */
import { useMemo } from 'react'
import { Menu } from '../../layout/menu'
import { CopyCsv } from '../downloads/copy-csv'
import { addFacts } from '../downloads/text-files'
import { formatCell } from './format'
import type { TableState } from './table-state'
import type { Table } from './tables'

export function TableTools({ table, state }: { table: Table; state: TableState }) {
  const { shown, filter, hidden, setFilter, toggle } = state
  const records = useMemo(() => addFacts(shown), [shown])
  const isPart = shown.rows.length < table.rows.length
  return (
    <div className="row strip">
      <input
        type="search"
        aria-label="Filter rows"
        placeholder="Filter rows"
        value={filter}
        onChange={event => setFilter(event.target.value)}
      />
      <Menu label={hidden.size > 0 ? `Columns (${shown.columns.length} of ${table.columns.length})` : 'Columns'}>
        {table.columns.map(column => (
          <label key={column}>
            <input type="checkbox" checked={!hidden.has(column)} onChange={() => toggle(column)} />
            {column}
          </label>
        ))}
      </Menu>
      <span role="status">
        {isPart && `${formatCell(shown.rows.length)} of `}
        {formatCell(table.rows.length)} {table.rows.length === 1 ? 'row' : 'rows'}
      </span>
      <CopyCsv records={records} />
    </div>
  )
}
