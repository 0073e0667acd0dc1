/**
 * The two logins with which the service works, besides the owner's. Neither owns anything: the reader may SELECT what is
 * answered from, the writer may count legacy calls. That is granted at each start, and nothing else is left to anybody.
 */
import { escapeIdentifier, type Pool } from 'pg'
import { asOwner } from './migrations/migrate'

/** What the reader may SELECT, and nobody else but the owner. */
export const READ_TABLES = ['companies', 'vendors', 'assets', 'sensors', 'sensor_days', 'origins', 'demographic_days']

/** Not ours any more: processes of the version before look there until they have been replaced. */
export const READ_VIEWS = ['asset_versions']

/** What each login may EXECUTE of ours. */
export const READER_FUNCTIONS = [
  'presented_key(bytea)',
  'companies_of_presented_key()',
  // Not ours any more: processes of the version before ask for it until they have been replaced.
  'companies_of_key(bytea)',
]

export const WRITER_FUNCTIONS = ['count_legacy_calls(timestamptz[], text[], text[], bigint[])']

/** The names of logins; undefined where the owner's does their work. */
export interface Logins {
  reader?: string | undefined
  writer?: string | undefined
}

/** Gives the logins what they need, and takes away what they, or everybody, had beyond. */
export function grantLogins(url: string, { reader, writer }: Logins): Promise<void> {
  const reading = reader && escapeIdentifier(reader)
  const writing = writer && escapeIdentifier(writer)
  const logins = [reading, writing].filter(login => login !== undefined)
  const grants = [
    ...['TABLES', 'SEQUENCES', 'FUNCTIONS'].flatMap(things =>
      logins.map(login => `REVOKE ALL ON ALL ${things} IN SCHEMA public FROM ${login}`),
    ),
    'REVOKE CREATE ON SCHEMA public FROM PUBLIC',
    ...logins.map(login => `GRANT USAGE ON SCHEMA public TO ${login}`),
    ...(reading
      ? [
          `GRANT SELECT ON ${[...READ_TABLES, ...READ_VIEWS].join(', ')} TO ${reading}`,
          `GRANT EXECUTE ON FUNCTION ${READER_FUNCTIONS.join(', ')} TO ${reading}`,
        ]
      : []),
    ...(writing ? [`GRANT EXECUTE ON FUNCTION ${WRITER_FUNCTIONS.join(', ')} TO ${writing}`] : []),
  ]
  return asOwner(url, async client => {
    const { rows } = await client.query('SELECT current_database() AS name')
    const database = escapeIdentifier(rows[0].name)
    await client.query([`REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`, ...grants].join(';\n'))
  })
}

/** What is said of a login that may more than it should, by what is so. */
const EXCESSES = {
  'is a superuser': 'rolsuper',
  'is not bound by row-level security': 'rolbypassrls',
  'may create roles': 'rolcreaterole',
  'may create databases': 'rolcreatedb',
  'may replicate': 'rolreplication',
  'is a member of another role': 'EXISTS (SELECT FROM pg_auth_members WHERE member = login.oid)',
  'owns something': `EXISTS (SELECT FROM pg_shdepend
    WHERE refclassid = 'pg_authid'::regclass AND refobjid = login.oid AND deptype = 'o')`,
  'may make tables': `has_schema_privilege('public', 'CREATE') OR has_database_privilege(current_database(), 'CREATE')`,
  'may make temporary tables': `has_database_privilege(current_database(), 'TEMPORARY')`,
  'may write in tables': `EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    AND has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'))`,
}

/** What the login of these connections may beyond its work, in words; nothing where it is as it should be. */
export async function readExcesses(pool: Pool): Promise<string[]> {
  const columns = Object.entries(EXCESSES).map(([said, condition]) => `(${condition}) AS "${said}"`)
  const { rows } = await pool.query(`SELECT ${columns.join(', ')} FROM pg_roles login WHERE rolname = current_user`)
  return Object.keys(EXCESSES).filter(said => rows[0][said])
}
