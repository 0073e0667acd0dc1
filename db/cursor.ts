/** Reads the rows of a query in batches, within a transaction. */
import type { ClientBase } from 'pg'

/**
 * Yields the rows. Other statements may run on the client meanwhile, but no second cursor. Rows that are deleted or stored after
 * the first batch was requested are not seen.
 */
export async function* readBatches<Row extends object>(
  client: ClientBase,
  query: string,
  size: number,
  values: readonly unknown[] = [],
): AsyncGenerator<Row[]> {
  await client.query(`DECLARE batches NO SCROLL CURSOR FOR ${query}`, [...values])
  let hasFailed = false
  try {
    for (let isLast = false; !isLast; ) {
      const { rows } = await client.query<Row>(`FETCH ${size} FROM batches`).catch(error => {
        hasFailed = true
        throw error
      })
      isLast = rows.length < size
      if (rows.length > 0) yield rows
    }
  } finally {
    // Also where the caller reads no further. A failed transaction has no cursors.
    if (!hasFailed) await client.query('CLOSE batches')
  }
}
