/** How the demo goes into the database: through the import, like anybody's data, so that it is checked and told in one way. */
import type { Pool } from 'pg'
import { type Fault, importFile, type Kind } from '../../import/import-file'
import { OperatorError } from '../../operator-error'
import { csvOf, type Table } from './tables'

/**
 * Imports one table; what the database holds already stays as it is.
 *
 * @throws OperatorFault when a row is refused; nothing of the table is stored then
 */
export async function importTable(pool: Pool, kind: Kind, table: Table): Promise<void> {
  const faults: Fault[] = []
  const keepFirst = (fault: Fault) => faults.length === 0 && faults.push(fault)
  await importFile(pool, kind, { name: `demo ${kind}`, stream: csvOf(table) }, { onFault: keepFirst })
  const [first] = faults
  if (first) throw new OperatorError('DEMO_REFUSED', `the import refuses the demo's ${kind}: ${first.reason}`)
}
