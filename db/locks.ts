/**
 * Locks between processes: rows of the table `locks`, to which only the owner has access. An advisory lock could be taken,
 * and never released, by any login.
 */
import type { ClientBase } from 'pg'

/** `import`: an import is running. `demo`: the demo data set is being loaded. */
export type LockName = 'import' | 'demo'

/** Takes a lock until the end of the transaction. Waits for at most the session's `lock_timeout`. */
export async function takeLock(client: ClientBase, name: LockName): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM locks WHERE name = $1 FOR UPDATE', [name])
  if (rowCount !== 1) throw new Error(`the table locks has no row ${name}`)
}
