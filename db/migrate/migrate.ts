/** Brings a database to the newest schema. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Client } from 'pg'
import { OperatorError } from '../operator-error'
import { CommitError, isLost } from '../transaction'
import { checkKnown, readCompleted } from './check-schema'
import { migrationNames, migrationSource } from './migration-source'
import { type SchemaLockOptions, withSchemaLock } from './schema-lock'

/**
 * The wait for the lock of one table, behind which requests wait too: less than their statement timeout. A migration
 * that does not get its locks begins again, after a pause in which requests go on.
 */
const TABLE_LOCK_TIMEOUT_MS = 2_000
const PAUSE_MS = 1_000
const MAX_WAIT_MS = 60_000

/** SQLSTATEs lock_not_available and deadlock_detected, which a migration of several tables can meet beside a service. */
const LOCKED = ['55P03', '40P01']

/** Errors are thrown; Knex would print them on stdout besides. */
const SILENT = { warn() {}, error() {} }

interface MigrateOptions extends SchemaLockOptions {
  /** The last migration to run; without it, all run. */
  until?: string
}

/**
 * Runs the migrations that are missing, in one transaction. Concurrent calls wait for one another.
 *
 * @returns the names of the migrations that ran
 * @throws OperatorError DATABASE_NEWER or DATABASE_INCOMPATIBLE when the database has migrations that this version does not know,
 *   DATABASE_BUSY after waiting too long
 */
export function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  // Knex's own lock makes a concurrent call fail, and stays when its holder is killed: wait for a lock of PostgreSQL instead.
  const work = async (client: Client) => {
    const names = migrationNames()
    const completed = await readCompleted(client)
    checkKnown(completed, names)
    const wanted = names.filter(name => options.until === undefined || name <= options.until)
    // There is seldom something to run, and loading Knex takes longer than most commands.
    if (wanted.every(name => completed.includes(name))) return []
    const { default: knex } = await import('knex')
    // As an object, because Knex parses a URL by itself, and reads the options of TLS otherwise than the driver.
    const pool = { min: 0, max: 1, afterCreate: prepareSession }
    const db = knex({ client: 'pg', connection: { connectionString: url }, pool, log: SILENT })
    try {
      return await runPending(db, migrationSource(wanted), options)
    } catch (error) {
      throw isLost(error as Error) ? new CommitError('migrate') : error
    } finally {
      await db.destroy()
    }
  }
  return withSchemaLock(url, work, options)
}

/** Not sent when the client connects, which poolers refuse. */
function prepareSession(client: Client, done: (error: Error | null, client: Client) => void): void {
  const isolation = "SET default_transaction_isolation = 'read committed'"
  client.query(`SET lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}; ${isolation}`, error => done(error, client))
}

/** Runs the pending migrations, again and again while a table is locked. */
async function runPending(
  db: Knex,
  source: Knex.MigrationSource<string>,
  { signal }: SchemaLockOptions,
): Promise<string[]> {
  const started = performance.now()
  for (;;) {
    try {
      await db.migrate.forceFreeMigrationsLock({ migrationSource: source })
      const [, ran] = await db.migrate.latest({ migrationSource: source })
      return ran
    } catch (error) {
      if (!LOCKED.includes((error as { code?: string }).code ?? '')) throw error
      if (performance.now() - started > MAX_WAIT_MS) {
        const reason = 'a migration waited a minute for a table that another session uses (see pg_stat_activity)'
        throw new OperatorError('DATABASE_BUSY', `${reason}: nothing was changed`)
      }
    }
    await sleep(PAUSE_MS)
    signal?.throwIfAborted()
  }
}
