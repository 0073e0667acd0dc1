/** Brings a database to the newest shape, and lets the service's reading login read it. Both may be repeated. */
import knex from 'knex'
import { Client, escapeIdentifier } from 'pg'
import { migrationSource } from './migrations'

/** Runs what is missing of the migrations; returns the names of those that ran. Concurrent callers wait for one another. */
export async function migrate(url: string): Promise<string[]> {
  const client = await connect(url)
  const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 }, log: SILENT })
  try {
    // Knex's own lock refuses instead of waiting, and stays behind when its holder is killed: wait in PostgreSQL instead.
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    await db.migrate.forceFreeMigrationsLock({ migrationSource })
    const [, ran] = await db.migrate.latest({ migrationSource })
    return ran
  } finally {
    await db.destroy()
    await client.end()
  }
}

const MIGRATION_LOCK = 7_400_011

/** What goes wrong is thrown; Knex would print it on stdout besides. */
const SILENT = { warn() {}, error() {} }

/** What the service may do through its reading login: read the tables of the schema and ask what a key is. */
export async function grantReader(url: string, reader: string): Promise<void> {
  const client = await connect(url)
  try {
    const role = escapeIdentifier(reader)
    // PostgreSQL refuses grants on one table at once ("tuple concurrently updated").
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    await client.query(`
      REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role};
      GRANT USAGE ON SCHEMA public TO ${role};
      GRANT SELECT ON companies, vendors, assets, sensors, former_installations, sensor_days, origins, demographic_days TO ${role};
      GRANT EXECUTE ON FUNCTION presented_key(bytea), companies_of_key(bytea), companies_of_presented_key() TO ${role};
    `)
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
