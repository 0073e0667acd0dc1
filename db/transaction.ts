/** The transactions of imports, which run one at a time, so that none sees another half-way, and of long reads. */
import type { ClientBase, Pool } from 'pg'
import { FileError } from './file-errors'
import { type OnWait, reportingWaits, takeLock } from './locks'
import { describeClosedDays } from './operations/revision'
import { findCondition, OperatorError } from './operator-error'

const TIMEOUTS = { lock_timeout: '10min', statement_timeout: '1h', idle_in_transaction_session_timeout: '15min' }

/**
 * Runs `work` in a transaction on a connection of its own, and commits it when `work` returns `commit: true`.
 *
 * @throws FileError when the database refuses or goes away; its message has no text of the database
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: ClientBase) => Promise<{ commit: boolean; result: Result }>,
  onWait?: OnWait,
): Promise<Result> {
  const client = await pool.connect().catch(error => {
    throw toFileError(error)
  })
  let committing = false
  let reusable = false
  try {
    await client.query('BEGIN')
    for (const [name, value] of Object.entries(TIMEOUTS)) await client.query(`SET LOCAL ${name} = '${value}'`)
    await takeLock(client, 'import', onWait)
    return await reportingWaits(pool, client, onWait, async () => {
      const { commit, result } = await work(client)
      committing = commit
      await client.query(commit ? 'COMMIT' : 'ROLLBACK')
      reusable = true
      return result
    })
  } catch (error) {
    throw toFileError(error, committing)
  } finally {
    // Closing the connection of a failed transaction makes the server roll it back.
    client.release(!reusable)
  }
}

/** Reads the database as it is at one moment, beside everything else, on a connection of its own. */
export async function inSnapshot<Result>(pool: Pool, read: (client: ClientBase) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    return await read(client)
  } finally {
    client.release(true)
  }
}

/** Returns the FileError of a database error; any other error as it is. */
export function toFileError(error: unknown, committing = false): unknown {
  if (error instanceof OperatorError) return error
  const { code = '', message = '', detail = '' } = error as { code?: string; message?: string; detail?: string }
  const state = String(code)
  if (state === 'PM001') return new FileError(describeClosedDays(detail), undefined, 'MONTH_CLOSED')
  if (state === '55P03')
    return new FileError('another session did not release a lock within 10 minutes; try again later')
  if (state === '25P03') return new FileError('the input paused for more than 15 minutes')
  if (state === '57014') return new FileError('a step in the database took more than an hour')
  const condition = findCondition(error)
  if (condition) return new FileError(condition.message)
  if (/^(08|57P|E[A-Z]+$)/.test(state) || /^Connection terminated|not queryable|timeout exceeded/.test(message)) {
    return new FileError(
      committing
        ? 'the connection to the database broke during the commit: repeat the command'
        : 'the database is not available, or went away',
    )
  }
  if (/^[0-9A-Z]{5}$/.test(state)) return new FileError(`the database refused the data (SQLSTATE ${state})`)
  return error
}
