/** Serialises changes of the schema and of grants, which PostgreSQL refuses where they meet. */
import { Client } from 'pg'
import { SCHEMA_LOCK } from '../advisory-locks'

const CONNECT_TIMEOUT_MS = 10_000

/** Runs `work` on a connection of its own that holds the lock, once all earlier callers have finished. */
export async function withSchemaLock<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({
    connectionString: url,
    application_name: 'partner-metrics migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // A connection that breaks fails the query that uses it; without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [SCHEMA_LOCK])
    return await work(client)
  } finally {
    await client.end()
  }
}
