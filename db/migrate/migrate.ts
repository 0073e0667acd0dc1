/** Brings a database to the newest schema. */
import type { Client } from 'pg'
import { OperatorError } from '../operator-error'
import { migrationNames, migrationSource } from './migration-source'
import { withSchemaLock } from './schema-lock'

/** Errors are thrown; Knex would print them on stdout besides. */
const SILENT = { warn() {}, error() {} }

/**
 * Runs the migrations that are missing, in one transaction. Concurrent calls wait for one another.
 *
 * @returns the names of the migrations that ran
 * @throws OperatorError DATABASE_NEWER when the database has migrations that this version does not know
 */
export function migrate(url: string): Promise<string[]> {
  // Knex's own lock makes a concurrent call fail, and stays when its holder is killed: wait for a lock of PostgreSQL instead.
  return withSchemaLock(url, async client => {
    const names = migrationNames()
    const completed = await readCompleted(client)
    const unknown = completed.filter(name => !names.includes(name))
    if (unknown.length > 0) {
      const reason = `another version brought the database further than this one knows (${unknown.join(', ')})`
      throw new OperatorError('DATABASE_NEWER', `${reason}: run that one, or a later one`)
    }
    // There is seldom something to run, and loading Knex takes longer than most commands.
    if (completed.length === names.length) return []
    const { default: knex } = await import('knex')
    // As an object, because Knex parses a URL by itself, and reads the options of TLS otherwise than the driver.
    const db = knex({ client: 'pg', connection: { connectionString: url }, pool: { min: 0, max: 1 }, log: SILENT })
    try {
      await db.migrate.forceFreeMigrationsLock({ migrationSource })
      const [, ran] = await db.migrate.latest({ migrationSource })
      return ran
    } finally {
      await db.destroy()
    }
  })
}

/** The names of the completed migrations, from Knex's table, which the first run creates. */
async function readCompleted(client: Client): Promise<string[]> {
  const { rows: tables } = await client.query("SELECT FROM pg_class WHERE oid = to_regclass('knex_migrations')")
  if (tables.length === 0) return []
  const { rows } = await client.query<{ name: string }>('SELECT name FROM knex_migrations ORDER BY id')
  return rows.map(({ name }) => name)
}
