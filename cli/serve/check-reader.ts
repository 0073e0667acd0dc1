/** Checks that the login with which the service reads has the privileges it needs and cannot write, and its sessions what they need. */
import { hasPrivileges, readExcessPrivileges } from '../../db/logins'
import { OperatorError } from '../../db/operator-error'
import { asApiError, isRetriable } from '../../db/postgres/errors'
import { withAnyPool, withPool } from '../../db/postgres/pool'
import { keepsPreparedStatements } from '../../db/session-settings'
import { checkSettings, type Database, readerLogin, VARIABLES } from '../database'
import type { Invocation } from '../invocation'
import type { Settings } from '../settings'

/** SQLSTATE of a login that may not connect to the database, among others. */
const INSUFFICIENT_PRIVILEGE = '42501'

const GRANT = '`partner-metrics migrate` with the same settings grants what it needs'

/**
 * Warns of a missing login for reading, whose task the owner's login does.
 *
 * @throws OperatorError if it does not work, or has more or fewer privileges than reading needs
 */
export async function checkReader({ printMessage }: Invocation, settings: Settings, database: Database): Promise<void> {
  const variable = VARIABLES.reader
  if (!database.embedded && !settings.readerDatabaseUrls) {
    return printMessage(
      `warning: ${variable} is missing: the service reads with the login of DATABASE_URL, which has all privileges`,
    )
  }
  const config = { max: 1, connectionTimeoutMillis: settings.connectTimeoutMs }
  const { sufficient, excesses } = await withAnyPool(database.readerUrls, config, async pool => ({
    sufficient: await hasPrivileges(pool),
    excesses: await readExcessPrivileges(pool),
  })).catch(error => {
    const { message, code } = error as { message?: string; code?: string }
    const remedy = code === INSUFFICIENT_PRIVILEGE ? `: ${GRANT}` : ''
    throw new OperatorError('LOGIN_UNAVAILABLE', `${variable}: its login cannot log in: ${message || code}${remedy}`)
  })
  if (!sufficient) {
    throw new OperatorError('LOGIN_HAS_TOO_FEW_PRIVILEGES', `${variable}: its login lacks privileges: ${GRANT}`)
  }
  if (excesses.length === 0) return
  const required = 'the service reads with a login that writes to no table (see "Database" at /docs/operations)'
  const remedy = '`partner-metrics migrate` revokes those on the database'
  throw new OperatorError(
    'LOGIN_HAS_TOO_MANY_PRIVILEGES',
    `${variable}: its login ${excesses.join(', ')}; ${required}: ${remedy}`,
  )
}

const POOLER_REMEDY = 'use pool_mode = session, or PgBouncer 1.21 or later with max_prepared_statements above 0'

/**
 * Checks the sessions in which the service reads, on each host and behind whatever pooler. The embedded PostgreSQL is prepared at each
 * start.
 *
 * @throws OperatorError LOGIN_LACKS_SETTINGS or POOLER_BREAKS_STATEMENTS
 */
export async function checkSessions({ connectTimeoutMs }: Settings, database: Database): Promise<void> {
  if (database.embedded) return
  const { readerUrls } = database
  const login = readerLogin(database)
  const config = { max: 2, connectionTimeoutMillis: connectTimeoutMs, query_timeout: connectTimeoutMs }
  for (const url of readerUrls) {
    try {
      await withPool(url, config, async pool => {
        await checkSettings(pool, login)
        if (await keepsPreparedStatements(pool)) return
        const reason = `the pooler at ${new URL(url).host} loses prepared statements`
        throw new OperatorError('POOLER_BREAKS_STATEMENTS', `${VARIABLES[login]}: ${reason}: ${POOLER_REMEDY}`)
      })
    } catch (error) {
      // Some of several hosts may be away.
      if (readerUrls.length === 1 || !isRetriable(asApiError(error))) throw error
    }
  }
}
