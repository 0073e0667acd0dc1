/** Configures Knex's command line: `npx knex migrate:list`, `migrate:latest` and `migrate:make NAME`. It works on DATABASE_URL. */
import type { Knex } from 'knex'
import { readSettings } from './cli/settings'
import { takeSchemaLock } from './db/migrate/schema-lock'

let database: Promise<string> | undefined

/** Returns the URL, once this process has the lock that the service's own migrations take too. */
async function openDatabase(): Promise<string> {
  const { databaseUrl } = readSettings(process.env)
  if (!databaseUrl) {
    // Knex would try again for a minute.
    console.error('error: set DATABASE_URL: only `partner-metrics migrate` changes the embedded database')
    process.exit(1)
  }
  await takeSchemaLock(databaseUrl)
  return databaseUrl
}

const config: Knex.Config = {
  client: 'pg',
  // Called for the first connection, so that migrate:make needs no database.
  connection: async () => {
    database ??= openDatabase()
    return { connectionString: await database }
  },
  pool: { min: 0, max: 1 },
  migrations: {
    directory: 'db/migrations',
    extension: 'ts',
    loadExtensions: ['.ts'],
    stub: 'db/migrate/migration.stub',
  },
}

export default config
