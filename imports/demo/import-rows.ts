/** The import of the demo's rows. */
import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { isExternalId } from '../../db/assets/external-ids'
import type { RowError } from '../../db/file-errors'
import type { OnWait } from '../../db/locks'
import { OperatorError } from '../../db/operator-error'
import { importFile } from '../import-file'
import type { Kind } from '../kind-names'
import { KINDS } from '../kinds'

/**
 * Imports objects like the rows of a file. Their fields are the columns of the kind, without commas; others are ignored.
 *
 * @throws OperatorError when one is rejected; nothing is stored then
 */
export async function importRows(pool: Pool, kind: Kind, rows: readonly object[], onWait?: OnWait): Promise<void> {
  const columns = [...KINDS[kind].columns, ...Object.keys(rows[0] ?? {}).filter(isExternalId)]
  const lines = rows.map(row => columns.map(column => (row as Record<string, unknown>)[column]).join(','))
  const errors: RowError[] = []
  const stream = Readable.from([[columns.join(','), ...lines].join('\n')])
  await importFile(pool, kind, stream, { onRowError: error => errors.push(error), ...(onWait && { onWait }) })
  if (errors[0]) throw new OperatorError('DEMO_REFUSED', `the demo cannot be imported: ${kind}: ${errors[0].reason}`)
}
