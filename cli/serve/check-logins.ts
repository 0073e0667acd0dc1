/** Checks that the database logins of the service have the privileges they need and no more. */
import { hasPrivileges, readExcessPrivileges } from '../../db/logins'
import { OperatorError } from '../../db/operator-error'
import { withAnyPool } from '../../db/postgres/pool'
import type { Database } from '../database'
import type { Invocation } from '../invocation'
import { onEachHost } from '../postgres-url'
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
  const urls = { reader: database.readerUrls, writer: onEachHost(database.writerUrl, database.readerUrls) }
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
    const required = `the service ${task} with a login that owns nothing and has no other privileges (see "Database" at /docs/operations)`
    const remedy = '`partner-metrics migrate` revokes those on the database'
    throw new OperatorError(
      'LOGIN_HAS_TOO_MANY_PRIVILEGES',
      `${variable}: its login ${excesses.join(', ')}; ${required}: ${remedy}`,
    )
  }
}
