/** One transaction a file: all of it or nothing. Imports go one after another, so that none meets another half-way. */
import type { ClientBase, Pool } from 'pg'
import { OperatorError } from '../operator-error'
import { FileFault } from './figures'

/** Number of the advisory lock that an import holds. */
const IMPORTING = 7_400_014

/** How long an import waits for another one, how long a statement may take and how long its input may pause. */
const PATIENCE = { lock_timeout: '10min', statement_timeout: '1h', idle_in_transaction_session_timeout: '15min' }

/**
 * Runs `work` on a connection of its own, in a transaction that is committed when `work` says so.
 *
 * @throws FileFault when the database refuses or goes away, without its own words
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: ClientBase) => Promise<{ commit: boolean; result: Result }>,
): Promise<Result> {
  const client = await pool.connect().catch(error => {
    throw asFault(error, 'connect')
  })
  let phase: Phase = 'work'
  let sound = false
  try {
    await client.query('BEGIN')
    for (const [name, value] of Object.entries(PATIENCE)) await client.query(`SET LOCAL ${name} = '${value}'`)
    await client.query('SELECT pg_advisory_xact_lock($1)', [IMPORTING])
    const { commit, result } = await work(client)
    if (commit) phase = 'commit'
    await client.query(commit ? 'COMMIT' : 'ROLLBACK')
    sound = true
    return result
  } catch (error) {
    throw asFault(error, phase)
  } finally {
    // A connection that failed half-way is given up: the server rolls back.
    client.release(!sound)
  }
}

type Phase = 'connect' | 'work' | 'commit'

/** A fault in words for one of the database; any other error stays what it is. */
function asFault(error: unknown, phase: Phase): unknown {
  if (error instanceof OperatorError) return error
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const state = String(code)
  if (state === '55P03') return new FileFault('another import did not end within 10 minutes; try again later')
  if (state === '25P03') return new FileFault('the input paused for more than 15 minutes')
  if (state === '57014') return new FileFault('the database took more than an hour for one step')
  if (state === '53100') return new FileFault('the disk of the database is full')
  if (/^(08|57P|E[A-Z]+$)/.test(state) || /^Connection terminated|not queryable|timeout exceeded/.test(message)) {
    if (phase === 'commit')
      return new FileFault('the connection to the database broke at the very end: import it again')
    return new FileFault('the database is not there, or went away')
  }
  if (/^[0-9A-Z]{5}$/.test(state)) return new FileFault(`the database does not take it (SQLSTATE ${state})`)
  return error
}
