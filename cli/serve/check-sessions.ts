/** Checks what the sessions need with which the service reads, on each host and behind whatever pooler. */
import { OperatorError } from '../../db/operator-error'
import { asApiError, isRetriable } from '../../db/postgres/errors'
import { withPool } from '../../db/postgres/pool'
import { keepsPreparedStatements } from '../../db/postgres/prepared-statements'
import { checkSettings, VARIABLES } from '../check-settings'
import { type Database, readerLogin } from '../database'
import type { Settings } from '../settings'

const POOLER_REMEDY = 'use pool_mode = session, or PgBouncer 1.21 or later with max_prepared_statements above 0'

/** The embedded PostgreSQL is prepared at each start. @throws OperatorError LOGIN_LACKS_SETTINGS or POOLER_BREAKS_STATEMENTS */
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
      // Of several hosts, some may be away.
      if (readerUrls.length === 1 || !isRetriable(asApiError(error))) throw error
    }
  }
}
