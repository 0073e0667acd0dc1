/** The protection of data as shown by the catalogue of PostgreSQL, with the grants that each start makes. */
import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { READ_TABLES, READER_FUNCTIONS, readExcessPrivileges, WRITER_FUNCTIONS } from '../../db/logins'
import { openPool, withPool } from '../../db/postgres/pool'
import { createDatabase, type TestDatabase } from '../support/databases'
import { Factory } from '../support/factories'

let database: TestDatabase
let owner: Pool
let logins: { reader: string; writer: string }

beforeAll(async () => {
  database = await createDatabase()
  owner = openPool(database.ownerUrl)
  logins = { reader: new URL(database.readerUrl).username, writer: new URL(database.writerUrl).username }
})
afterAll(async () => {
  await owner.end()
  await database.drop()
})

/** Returns the first column of a query. */
const list = async (query: string, values: unknown[] = []): Promise<unknown[]> =>
  (await owner.query({ text: query, values, rowMode: 'array' })).rows.map(([value]) => value)

/** Knex creates and alters them. They contain no data of companies, and only the owner has access. */
const KNEX = ['knex_migrations', 'knex_migrations_lock']

test('row-level security is enabled and forced on each table', async () => {
  const unprotected = await list(
    `SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'f')
       AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY 1`,
  )
  expect(unprotected).toEqual(KNEX)
})

