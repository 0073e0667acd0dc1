/**
 * Prepares the cluster each time a process joins it that may create it: creates the reader and the database, and restores
 * what a login may change of itself, so that a leaked login does no lasting harm.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { requiredSettings } from '../session-settings'
import { BEGIN } from '../transaction'
import type { Credentials } from './data-directory'

export const DATABASE = 'partner_metrics'

/** The names of the logins. The reader owns nothing. */
export const LOGINS = { owner: 'postgres', reader: 'partner_metrics_reader' } as const

/** Connections that the reader leaves to the owner. */
const RESERVED_CONNECTIONS = 50

const ATTRIBUTES = 'LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT'

const LOCK_TIMEOUT = '1min'

/** Settings of the reader. It can change all but the last one for itself. */
const READER_SETTINGS = [...requiredSettings('reader'), ['temp_file_limit', '1GB']]

/** @param owner a connection of the superuser */
export async function prepareCluster(owner: Client, credentials: Credentials): Promise<void> {
  const { rowCount: readers } = await owner.query('SELECT FROM pg_roles WHERE rolname = $1', [LOGINS.reader])
  if (readers === 0) await owner.query(`CREATE ROLE ${LOGINS.reader}`)
  const { rowCount } = await owner.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
  if (rowCount === 0) await owner.query(`CREATE DATABASE ${DATABASE}`)
  const { rows } = await owner.query(
    `SELECT array_agg(datname::text) AS databases, current_setting('max_connections')::integer AS connections
     FROM pg_database WHERE datallowconn AND datname <> $1`,
    [DATABASE],
  )
  const [{ databases, connections }] = rows
  await owner.query(
    [
      // A process that was killed may have left statements that still run; PostgreSQL fails when both change the same rows.
      `${BEGIN}; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'; LOCK TABLE pg_database IN SHARE UPDATE EXCLUSIVE MODE`,
      // `grantLogin` does it in the database of the service.
      `REVOKE CONNECT, TEMPORARY ON DATABASE ${databases.map(escapeIdentifier).join(', ')} FROM PUBLIC`,
      ...restoreLogin(LOGINS.reader, credentials.reader),
      `ALTER ROLE ${LOGINS.reader} CONNECTION LIMIT ${Math.max(10, connections - RESERVED_CONNECTIONS)}`,
      ...READER_SETTINGS.map(([name, value]) => `ALTER ROLE ${LOGINS.reader} SET ${name} = '${value}'`),
      'COMMIT',
    ].join(';\n'),
  )
}

/** A login can change its own password and settings. */
const restoreLogin = (login: string, password: string): string[] => [
  `ALTER ROLE ${login} ${ATTRIBUTES} PASSWORD ${escapeLiteral(password)}`,
  `ALTER ROLE ${login} RESET ALL`,
  `ALTER ROLE ${login} IN DATABASE ${DATABASE} RESET ALL`,
  // Any login can have PostgreSQL log the plans of its statements, but only a superuser changes this.
  `ALTER ROLE ${login} SET log_min_messages = 'panic'`,
]

/**
 * Renews the epoch of the data, a random value both in the database and in a file beside its directory, where they differ: the files
 * were restored from a backup then, or the file is gone. The cursors of the feed of changes from before become invalid.
 *
 * @param owner a connection of the superuser
 */
export async function keepEpoch(owner: Client, dataDir: string, database: string): Promise<void> {
  const file = join(dataDir, 'epoch')
  const epoch = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const { rows } = await owner.query<{ current: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_db_role_setting
       WHERE setdatabase = d.oid AND setrole = 0 AND 'partner_metrics.epoch=' || $2 = ANY (setconfig)) AS current
     FROM pg_database d WHERE datname = $1`,
    [database, epoch],
  )
  // There is no database yet where its creation was interrupted.
  if (!rows[0] || rows[0].current) return
  const renewed = randomUUID()
  // The database first: after a crash in between, the two differ, and the epoch is renewed once more.
  await owner.query(`ALTER DATABASE ${database} SET partner_metrics.epoch = '${renewed}'`)
  writeFileSync(file, `${renewed}\n`, { flush: true })
}
