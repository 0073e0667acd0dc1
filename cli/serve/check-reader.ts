/** Checks that the login with which the service reads can read and cannot write, and its sessions what they need. */
import { hasPrivileges, readExcessPrivileges } from '../../db/logins'
import { OperatorError } from '../../db/operator-error'
import { asApiError, isRetriable } from '../../db/postgres/errors'
import { type Pool, withPool } from '../../db/postgres/pool'
import { checkSettings, type Database, readerLogin, VARIABLES } from '../database'
import type { Invocation } from '../invocation'
import type { Settings } from '../settings'

/** SQLSTATE of a login that may not connect to the database, among others. */
const INSUFFICIENT_PRIVILEGE = '42501'

const GRANT = '`partner-metrics migrate` with the same settings grants what it needs'

/** A standby lacks privileges, which it may not have replayed yet. */
class StandbyError extends OperatorError {}

/**
 * Checks the login on each host that answers, of which there must be one. Warns of a missing login, whose task the
 * owner's does. The sessions of the embedded PostgreSQL are prepared at each start.
 *
 * @throws OperatorError if it does not work, has more or fewer privileges than reading needs, or LOGIN_LACKS_SETTINGS
 */
export async function checkReader({ printMessage }: Invocation, settings: Settings, database: Database): Promise<void> {
  const { embedded, readerUrls } = database
  const { connectTimeoutMs, readerDatabaseUrls } = settings
  const isMissing = !embedded && !readerDatabaseUrls
  if (isMissing) {
    const task = 'the service reads with the login of DATABASE_URL, which has all privileges'
    printMessage(`warning: ${VARIABLES.reader} is missing: ${task}`)
  }
  const config = { max: 1, connectionTimeoutMillis: connectTimeoutMs, query_timeout: connectTimeoutMs }
  const check = async (pool: Pool) => {
    if (!isMissing) await checkPrivileges(pool)
    if (!embedded) await checkSettings(pool, readerLogin(database))
  }
  let away = 0
  for (const url of readerUrls) {
    await withPool(url, config, check).catch(error => {
      // Some of several hosts may be away.
      const isAway = error instanceof StandbyError || isRetriable(asApiError(error))
      if (isAway && ++away < readerUrls.length) return
      if (error instanceof OperatorError) throw error
      const { message, code } = error as { message?: string; code?: string }
      const reason = `${message || code}${code === INSUFFICIENT_PRIVILEGE ? `: ${GRANT}` : ''}`
      throw new OperatorError('LOGIN_UNAVAILABLE', `${VARIABLES.reader}: its login cannot log in: ${reason}`)
    })
  }
}

/** @throws OperatorError LOGIN_HAS_TOO_MANY_PRIVILEGES or LOGIN_HAS_TOO_FEW_PRIVILEGES */
async function checkPrivileges(pool: Pool): Promise<void> {
  const excesses = await readExcessPrivileges(pool)
  if (excesses.length === 0) {
    if (await hasPrivileges(pool)) return
    const { rows } = await pool.query('SELECT pg_is_in_recovery() AS "isStandby"')
    throw new (rows[0].isStandby ? StandbyError : OperatorError)(
      'LOGIN_HAS_TOO_FEW_PRIVILEGES',
      `${VARIABLES.reader}: its login lacks privileges: ${GRANT}`,
    )
  }
  const required = 'the service reads with a login that writes to no table (see /docs/database)'
  const remedy = '`partner-metrics migrate` revokes those on the database'
  throw new OperatorError(
    'LOGIN_HAS_TOO_MANY_PRIVILEGES',
    `${VARIABLES.reader}: its login ${excesses.join(', ')}; ${required}: ${remedy}`,
  )
}
