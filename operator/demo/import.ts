/** How the demo goes into the database: through the import, like anybody's data, so that it is checked and told in one way. */
import type { Pool } from 'pg'
import { type Figures, importFile, type Kind } from '../../db/import'
import { OperatorFault } from '../../db/operator-fault'
import { csvOf, type Table } from './tables'

/** Imports one table; what the database holds already stays as it is. */
export async function importTable(pool: Pool, kind: Kind, table: Table): Promise<void> {
  expectAll(kind, await importFile(pool, kind, { name: `demo ${kind}`, stream: csvOf(table) }))
}

/** @throws OperatorFault when not every row was taken */
export function expectAll(kind: string, { rejected, not_stored }: Figures): void {
  if (rejected + not_stored > 0) {
    throw new OperatorFault('DEMO_REFUSED', `the import refused ${rejected} rows of the demo's ${kind}`)
  }
}
