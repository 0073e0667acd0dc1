/** The clock by which PostgreSQL judges commits. */
import type { Pool } from 'pg'

/** Sets it so many seconds ahead of that of the machine; behind it if negative. */
export async function setClock(owner: Pool, seconds: number): Promise<void> {
  const { rows } = await owner.query("SELECT pg_get_functiondef('finish_transaction'::regproc) AS definition")
  const clock = /clock_timestamp\(\)( \+ interval '\S+ s')?/
  await owner.query(rows[0].definition.replace(clock, `clock_timestamp() + interval '${seconds} s'`))
}
