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
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${size} FROM batches`)
    if (rows.length > 0) yield rows
    if (rows.length < size) break
  }
  await client.query('CLOSE batches')
}
