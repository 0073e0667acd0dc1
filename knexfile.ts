/**
 * Configures Knex's command line: `npx knex migrate:list`, `migrate:latest` and `migrate:make NAME`. It works on
 * DATABASE_URL, else on the embedded database under DATA_DIR, which it starts if necessary and leaves at the end.
 */
import type { Knex } from 'knex'
import type { Client } from 'pg'
import { readSettings } from './cli/settings'
import { SCHEMA_LOCK } from './db/advisory-locks'
import { leaseUntilExit } from './db/embedded/lease-until-exit'

const config: Knex.Config = {
  client: 'pg',
  // Called for the first connection, so that migrate:make needs no database.
  connection: async () => {
    const { databaseUrl, dataDir } = readSettings(process.env)
    return { connectionString: databaseUrl ?? (await leaseUntilExit(dataDir, ['--require', 'sucrase/register/ts'])) }
  },
  pool: {
    min: 0,
    max: 1,
    // The lock that the service's own migrations take, so that they wait for one another.
    afterCreate: (client: Client, done: (error?: Error) => void) => {
      client.query('SELECT pg_advisory_lock($1)', [SCHEMA_LOCK], done)
    },
  },
  migrations: {
    directory: 'db/migrations',
    extension: 'ts',
    loadExtensions: ['.ts'],
    stub: 'db/migrate/migration.stub',
  },
}

export default config
