/** Downloads of the table as it is shown, and of the response. */
import { useState } from 'react'
import { Menu } from '../../layout/menu'
import type { Table } from '../table/tables'
import { download } from './download'
import { readSeparator, storeSeparator } from './separator'
import { addFacts, type Separator, writeCsv, writeNdjson } from './text-files'

interface Properties {
  /** Without the extension. */
  fileName: string
  /** Undefined if the result has no rows. */
  table: Table | undefined
  response: string
}

const SEPARATORS: Record<Separator, string> = { ',': 'comma', ';': 'semicolon, decimal comma' }

export function Downloads({ fileName, table, response }: Properties) {
  const [separator, setSeparator] = useState(readSeparator)
  const [error, setError] = useState<string>()
  const choose = (chosen: Separator) => {
    storeSeparator(chosen)
    setSeparator(chosen)
  }
  const saveWorkbook = async (shown: Table) => {
    try {
      const { writeXlsx } = await import('./xlsx')
      download(`${fileName}.xlsx`, '', await writeXlsx(shown))
      setError(undefined)
    } catch {
      setError('The workbook could not be written. Try CSV.')
    }
  }
  return (
    <div className="downloads end">
      <Menu label="Download">
        {table && (
          <>
            <p>{table.rows.length} rows, as in the table</p>
            <button
              type="button"
              onClick={() => download(`${fileName}.csv`, 'text/csv', writeCsv(addFacts(table), separator))}
            >
              CSV
            </button>
            <select
              aria-label="CSV separator"
              value={separator}
              onChange={event => choose(event.target.value as Separator)}
            >
              {Object.entries(SEPARATORS).map(([value, name]) => (
                <option key={value} value={value}>
                  CSV with {name}
                </option>
              ))}
            </select>
            <button type="button" onClick={() => saveWorkbook(table)}>
              Excel
            </button>
            <button
              type="button"
              onClick={() => download(`${fileName}.ndjson`, 'application/x-ndjson', writeNdjson(addFacts(table)))}
            >
              NDJSON
            </button>
          </>
        )}
        <p>The response</p>
        <button
          type="button"
          disabled={response === ''}
          onClick={() => download(`${fileName}.json`, 'application/json', response)}
        >
          JSON
        </button>
        {error && <p role="alert">{error}</p>}
      </Menu>
    </div>
  )
}
