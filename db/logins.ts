/**
 * The login with which the service reads. It owns nothing: it may SELECT the tables from which the service answers. Migrating grants
 * exactly that and revokes everything else.
 */
import { type Client, escapeIdentifier, type Pool } from 'pg'
import { FACT_TABLES } from './facts'
import { type SchemaLockOptions, withSchemaLock } from './migrate/schema-lock'

/** The tables that the reader may SELECT. No other login than the owner's may. */
export const READ_TABLES = [
  'companies',
  'zone_rules',
  'assets',
  'asset_external_ids',
  'sensors',
  'installations',
  'sensor_health',
  'asset_months',
  'asset_month_arrays',
  'asset_demographics',
  'measured_assets',
  'asset_versions',
  ...FACT_TABLES,
  'origin_places',
  'changes',
  'notes',
  'set_asides',
  'transactions',
  'former_totals',
]

/** The functions that it may EXECUTE. */
export const READER_FUNCTIONS = [
  'authenticate_key(bytea)',
  'companies_in_scope()',
  'feed_position(bigint, uuid)',
  'number_at(timestamptz)',
  'instants_of(bigint[])',
  'may_follow(integer[], bigint, text)',
  'lost_assets(integer[], bigint, text)',
  'installations_in_scope(integer[])',
]

/**
 * Grants the reader what it needs, and revokes what it, or PUBLIC, had beyond that.
 *
 * @param reader its name; undefined where the service reads with the owner's login
 */
export function grantLogin(url: string, reader: string | undefined, options: SchemaLockOptions = {}): Promise<void> {
  const grants = ['REVOKE CREATE ON SCHEMA public FROM PUBLIC']
  const login = reader === undefined ? undefined : escapeIdentifier(reader)
  if (login) {
    grants.push(
      ...['TABLES', 'SEQUENCES', 'FUNCTIONS'].map(each => `REVOKE ALL ON ALL ${each} IN SCHEMA public FROM ${login}`),
      `GRANT USAGE ON SCHEMA public TO ${login}`,
      `GRANT SELECT ON ${READ_TABLES.join(', ')} TO ${login}`,
      `GRANT EXECUTE ON FUNCTION ${READER_FUNCTIONS.join(', ')} TO ${login}`,
    )
  }
  const work = async (client: Client) => {
    const { rows } = await client.query(
      "SELECT datname AS name, pg_has_role(datdba, 'USAGE') AS owned FROM pg_database WHERE datname = current_database()",
    )
    const [{ name, owned }] = rows
    if (owned) {
      const database = escapeIdentifier(name)
      grants.push(`REVOKE CONNECT, TEMPORARY ON DATABASE ${database} FROM PUBLIC`)
      if (login) grants.push(`GRANT CONNECT ON DATABASE ${database} TO ${login}`)
    }
    await client.query(grants.join(';\n'))
  }
  return withSchemaLock(url, work, options)
}

/** Conditions that the login may not fulfil, by their descriptions. */
const EXCESS_PRIVILEGES = {
  'is a superuser': 'rolsuper',
  'is not bound by row-level security': 'rolbypassrls',
  'may write to tables': `EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    AND has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'))`,
}

/** Returns whether the login of a pool has the privileges that reading needs. */
export async function hasPrivileges(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT NOT EXISTS (
       SELECT FROM unnest($1::text[]) name WHERE has_table_privilege(to_regclass(name), 'SELECT') IS NOT TRUE
       UNION ALL
       SELECT FROM unnest($2::text[]) name WHERE has_function_privilege(to_regprocedure(name), 'EXECUTE') IS NOT TRUE
     ) AS sufficient`,
    [READ_TABLES, READER_FUNCTIONS],
  )
  return rows[0].sufficient
}

/** Describes the privileges that the login of a pool has beyond reading; empty where there are none. */
export async function readExcessPrivileges(pool: Pool): Promise<string[]> {
  const columns = Object.entries(EXCESS_PRIVILEGES).map(([name, condition]) => `(${condition}) AS "${name}"`)
  const { rows } = await pool.query(`SELECT ${columns.join(', ')} FROM pg_roles login WHERE rolname = current_user`)
  return Object.keys(EXCESS_PRIVILEGES).filter(name => rows[0][name])
}
