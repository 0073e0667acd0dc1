/** Brings a database to the newest shape, and does the owner's other work, one at a time. All of it may be repeated. */
import { Client } from 'pg'
import { OperatorError } from '../operator-error'
import { migrationNames, migrationSource } from '.'

/**
 * Runs what is missing of the migrations; returns the names of those that ran. Concurrent callers wait for one another.
 *
 * @throws OperatorFault when others have run besides
 */
export function migrate(url: string): Promise<string[]> {
  // Knex's own lock refuses instead of waiting, and stays behind when its holder is killed: wait in PostgreSQL instead.
  return asOwner(url, async client => {
    const known = await namesRun(client)
    const unknown = known.filter(name => !migrationNames.includes(name))
    if (unknown.length > 0) {
      const reason = `another version brought the database further than this one knows (${unknown.join(', ')})`
      throw new OperatorError('DATABASE_NEWER', `${reason}: run that one, or a later one`)
    }
    // Loading Knex takes longer than what most commands do, and there is seldom something to run.
    if (known.length === migrationNames.length) return []
    const { default: knex } = await import('knex')
    // As a string Knex would read it by itself, and TLS otherwise than the driver does.
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

/** The migrations that have run, by Knex's own list of them; none where that is not there yet. */
async function namesRun(client: Client): Promise<string[]> {
  const { rows } = await client
    .query({ text: 'SELECT name FROM knex_migrations ORDER BY id', rowMode: 'array' })
    .catch(() => ({ rows: [] }))
  return rows.flat()
}

const MIGRATION_LOCK = 7_400_011

/** What goes wrong is thrown; Knex would print it on stdout besides. */
const SILENT = { warn() {}, error() {} }

/** Does the owner's work on a connection of its own, one caller after another: PostgreSQL refuses grants that meet. */
export async function asOwner<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await connect(url)
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    return await work(client)
  } finally {
    await client.end()
  }
}

async function connect(url: string): Promise<Client> {
  const identity = { application_name: 'partner-metrics migrate', connectionTimeoutMillis: 10_000 }
  const client = new Client({ connectionString: url, ...identity })
  client.on('error', () => {})
  await client.connect()
  return client
}
