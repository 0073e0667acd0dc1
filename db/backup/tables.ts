/** The tables of a backup: all permanent ones, whichever there are, but for those of the processes that use the database. */
import type { ClientBase, Pool } from 'pg'

const OF_PROCESSES = ['knex_migrations', 'knex_migrations_lock', 'locks', 'service_processes']

export interface Table {
  name: string
  columns: string[]
  /** An estimate of the number of rows. */
  estimate: number
  /** The last number that was given to a row, of those that the database gives; null without any. */
  last_number: number | null
}

const TABLES = `
SELECT relname AS name, greatest(reltuples, 0) AS estimate, pg_sequence_last_value(pg_get_serial_sequence(relname, i.attname)::regclass) AS last_number,
  ARRAY(SELECT attname::text FROM pg_attribute
    WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns
FROM pg_class t LEFT JOIN pg_attribute i ON i.attrelid = t.oid AND i.attidentity <> ''
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relpersistence = 'p' AND relname <> ALL ($1)
ORDER BY name`

export const readTables = async (db: Pool | ClientBase): Promise<Table[]> =>
  (await db.query<Table>(TABLES, [OF_PROCESSES])).rows
