/**
 * Locks between processes: rows of the table `locks`, to which only the owner has access. An advisory lock could be taken,
 * and never released, by any login.
 */
import type { ClientBase, Pool } from 'pg'

/** Receives for whom a command waits, and that it goes on. */
export type OnWait = (message: string) => void

/** Takes the lock of imports until the end of the transaction. Waits for at most the session's `lock_timeout`. */
export async function takeImportLock(client: ClientBase): Promise<void> {
  const { rowCount } = await client.query("SELECT FROM locks WHERE name = 'import' FOR UPDATE")
  if (rowCount !== 1) throw new Error('the table locks has no row import')
}

/** Shorter waits are not reported. */
const SILENT_MS = 1_000

/** The session that keeps another one waiting, behind all that wait as well. A prepared transaction has no process. */
const BLOCKER = `
  WITH RECURSIVE blockers (pid) AS (
    SELECT unnest(pg_blocking_pids($1)) UNION SELECT unnest(pg_blocking_pids(pid)) FROM blockers WHERE pid > 0
  )
  SELECT CASE WHEN b.pid = 0 THEN 'a prepared transaction' ELSE format(
    '%s (PostgreSQL process %s%s)%s', coalesce(nullif(application_name, ''), backend_type, 'another session'), b.pid,
    ' from ' || host(client_addr), ', which began at ' || to_char(xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
  ) END AS session
  FROM blockers b LEFT JOIN pg_stat_activity a USING (pid) WHERE cardinality(pg_blocking_pids(b.pid)) = 0 LIMIT 1`

/**
 * Reports the waits of a transaction for locks of any session, until `work` ends.
 *
 * @param pool finds out for whom it waits, on another connection, once a statement takes longer than SILENT_MS
 */
export async function reportingWaits<Result>(
  pool: Pool,
  client: ClientBase & { processID?: number },
  onWait: OnWait | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!onWait) return work()
  let ended = 0
  let seen = -1
  let isReported = false
  const countStatement = () => {
    ended++
    if (isReported) onWait('it has ended: going on')
    isReported = false
  }
  const look = async () => {
    const statement = ended
    const isLong = statement === seen && !isReported
    seen = statement
    const found = isLong ? await pool.query<{ session: string }>(BLOCKER, [client.processID]) : { rows: [] }
    if (!found.rows[0] || statement !== ended || isReported) return
    onWait(`waiting for ${found.rows[0].session}`)
    isReported = true
  }
  client.on('drain', countStatement)
  // A wait that cannot be looked up ends all the same.
  const timer = setInterval(() => void look().catch(() => {}), SILENT_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    client.off('drain', countStatement)
    ended++
  }
}
