/** Reads the rows of a query in batches, within a transaction. */
import type { ClientBase } from 'pg'

/** Yields the rows. Other statements may run on the client meanwhile, but no second cursor. */
export async function* readBatches<Row extends object>(
  client: ClientBase,
  query: string,
  size: number,
): AsyncGenerator<Row[]> {
  await client.query(`DECLARE batches CURSOR FOR ${query}`)
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${size} FROM batches`)
    if (rows.length > 0) yield rows
    if (rows.length < size) break
  }
  await client.query('CLOSE batches')
}
