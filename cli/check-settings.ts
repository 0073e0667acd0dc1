/** Checks that the sessions of a login begin with the settings they need. */
import { OperatorError } from '../db/operator-error'
import type { Pool } from '../db/postgres/pool'
import { readMissingSettings, type SessionLogin } from '../db/session-settings'

/** The variables with the URLs of the logins. */
export const VARIABLES = { owner: 'DATABASE_URL', reader: 'READER_DATABASE_URL' } as const

/** @throws OperatorError LOGIN_LACKS_SETTINGS, with the SQL that sets them */
export async function checkSettings(pool: Pool, login: SessionLogin): Promise<void> {
  const missing = await readMissingSettings(pool, login)
  if (missing.length === 0) return
  const values = missing.map(({ name, value }) => `${name} = ${value}`).join(', ')
  const statements = missing.map(({ statement }) => `${statement};`).join(' ')
  throw new OperatorError(
    'LOGIN_LACKS_SETTINGS',
    `${VARIABLES[login]}: sessions of its login begin with ${values}: run ${statements} (\`partner-metrics migrate\` does so; a running PgBouncer has to be restarted after it)`,
  )
}
