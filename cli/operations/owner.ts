/** Runs commands on an existing database as the owner of its tables. */
import { type Pool, withPool } from '../../db/postgres/pool'
import { type Database, withDatabase } from '../database'
import type { Invocation } from '../invocation'
import { readSettings, type Settings } from '../settings'

export interface OwnerSession {
  /** One connection, unless more were requested. */
  pool: Pool
  database: Database
  settings: Settings
}

/** @throws OperatorError NO_DATABASE when there is none, DATABASE_NOT_MIGRATED when it has an older schema */
export function withOwner<Result>(
  invocation: Invocation,
  work: (session: OwnerSession) => Promise<Result>,
  connections = 1,
): Promise<Result> {
  const settings = readSettings(invocation.env)
  const connection = { connectionTimeoutMillis: settings.connectTimeoutMs, keepAlive: true }
  const config = { max: connections, ...connection, application_name: invocation.applicationName }
  return withDatabase(invocation, settings, database =>
    withPool(database.ownerUrl, config, pool => work({ pool, database, settings })),
  )
}
