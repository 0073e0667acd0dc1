/** Finds poolers that break prepared statements. */
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'

/** SQLSTATEs: there is no statement of this name, or there is one already. */
const BROKEN = ['26000', '42P05']

/**
 * Returns whether a connection keeps the statements it has prepared while others are busy. A pooler may give it another connection
 * to the server for each transaction.
 *
 * @param pool of two connections
 */
export async function keepsPreparedStatements(pool: Pool): Promise<boolean> {
  const statement = { name: randomUUID(), text: 'SELECT' }
  const first = await pool.connect()
  const second = await pool.connect()
  try {
    await first.query(statement)
    await second.query('BEGIN')
    await first.query(statement)
    return true
  } catch (error) {
    if (BROKEN.includes(String((error as { code?: unknown }).code))) return false
    throw error
  } finally {
    first.release(true)
    second.release(true)
  }
}
