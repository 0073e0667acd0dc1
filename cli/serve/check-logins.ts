/** Checks that the database logins of the service have the privileges they need and cannot write, and their sessions what they need. */
import { hasPrivileges, readExcessPrivileges } from '../../db/logins'
import { OperatorError } from '../../db/operator-error'
import { asApiError, isRetriable } from '../../db/postgres/errors'
import { withAnyPool, withPool } from '../../db/postgres/pool'
import { checkSettings, type Database, readerLogin } from '../database'
import type { Invocation } from '../invocation'
import type { Settings } from '../settings'

/** The logins of the service besides the owner. */
const LOGINS = [
  { login: 'reader', variable: 'READER_DATABASE_URL', setting: 'readerDatabaseUrls', task: 'reads' },
  { login: 'writer', variable: 'WRITER_DATABASE_URL', setting: 'writerDatabaseUrl', task: 'counts legacy calls' },
] as const

/** SQLSTATE of a login that may not connect to the database, among others. */
const INSUFFICIENT_PRIVILEGE = '42501'

const GRANT = '`partner-metrics migrate` with the same settings grants what it needs'

/**
 * Warns of missing logins, whose task the owner's login does.
 *
 * @throws OperatorError for a login that does not work, or has more or fewer privileges than its task needs
 */
export async function checkLogins(invocation: Invocation, settings: Settings, database: Database): Promise<void> {
  const config = { max: 1, connectionTimeoutMillis: settings.connectTimeoutMs }
  const urls = { reader: database.readerUrls, writer: [database.writerUrl] }
  for (const { login, variable, setting, task } of LOGINS) {
    if (!database.embedded && !settings[setting]) {
      invocation.printMessage(
        `warning: ${variable} is missing: the service ${task} with the login of DATABASE_URL, which has all privileges`,
      )
      continue
    }
    const { sufficient, excesses } = await withAnyPool(urls[login], config, async pool => ({
      sufficient: await hasPrivileges(pool, login),
      excesses: await readExcessPrivileges(pool),
    })).catch(error => {
      const { message, code } = error as { message?: string; code?: string }
      const remedy = code === INSUFFICIENT_PRIVILEGE ? `: ${GRANT}` : ''
      throw new OperatorError('LOGIN_UNAVAILABLE', `${variable}: its login cannot log in: ${message || code}${remedy}`)
    })
    if (!sufficient) {
      throw new OperatorError('LOGIN_HAS_TOO_FEW_PRIVILEGES', `${variable}: its login lacks privileges: ${GRANT}`)
    }
    if (excesses.length === 0) continue
    const required = `the service ${task} with a login that writes to no table (see "Database" at /docs/operations)`
    const remedy = '`partner-metrics migrate` revokes those on the database'
    throw new OperatorError(
      'LOGIN_HAS_TOO_MANY_PRIVILEGES',
      `${variable}: its login ${excesses.join(', ')}; ${required}: ${remedy}`,
    )
  }
}

/**
 * Checks the sessions in which the service reads, on each host and behind whatever pooler. The embedded PostgreSQL is prepared at each
 * start.
 *
 * @throws OperatorError LOGIN_LACKS_SETTINGS
 */
export async function checkSessions({ connectTimeoutMs }: Settings, database: Database): Promise<void> {
  if (database.embedded) return
  const { readerUrls } = database
  const login = readerLogin(database)
  const config = { max: 1, connectionTimeoutMillis: connectTimeoutMs, query_timeout: connectTimeoutMs }
  for (const url of readerUrls) {
    try {
      await withPool(url, config, pool => checkSettings(pool, login))
    } catch (error) {
      // Some of several hosts may be away.
      if (readerUrls.length === 1 || !isRetriable(asApiError(error))) throw error
    }
  }
}
