/** Finds what a migration does that a service of the version before, which serves meanwhile, would notice. */
import type { Client } from 'pg'
import { READ_TABLES, READER_FUNCTIONS } from '../../db/logins'

interface Row {
  id: string
  table: string
  [column: string]: unknown
}

const QUERIES = {
  tables: `SELECT oid::text AS id, relname AS table, pg_relation_filenode(oid) AS file FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
  columns: `SELECT attrelid || '.' || attnum AS id, relname AS table, attname AS name, atttypid::regtype::text AS type,
      attnotnull AS required FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`,
  indexes: `SELECT indexrelid::text AS id, relname AS table FROM pg_index JOIN pg_class c ON c.oid = indrelid
    WHERE relnamespace = 'public'::regnamespace`,
  constraints: `SELECT n.oid::text AS id, relname AS table, conname AS name, convalidated AS validated FROM pg_constraint n
    JOIN pg_class c ON c.oid = conrelid WHERE relnamespace = 'public'::regnamespace AND contype IN ('c', 'f')`,
}

/** The functions by which a service writes. */
export const WRITING_FUNCTIONS = [
  'count_legacy_calls(timestamptz[], text[], text[], bigint[])',
  'record_key_uses(date[], text[])',
  'report_running(text)',
]

type Catalogue = Record<keyof typeof QUERIES, Row[]> & { functions: string[] }

async function readCatalogue(client: Client): Promise<Catalogue> {
  const catalogue = { functions: [] as string[] } as Catalogue
  for (const [name, query] of Object.entries(QUERIES))
    catalogue[name as keyof typeof QUERIES] = (await client.query(query)).rows
  const { rows } = await client.query(
    'SELECT name FROM unnest($1::text[]) name WHERE to_regprocedure(name) IS NOT NULL',
    [[...READER_FUNCTIONS, ...WRITING_FUNCTIONS]],
  )
  catalogue.functions = rows.map(({ name }) => name)
  return catalogue
}

/** Tables that do not grow with assets or days: a migration may change their rows. */
const SMALL_TABLES = ['companies', 'vendors', 'api_keys', 'service', 'service_processes', 'locks', 'transactions']

/** Records which tables a statement changes, also if it finds no rows: tables are empty here. */
const RECORD_CHANGES = `
  CREATE TABLE changes_of_rows (table_name text, operation text);
  CREATE FUNCTION record_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO changes_of_rows VALUES (TG_TABLE_NAME, TG_OP); RETURN NULL; END $$;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname !~ '^(knex_|changes_of_rows)' LOOP
      EXECUTE format('CREATE TRIGGER record_change BEFORE INSERT OR UPDATE OR DELETE ON %I EXECUTE FUNCTION record_change()', name);
    END LOOP; END $$`

const READ_CHANGES = 'SELECT DISTINCT table_name, operation FROM changes_of_rows'

const STOP_RECORDING = 'DROP FUNCTION record_change() CASCADE; DROP TABLE changes_of_rows'

/**
 * Runs a migration, and returns why it cannot run while the version before serves; empty where it can.
 *
 * @param transactional whether it runs in a transaction, where an index cannot be built concurrently
 */
export async function findObstacles(
  client: Client,
  run: () => PromiseLike<unknown>,
  transactional = true,
): Promise<string[]> {
  const before = await readCatalogue(client)
  await client.query(RECORD_CHANGES)
  await run()
  const { rows: changed } = await client.query(READ_CHANGES)
  await client.query(STOP_RECORDING)
  const after = await readCatalogue(client)
  const old = new Set(before.tables.map(({ table }) => table))
  const isNew = (kind: keyof typeof QUERIES) => (row: Row) =>
    old.has(row.table) && !before[kind].some(({ id }) => id === row.id)
  const find = (rows: Row[], { id }: Row) => rows.find(row => row.id === id)
  const obstacles: string[] = []
  for (const table of before.tables) {
    const now = find(after.tables, table)
    if (now && now.file !== table.file) obstacles.push(`rewrites ${table.table}`)
  }
  for (const column of before.columns) {
    const now = find(after.columns, column)
    // A table that is gone is no longer among those that this version reads.
    const isRead = READ_TABLES.includes(column.table) || !after.tables.some(({ table }) => table === column.table)
    const isSame = now?.name === column.name && now?.table === column.table && now?.type === column.type
    if (isRead && !isSame) obstacles.push(`removes, renames or converts ${column.table}.${column.name}`)
    if (!column.required && now?.required) obstacles.push(`scans ${column.table} for NOT NULL of ${column.name}`)
  }
  if (transactional)
    for (const { table } of after.indexes.filter(isNew('indexes')))
      obstacles.push(`builds an index on ${table} without CONCURRENTLY`)
  for (const { table, name } of after.constraints.filter(isNew('constraints')).filter(({ validated }) => validated))
    obstacles.push(`scans ${table} for ${name}: add it NOT VALID, and validate it in a further migration`)
  for (const { table_name: table, operation } of changed)
    if (!SMALL_TABLES.includes(table)) obstacles.push(`${operation} of rows of ${table}: it locks them until the end`)
  for (const name of before.functions.filter(name => !after.functions.includes(name))) obstacles.push(`removes ${name}`)
  return obstacles
}
