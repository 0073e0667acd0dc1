/** Whether the logins with which the service works may what they must, and no more. */
import { readExcesses } from '../db/logins'
import { OperatorError } from '../db/operator-error'
import { withPool } from '../db/postgres/pool'
import type { Database } from './database'
import { printMessage } from './output'
import type { Settings } from './settings'

/** What the service works with besides the owner's login. */
const LOGINS = [
  { setting: 'READER_DATABASE_URL', work: 'reads', url: 'readerUrl', given: 'readerDatabaseUrl' },
  { setting: 'WRITER_DATABASE_URL', work: 'counts legacy calls', url: 'writerUrl', given: 'writerDatabaseUrl' },
] as const

/**
 * Tells which logins are missing, so that the owner's does their work.
 *
 * @throws OperatorFault for one that cannot log in, or may more than its work
 */
export async function checkLogins(settings: Settings, database: Database): Promise<void> {
  const config = { max: 1, connectionTimeoutMillis: settings.connectTimeoutMs }
  for (const { setting, work, url, given } of LOGINS) {
    if (!database.embedded && !settings[given]) {
      printMessage(
        `warning: ${setting} is missing: the service ${work} with the login of DATABASE_URL, which may do everything`,
      )
      continue
    }
    const excesses = await withPool(database[url], config, readExcesses).catch(error => {
      const { message, code } = error as { message?: string; code?: string }
      throw new OperatorError('LOGIN_UNAVAILABLE', `${setting}: its login cannot log in: ${message || code}`)
    })
    if (excesses.length === 0) continue
    const wanted = `the service ${work} with a login that owns nothing and may nothing else (see Operations, The database)`
    throw new OperatorError('LOGIN_TOO_MIGHTY', `${setting}: its login ${excesses.join(', ')}; ${wanted}`)
  }
}
