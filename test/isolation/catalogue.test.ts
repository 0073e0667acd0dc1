/** The protection of data as shown by the catalogue of PostgreSQL, with the grants that each start makes. */
import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { READ_TABLES, READER_FUNCTIONS, readExcessPrivileges } from '../../db/logins'
import { openPool, withPool } from '../../db/postgres/pool'
import { createDatabase, type TestDatabase } from '../support/databases'

let database: TestDatabase
let owner: Pool

beforeAll(async () => {
  database = await createDatabase()
  owner = openPool(database.ownerUrl)
})
afterAll(async () => {
  await owner.end()
  await database.drop()
})

/** Returns the first column of a query, sorted. */
const list = async (query: string, values: unknown[] = []): Promise<unknown[]> =>
  (await owner.query({ text: query, values, rowMode: 'array' })).rows.map(([value]) => value).sort()

const asListed = (functions: string[]) =>
  functions.map(text => text.replaceAll('timestamptz', 'timestamp with time zone').replaceAll(', ', ',')).sort()

const IN_SCHEMA = "relnamespace = 'public'::regnamespace"
const DEFINERS = "SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef"

test.each<[string, query: string, expected: string[]]>([
  [
    'tables without row-level security, or whose owner is exempt, are those of Knex, which only the owner may read',
    `SELECT relname::text FROM pg_class WHERE ${IN_SCHEMA} AND relkind IN ('r', 'p', 'f') AND NOT (relrowsecurity AND relforcerowsecurity)`,
    ['knex_migrations', 'knex_migrations_lock'],
  ],
  [
    'views that read with the privileges of their owner are none',
    `SELECT relname::text FROM pg_class WHERE ${IN_SCHEMA} AND (relkind = 'm' OR relkind = 'v'
       AND NOT coalesce(reloptions && '{security_invoker=true,security_invoker=on}', false))`,
    [],
  ],
  ['functions with the rights of their owner are those of the service', DEFINERS, READER_FUNCTIONS],
  ['and nobody else may run them', `${DEFINERS} AND has_function_privilege('public', oid, 'EXECUTE')`, []],
  [
    'and they find nothing of others',
    `${DEFINERS} AND proconfig IS DISTINCT FROM '{"search_path=pg_catalog, pg_temp"}'`,
    [],
  ],
  ['and those of the reader change nothing', `${DEFINERS} AND provolatile = 's'`, READER_FUNCTIONS],
  [
    'PUBLIC may not connect, or create tables, not even temporary ones',
    `SELECT privilege_type FROM pg_database, aclexplode(datacl) WHERE datname = current_database() AND grantee = 0
     UNION ALL SELECT privilege_type FROM pg_namespace, aclexplode(nspacl) WHERE nspname = 'public' AND grantee = 0`,
    ['USAGE'],
  ],
])('%s', async (_, query, expected) => {
  expect(await list(query)).toEqual(asListed(expected))
})

/** All grants of a login in this database, as `object: privilege`. */
const GRANTS = `
SELECT object || ': ' || privilege_type FROM (
  SELECT relname::text AS object, relacl AS acl FROM pg_class
  UNION ALL SELECT attrelid::regclass || '.' || attname, attacl FROM pg_attribute
  UNION ALL SELECT oid::regprocedure::text, proacl FROM pg_proc
  UNION ALL SELECT nspname, nspacl FROM pg_namespace
  UNION ALL SELECT 'database', datacl FROM pg_database WHERE datname = current_database()
  UNION ALL SELECT lanname, lanacl FROM pg_language
  UNION ALL SELECT oid::text, lomacl FROM pg_largeobject_metadata
  UNION ALL SELECT fdwname, fdwacl FROM pg_foreign_data_wrapper
  UNION ALL SELECT parname, paracl FROM pg_parameter_acl
) AS objects, aclexplode(acl) WHERE grantee = $1::regrole`

test('the reader may do what its task needs, and nothing else', async () => {
  const granted = [
    ...READ_TABLES.map(table => `${table}: SELECT`),
    ...asListed(READER_FUNCTIONS).map(text => `${text}: EXECUTE`),
    ...['public: USAGE', 'database: CONNECT'],
  ]
  expect(await list(GRANTS, [new URL(database.readerUrl).username])).toEqual(granted.sort())
  expect(await withPool(database.readerUrl, { max: 1 }, readExcessPrivileges)).toEqual([])
})

test.each([
  ['is a superuser', 'ALTER ROLE $ SUPERUSER'],
  ['is not bound by row-level security', 'ALTER ROLE $ BYPASSRLS'],
  ['may write to tables', 'GRANT INSERT ON legacy_calls TO $'],
])('a login that %s is reported', async (description, grant) => {
  const name = `privileged_${randomBytes(4).toString('hex')}`
  await owner.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`)
  await owner.query(`GRANT CONNECT ON DATABASE ${new URL(database.ownerUrl).pathname.slice(1)} TO ${name}`)
  try {
    await owner.query(grant.replaceAll('$', name))
    const url = Object.assign(new URL(database.ownerUrl), { username: name, password: name }).href
    expect(await withPool(url, { max: 1 }, readExcessPrivileges)).toContain(description)
  } finally {
    await owner.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`)
  }
})
