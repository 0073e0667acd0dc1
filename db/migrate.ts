/** Brings a database to the newest shape, and lets the service's reading login read it. Both may be repeated. */
import knex from 'knex'
import { Client, escapeIdentifier } from 'pg'
import { migrationSource } from './migrations'

/** Runs what is missing of the migrations; returns the names of those that ran. Concurrent callers wait for one another. */
export async function migrate(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url, application_name: 'partner-metrics migrate' })
  await client.connect()
  const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } })
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

/** What the service may do through its reading login: read the tables of the schema and ask what a key is. */
export async function grantReader(url: string, reader: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'partner-metrics migrate' })
  await client.connect()
  try {
    const role = escapeIdentifier(reader)
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
