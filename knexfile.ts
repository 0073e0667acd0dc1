/**
 * Configures Knex's command line: `npx knex migrate:list`, `migrate:latest` and `migrate:make NAME`. It works on
 * DATABASE_URL, else on the embedded database under DATA_DIR, which it starts if necessary and leaves at the end.
 */
import type { Knex } from 'knex'
import { readSettings } from './cli/settings'
import { leaseUntilExit } from './db/embedded/lease-until-exit'
import { takeSchemaLock } from './db/migrate/schema-lock'

let database: Promise<string> | undefined

/** Returns the URL, once this process has the lock that the service's own migrations take too. */
async function openDatabase(): Promise<string> {
  const { databaseUrl, dataDir } = readSettings(process.env)
  const url = databaseUrl ?? (await leaseUntilExit(dataDir, ['--require', 'sucrase/register/ts']))
  await takeSchemaLock(url)
  return url
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
