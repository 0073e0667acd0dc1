/** Runs commands on the database as the owner of its tables. */
import { findCondition, OperatorError } from '../../db/operator-error'
import { asApiError, isConnectionLost } from '../../db/postgres/errors'
import { type Pool, withPool } from '../../db/postgres/pool'
import { type Database, type OpenOptions, withDatabase } from '../database'
import type { Invocation } from '../invocation'
import { readSettings, type Settings } from '../settings'

export interface OwnerSession {
  /** Three connections: for a transaction, another one within it (`verify --repair`), and what these need besides. */
  pool: Pool
  database: Database
  settings: Settings
}

/** @throws OperatorError, without `prepare` NO_DATABASE, or DATABASE_NOT_MIGRATED when it has an older schema */
export function withOwner<Result>(
  invocation: Invocation,
  work: (session: OwnerSession) => Promise<Result>,
  options?: OpenOptions,
): Promise<Result> {
  const settings = readSettings(invocation.env)
  const connection = { connectionTimeoutMillis: settings.connectTimeoutMs, keepAlive: true }
  const config = { max: 3, ...connection, application_name: invocation.applicationName }
  const run = (database: Database) => withPool(database.ownerUrl, config, pool => work({ pool, database, settings }))
  return withDatabase(invocation, settings, run, options).catch(error => {
    if (error instanceof OperatorError || findCondition(error) || !isConnectionLost(asApiError(error))) throw error
    throw new OperatorError('DATABASE_UNAVAILABLE', 'the connection to the database broke')
  })
}
