/**
 * Serialises changes of the schema and of grants, which PostgreSQL refuses where they meet. The lock is one on Knex's own
 * table: unlike an advisory lock, no login but the owner's can take it.
 */
import { hostname } from 'node:os'
import { Client, type ClientBase, Pool } from 'pg'
import { type OnWait, reportingWaits } from '../locks'
import { OperatorError } from '../operator-error'
import { BEGIN, commitShownBy } from '../transaction'

const CONNECT_TIMEOUT_MS = 10_000

const LOCK_TIMEOUT = '10min'

/** As Knex would create it. */
const CREATE_LOCK_TABLE =
  'CREATE TABLE IF NOT EXISTS knex_migrations_lock (index serial PRIMARY KEY, is_locked integer)'

/** SQLSTATEs of a concurrent creation of the table: unique_violation, duplicate_table and duplicate_object. */
const CREATED_ELSEWHERE = ['23505', '42P07', '42710']

const LOCK_NOT_AVAILABLE = '55P03'

export interface SchemaLockOptions {
  /** Ends the wait for the lock. */
  signal?: AbortSignal
  onWait?: OnWait
}

/**
 * Runs `work` in a transaction that has the lock, once all earlier callers have finished. Commits it unless `work` fails.
 *
 * @throws OperatorError DATABASE_BUSY when the wait takes too long; DATABASE_OF_ANOTHER_PROGRAM or DATABASE_ENCODING
 */
export async function withSchemaLock<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
  options: SchemaLockOptions = {},
): Promise<Result> {
  const client = await takeSchemaLock(url, options)
  try {
    const result = await work(client)
    await commitShownBy('migrate', client)
    return result
  } finally {
    await client.end()
  }
}

/** Returns a connection whose transaction has the lock. */
export async function takeSchemaLock(url: string, { signal, onWait }: SchemaLockOptions = {}): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: `partner-metrics migrate (process ${process.pid} on ${hostname()})`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // A connection that breaks fails the query that uses it; without a listener it would end the process.
  client.on('error', () => {})
  const others = new Pool({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  others.on('error', () => {})
  const stop = () => void client.end()
  signal?.throwIfAborted()
  signal?.addEventListener('abort', stop)
  try {
    await client.connect()
    await createLockTable(client)
    await client.query(`${BEGIN}; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
    // Knex updates the table meanwhile, on a connection of its own.
    await reportingWaits(others, client, onWait, () =>
      client.query('LOCK TABLE knex_migrations_lock IN SHARE UPDATE EXCLUSIVE MODE'),
    )
    await client.query('SET LOCAL lock_timeout = DEFAULT')
    return client
  } catch (error) {
    await client.end()
    signal?.throwIfAborted()
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
    throw new OperatorError('DATABASE_BUSY', 'another process has been changing the schema for more than 10 minutes')
  } finally {
    signal?.removeEventListener('abort', stop)
    void others.end()
  }
}

async function createLockTable(client: Client): Promise<void> {
  const { rows } = await client.query("SELECT to_regclass('knex_migrations_lock') IS NULL AS missing")
  if (!rows[0].missing) return
  await checkNew(client)
  await client.query(CREATE_LOCK_TABLE).catch(error => {
    if (!CREATED_ELSEWHERE.includes(error.code)) throw error
  })
}

/** Tables of a database in which Knex has created none; those of extensions do not count. It reads one snapshot. */
const FOREIGN_TABLES = `
WITH tables AS (
  SELECT oid, relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
)
SELECT name FROM tables
WHERE NOT EXISTS (SELECT 1 FROM tables WHERE name = 'knex_migrations_lock')
  AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = oid AND deptype = 'e')
ORDER BY name LIMIT 3`

/**
 * Checks that a database that was never migrated may become one of this service.
 *
 * @throws OperatorError DATABASE_OF_ANOTHER_PROGRAM when it has tables; DATABASE_ENCODING when it cannot store every character
 */
async function checkNew(db: ClientBase): Promise<void> {
  const { rows: tables } = await db.query<{ name: string }>(FOREIGN_TABLES)
  if (tables.length > 0) {
    const reason = `the database has tables of another program (${tables.map(({ name }) => name).join(', ')})`
    throw new OperatorError('DATABASE_OF_ANOTHER_PROGRAM', `${reason}: create one for partner-metrics alone`)
  }
  const { rows } = await db.query<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding")
  if (rows[0]?.encoding === 'UTF8') return
  const reason = `the database has the encoding ${rows[0]?.encoding}, which does not have every character`
  throw new OperatorError('DATABASE_ENCODING', `${reason}: create one with ENCODING UTF8 TEMPLATE template0`)
}
