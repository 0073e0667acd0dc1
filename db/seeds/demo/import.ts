/** How the demo goes into the database: through the import, like anybody's data, so that it is checked and told in one way. */
import type { Pool } from 'pg'
import type { RowError } from '../../import/errors'
import { importFile } from '../../import/import-file'
import type { Kind } from '../../import/kinds'
import { OperatorError } from '../../operator-error'
import { csvOf, type Table } from './tables'

/**
 * Imports one table; what the database holds already stays as it is.
 *
 * @throws OperatorFault when a row is refused; nothing of the table is stored then
 */
export async function importTable(pool: Pool, kind: Kind, table: Table): Promise<void> {
  let first: RowError | undefined
  const onRowError = (error: RowError) => {
    first ??= error
  }
  await importFile(pool, kind, csvOf(table), { onRowError })
  if (first) throw new OperatorError('DEMO_REFUSED', `the import refuses the demo's ${kind}: ${first.reason}`)
}
