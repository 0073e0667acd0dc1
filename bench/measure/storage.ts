/** The sizes of the tables and indexes on disk. */
import { type Database, select } from '../servers/bench-cluster'

export interface Relation {
  name: string
  /** Null for an index. */
  rows: number | null
  bytes: number
}

/** The tables above a megabyte, largest first, each followed by its indexes. */
export async function readRelations({ ownerUrl }: Database): Promise<Relation[]> {
  return select(
    ownerUrl,
    `SELECT CASE relkind WHEN 'r' THEN relname ELSE '– ' || relname END AS name,
       CASE relkind WHEN 'r' THEN reltuples::bigint::float8 END AS rows,
       (CASE relkind WHEN 'r' THEN pg_table_size(c.oid) ELSE pg_relation_size(c.oid) END)::float8 AS bytes
     FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')
       AND (SELECT pg_total_relation_size(t.oid) FROM pg_class t WHERE t.oid = coalesce(i.indrelid, c.oid)) > 1000000
     ORDER BY (SELECT pg_total_relation_size(t.oid) FROM pg_class t WHERE t.oid = coalesce(i.indrelid, c.oid)) DESC,
       coalesce(i.indrelid, c.oid), relkind DESC, relname`,
  )
}
