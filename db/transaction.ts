/** Transactions: those that write, imports among them, which run one at a time, so that none sees another half-way, and long reads. */
import type { ClientBase, Pool } from 'pg'
import { FileError } from './file-errors'
import { type OnWait, reportingWaits, takeImportLock } from './locks'
import { describeClosedDays, describeLargeTotals } from './operations/restatement'
import { describeFutureCommit, readLastCommit } from './operations/status'
import { findCondition, OperatorError } from './operator-error'

const TIMEOUTS = { lock_timeout: '10min', statement_timeout: '1h', idle_in_transaction_session_timeout: '15min' }

/** Whatever the default of the database, a statement sees what was committed while the transaction waited for a lock. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'

type Work<Result> = (client: ClientBase) => Promise<{ commit: boolean; result: Result }>

/**
 * Runs `work` in a transaction of imports, which waits for the one before. Its commit is in the history.
 *
 * @throws FileError when the database refuses or goes away; its message has no text of the database
 */
export const inTransaction = <Result>(pool: Pool, work: Work<Result>, onWait?: OnWait): Promise<Result> =>
  transact(
    pool,
    'history',
    async client => {
      for (const [name, value] of Object.entries(TIMEOUTS)) await client.query(`SET LOCAL ${name} = '${value}'`)
      await takeImportLock(client)
      const last = await readLastCommit(client)
      if (last.in_future) onWait?.(`warning: ${describeFutureCommit(last)}`)
      return work(client)
    },
    onWait,
  ).catch(error => {
    throw toFileError(error)
  })

/**
 * Runs `work` in a transaction on a connection of its own, and commits it when `work` returns `commit: true`.
 *
 * @param shownBy the command that shows what was committed
 * @throws CommitError
 */
export async function transact<Result>(
  pool: Pool,
  shownBy: string,
  work: Work<Result>,
  onWait?: OnWait,
): Promise<Result> {
  const client = await pool.connect()
  let reusable = false
  try {
    // The checks of foreign keys of its first statement run before those triggers that discard plans.
    await client.query(`${BEGIN}; DISCARD PLANS`)
    const result = await reportingWaits(pool, client, onWait, async () => {
      const { commit, result } = await work(client)
      await (commit ? commitShownBy(shownBy, client) : client.query('ROLLBACK'))
      return result
    })
    reusable = true
    return result
  } finally {
    // Closing the connection of a failed transaction makes the server roll it back.
    client.release(!reusable)
  }
}

/** The connection broke after the commit was sent. */
export class CommitError extends OperatorError {
  constructor(shownBy: string) {
    const broke = 'the connection to the database broke at the commit'
    super('COMMIT_UNCERTAIN', `${broke}: it may have been done; look with \`partner-metrics ${shownBy}\``)
  }
}

/** @throws CommitError */
export async function commitShownBy(command: string, client: ClientBase): Promise<void> {
  await client.query('COMMIT').catch(error => {
    throw isLost(error) ? new CommitError(command) : error
  })
}

/** Returns whether an error means that the connection broke during a statement. */
export const isLost = ({ code = '', message = '' }: { code?: unknown; message?: string }): boolean =>
  /^(08|57P|E[A-Z]+$)/.test(String(code)) || /\bConnection terminated/.test(message)

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
export function toFileError(error: unknown): unknown {
  if (error instanceof OperatorError) return error
  const { code = '', message = '', detail = '' } = error as { code?: string; message?: string; detail?: string }
  const state = String(code)
  if (state === 'PM001') return new FileError(describeClosedDays(detail), undefined, 'MONTH_CLOSED')
  if (state === 'PM002') return new FileError(describeLargeTotals(detail))
  if (state === '55P03')
    return new FileError('another session did not release a lock within 10 minutes; try again later')
  if (state === '25P03') return new FileError('the input paused for more than 15 minutes')
  if (state === '57014') return new FileError('a step in the database took more than an hour')
  const condition = findCondition(error)
  if (condition) return new FileError(condition.message)
  if (isLost({ code, message }) || /not queryable|timeout exceeded/.test(message)) {
    return new FileError('the database is not available, or went away')
  }
  if (/^[0-9A-Z]{5}$/.test(state)) return new FileError(`the database refused the data (SQLSTATE ${state})`)
  return error
}
