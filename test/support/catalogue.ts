/** Reads the schema of a database from the catalogue of PostgreSQL, as lines that two databases can be compared by. */
import type { Client, Pool } from 'pg'

const IN_SCHEMA = "= 'public'::regnamespace"

/** Each query returns a line of text for each object. Line breaks and gaps of dropped columns do not count. */
const QUERIES = {
  tables: `SELECT concat_ws(' ', relname, relkind, relpersistence, reloptions, relreplident, relrowsecurity, relforcerowsecurity,
      relacl, obj_description(oid, 'pg_class'))
    FROM pg_class WHERE relnamespace ${IN_SCHEMA} AND relkind IN ('r', 'p', 'v', 'm', 'S')`,
  columns: `SELECT concat_ws(' ', c.relname, rank() OVER (PARTITION BY c.oid ORDER BY attnum), attname,
      format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcollation::regcollation,
      pg_get_expr(adbin, adrelid), attacl, col_description(c.oid, attnum))
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace ${IN_SCHEMA} AND relkind IN ('r', 'p', 'v') AND attnum > 0 AND NOT attisdropped`,
  constraints: `SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid), condeferrable, condeferred,
      obj_description(oid, 'pg_constraint')) FROM pg_constraint WHERE connamespace ${IN_SCHEMA}`,
  indexes: `SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indrelid WHERE relnamespace ${IN_SCHEMA}`,
  functions: `SELECT concat_ws(' ', regexp_replace(pg_get_functiondef(oid), '\\s+', ' ', 'g'), proacl, obj_description(oid, 'pg_proc'))
    FROM pg_proc WHERE pronamespace ${IN_SCHEMA}`,
  triggers: `SELECT concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled, obj_description(t.oid, 'pg_trigger'))
    FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace ${IN_SCHEMA} AND NOT tgisinternal`,
  views: `SELECT concat_ws(' ', oid::regclass, pg_get_viewdef(oid)) FROM pg_class WHERE relnamespace ${IN_SCHEMA} AND relkind = 'v'`,
  policies: `SELECT concat_ws(' ', tablename, policyname, permissive, roles, cmd, qual, with_check) FROM pg_policies`,
  types: `SELECT concat_ws(' ', typname, typtype) FROM pg_type
    WHERE typnamespace ${IN_SCHEMA} AND typrelid = 0 AND typelem = 0`,
}

export async function readCatalogue(client: Client | Pool): Promise<Record<keyof typeof QUERIES, string[]>> {
  const catalogue = {} as Record<keyof typeof QUERIES, string[]>
  for (const [kind, text] of Object.entries(QUERIES) as [keyof typeof QUERIES, string][]) {
    const { rows } = await client.query({ text, rowMode: 'array' })
    catalogue[kind] = rows.map(([line]) => line as string).sort()
  }
  return catalogue
}
