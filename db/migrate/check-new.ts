/** Checks a database before the first change to it. */
import type { ClientBase } from 'pg'
import { OperatorError } from '../operator-error'

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
export async function checkNew(db: ClientBase): Promise<void> {
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