test('each table with rows of companies shows those of the authenticated key only, looked up once per statement', async () => {
  const tables = await list(
    `SELECT DISTINCT attrelid::regclass::text FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE attname = 'company' AND relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
  )
  const { rows } = await owner.query(
    `SELECT tablename, array_agg(qual ORDER BY policyname) AS quals FROM pg_policies
     WHERE cmd IN ('SELECT', 'ALL') AND roles = '{public}' GROUP BY tablename`,
  )
  const policies = new Map(rows.map(({ tablename, quals }) => [tablename, quals]))
  expect(tables).toEqual(
    expect.arrayContaining(['assets', 'sensors', 'sensor_days', 'origin_days', 'origin_places', 'demographic_days']),
  )
  for (const table of [...tables, 'companies'] as string[]) {
    const column = table === 'companies' ? 'number' : 'company'
    const once = /\(\( ?SELECT companies_in_scope\(\) AS companies_in_scope\)::integer\[\]\)/
    expect(policies.get(table)).toEqual([expect.stringMatching(once)])
    expect(policies.get(table)[0]).toMatch(new RegExp(`^\\(${column} = ANY `))
  }
  // Rows without a company of their own belong to those of their sensors or assets, or of the data that a transaction changed.
  for (const table of ['set_asides', 'sensor_health', 'notes', 'transactions']) {
    expect([table, policies.get(table)]).toEqual([
      table,
      [expect.stringMatching(/companies_in_scope\(\)|_in_scope\(\)/)],
    ])
    policies.delete(table)
  }
  for (const table of ['vendors', 'zone_rules']) policies.delete(table)
  expect([...policies.keys()].sort()).toEqual([...tables, 'companies'].sort())
})

test('no key can have a company that does not exist', async () => {
  const addUnknown = `UPDATE api_keys SET companies = companies || (SELECT max(number) + 1 FROM companies)`
  await new Factory(owner).key([])
  await expect(owner.query(addUnknown)).rejects.toThrow(/there is no company with the number/)
})

test('no view reads with the privileges of its owner', async () => {
  const views = await list(
    `SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND (relkind = 'm'
       OR relkind = 'v' AND NOT coalesce('security_invoker=true' = ANY (reloptions) OR 'security_invoker=on' = ANY (reloptions), false))`,
  )
  expect(views).toEqual([])
})

test('SECURITY DEFINER functions are not executable by PUBLIC and have a safe search_path', async () => {
  const definers = (condition: string) =>
    list(
      `SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef AND ${condition} ORDER BY 1`,
    )
  const asListed = (functions: string[]) =>
    functions.map(text => text.replaceAll('timestamptz', 'timestamp with time zone').replaceAll(', ', ',')).sort()
  expect(await definers('true')).toEqual(asListed([...READER_FUNCTIONS, ...WRITER_FUNCTIONS]))
  expect(await definers(`has_function_privilege('public', oid, 'EXECUTE')`)).toEqual([])
  expect(await definers(`proconfig IS DISTINCT FROM '{"search_path=pg_catalog, pg_temp"}'`)).toEqual([])
  expect(await definers(`provolatile = 's'`)).toEqual(asListed(READER_FUNCTIONS))
})

test('PUBLIC may not connect, and create nothing, not even temporary tables', async () => {
  const granted = `SELECT privilege_type FROM pg_database, aclexplode(datacl) WHERE datname = current_database() AND grantee = 0`
  expect(await list(granted)).toEqual([])
  const inSchema = `SELECT privilege_type FROM pg_namespace, aclexplode(nspacl) WHERE nspname = 'public' AND grantee = 0`
  expect(await list(inSchema)).toEqual(['USAGE'])
})

/** Returns all grants of a login in this database, as `object: privilege`. */
const readGrants = (login: string) =>
  list(
    `SELECT object || ': ' || privilege_type FROM (
       SELECT relname::text AS object, relacl AS acl FROM pg_class
       UNION ALL SELECT attrelid::regclass || '.' || attname, attacl FROM pg_attribute
       UNION ALL SELECT oid::regprocedure::text, proacl FROM pg_proc
       UNION ALL SELECT nspname, nspacl FROM pg_namespace
       UNION ALL SELECT datname, datacl FROM pg_database WHERE datname = current_database()
       UNION ALL SELECT lanname, lanacl FROM pg_language
       UNION ALL SELECT oid::text, lomacl FROM pg_largeobject_metadata
       UNION ALL SELECT fdwname, fdwacl FROM pg_foreign_data_wrapper
       UNION ALL SELECT parname, paracl FROM pg_parameter_acl
     ) AS objects, aclexplode(acl) WHERE grantee = $1::regrole ORDER BY 1`,
    [login],
  )

const connectPrivilege = () => `${new URL(database.ownerUrl).pathname.slice(1)}: CONNECT`

const named = (functions: string[]) =>
  functions.map(text => `${text.replaceAll('timestamptz', 'timestamp with time zone').replaceAll(', ', ',')}: EXECUTE`)

test('the reader may read the tables that responses need, and nothing else', async () => {
  const read = READ_TABLES.map(table => `${table}: SELECT`)
  const expected = [...read, ...named(READER_FUNCTIONS), 'public: USAGE', connectPrivilege()]
  expect((await readGrants(logins.reader)).sort()).toEqual(expected.sort())
})

test('the writer may count legacy calls and report that the service is running, and nothing else', async () => {
  expect((await readGrants(logins.writer)).sort()).toEqual(
    [...named(WRITER_FUNCTIONS), 'public: USAGE', connectPrivilege()].sort(),
  )
})

describe('excess privileges of a login', () => {
  const read = (url: string) => withPool(url, { max: 1 }, readExcessPrivileges)

  test('are none for the logins of the service', async () => {
    expect(await read(database.readerUrl)).toEqual([])
    expect(await read(database.writerUrl)).toEqual([])
  })

  test.each([
    ['is a superuser', 'ALTER ROLE $ SUPERUSER'],
    ['is not bound by row-level security', 'ALTER ROLE $ BYPASSRLS'],
    ['may write to tables', 'GRANT INSERT ON legacy_calls TO $'],
  ])('are reported when it %s', async (description, grant) => {
    const name = `privileged_${randomBytes(4).toString('hex')}`
    await owner.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`)
    await owner.query(`GRANT CONNECT ON DATABASE ${new URL(database.ownerUrl).pathname.slice(1)} TO ${name}`)
    try {
      await owner.query(grant.replaceAll('$', name))
      const url = Object.assign(new URL(database.ownerUrl), { username: name, password: name }).href
      expect(await read(url)).toContain(description)
    } finally {
      await owner.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`)
    }
  })
})
