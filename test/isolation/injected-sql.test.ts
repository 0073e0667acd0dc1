/** SQL injected into a request, or run by a leaked login, reads no data of other companies, and can do nothing else. */
import { Client } from 'pg'
import { keyHash } from '../../db/api-keys/key-format'
import { READ_TABLES } from '../../db/logins'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { readAs } from '../support/world'
import { startWithTenants, TENANTS, type TenantService } from './tenants'

let tenants: TenantService
let key: string
let others: string[]
/** The login of the reader, for somebody who may run any SQL. */
let login: Client
let conditions: Map<string, Conditions>

beforeAll(async () => {
  tenants = await startWithTenants(TENANTS, [['Alder'], ['Birch']])
  key = tenants.keys.get('Alder') as string
  const hash = keyHash(tenants.keys.get('Birch') as string)
  others = ['Birch', 'Cedar']
    .flatMap(name => [name, name.toLowerCase()])
    .concat(hash.toString('hex'), JSON.stringify(hash))
  await tenants.service.owner.query('ANALYZE')
  const connectionString = tenants.service.database.readerUrl
  login = new Client({ connectionString, options: '-c default_transaction_read_only=off' })
  await login.connect()
  conditions = new Map(
    await Promise.all(SAMPLED_TABLES.map(async table => [table, await conditionsOn(table)] as const)),
  )
})
afterAll(async () => {
  await login.end()
  await tenants.service.stop()
})

const COMPANY_TABLES = READ_TABLES.filter(table => !['vendors', 'zone_rules'].includes(table))

/** A view has no pages of which to take a sample. */
const SAMPLED_TABLES = COMPANY_TABLES.filter(table => table !== 'asset_month_arrays')

/** Runs SQL in a request with a key, by default Alder's. Returns the rows as JSON. */
const inject = (text: string, presented = key) =>
  readAs(tenants.service.gateway, keyHash(presented), reader => read(reader, text))

let number = 0
async function read(reader: ScopedReader, text: string): Promise<string[]> {
  return (await reader.read<object>({ name: `injected-${number++}`, text })).map(row => JSON.stringify(row))
}

const joined = (rows: string[]): string => rows.join('\n')

/** Rows of the company at whose assets a sensor is or was, or which has the asset, or whose data a transaction changed. */
const WITHOUT_COMPANY = ['notes', 'set_asides', 'sensor_health', 'transactions']

test.each(COMPANY_TABLES)(
  'only rows of the key’s company, and no hash of another key, are visible in %s',
  async table => {
    const { rows } = await tenants.service.owner.query("SELECT number FROM companies WHERE id = 'aldercompany'")
    const column = table === 'companies' ? 'number' : 'company'
    if (!WITHOUT_COMPANY.includes(table)) {
      const seen = await inject(`SELECT DISTINCT ${column} AS number FROM ${table}`)
      expect(seen).toEqual([JSON.stringify(rows[0])])
    }
    const all = joined(await inject(`SELECT * FROM ${table}`))
    for (const other of others) expect(all).not.toContain(other)
  },
)

test('only installations on assets of the key’s company are visible with the rights of the owner', async () => {
  const all = joined(await inject('SELECT * FROM installations_in_scope(ARRAY(SELECT generate_series(1, 100)))'))
  expect(all).toContain('aldersensor1')
  for (const other of others) expect(all).not.toContain(other)
})

test('nothing of an authenticated key remains after its transaction', async () => {
  const settings = ['key_hash', 'companies'].map(name => `current_setting('partner_metrics.${name}', true)`)
  const readSettings = async () => (await login.query(`SELECT ARRAY[${settings}] AS settings`)).rows[0].settings
  const authenticate = () => login.query('SELECT authenticate_key($1)', [keyHash(key)])
  await login.query('BEGIN')
  await authenticate()
  const [alder] = await tenants.service.rows("SELECT number FROM companies WHERE id = 'aldercompany'")
  expect(await readSettings()).toEqual([keyHash(key).toString('hex'), `{${alder!.number}}`])
  await login.query('COMMIT')
  expect(await readSettings()).toEqual(['', ''])
  await authenticate()
  expect(await readSettings()).toEqual(['', ''])
})

test.each([
  'SELECT hash FROM api_keys',
  'SELECT * FROM pg_authid',
  `SELECT pg_read_file('/etc/passwd')`,
  `SELECT pg_ls_dir('.')`,
  'SELECT * FROM pg_statistic',
  'SELECT last_value FROM companies_number_seq',
  'SET ROLE postgres',
  'SET SESSION AUTHORIZATION postgres',
  'ALTER TABLE assets DISABLE ROW LEVEL SECURITY',
  'DROP POLICY company_scope ON assets',
  'CREATE OR REPLACE FUNCTION companies_in_scope() RETURNS integer[] RETURN ARRAY[1,2,3]',
  'CREATE FUNCTION public.mine() RETURNS int RETURN 1',
  'CREATE TEMPORARY TABLE companies AS SELECT 1',
  'CREATE TEMPORARY VIEW all_assets AS SELECT * FROM assets',
  'CREATE SCHEMA mine',
  `COPY assets TO PROGRAM 'cat'`,
  `COPY assets TO '/tmp/assets'`,
  'ALTER ROLE current_user SET row_security = off; SELECT 1',
])('%s is refused', async text => {
  const refused = login.query({ text, values: [], name: `own-${number++}` })
  await expect(refused).rejects.toThrow(/permission denied|must be owner|multiple commands/)
})

test('with row_security off PostgreSQL refuses a query instead of filtering it', async () => {
  await login.query('SET row_security = off')
  await expect(login.query('SELECT * FROM assets')).rejects.toThrow(/row-level security/)
  await login.query('RESET row_security')
})

test('its conditions are evaluated for visible rows only: an error in another row does not show', async () => {
  const divides = (name: string) =>
    inject(`SELECT id FROM assets WHERE 1 / (CASE WHEN name LIKE '${name}%' THEN 0 ELSE 1 END) = 1`)
  await expect(divides('Alder')).rejects.toThrow(/division by zero/)
  expect(await divides('Cedar')).toHaveLength(2)
})

test('statistics of tables show no values', async () => {
  expect(
    await inject(`SELECT * FROM pg_stats WHERE schemaname = 'public' AND tablename NOT IN ('vendors', 'zone_rules')`),
  ).toEqual([])
  expect(await inject(`SELECT * FROM pg_stats_ext WHERE schemaname = 'public'`)).toEqual([])
})

/** A value that no row has, by type. */
const ABSENT: Record<string, string> = {
  text: "'no such value'",
  integer: '2000000000',
  bigint: '2000000000',
  smallint: '32000',
  boolean: 'NULL',
  date: "'1900-01-01'",
  'timestamp with time zone': "'1900-01-01'",
}

/** Conditions on the columns of a table: those that a hidden row meets, and those that none meets. */
interface Conditions {
  met: string[]
  unmet: string[]
}

async function conditionsOn(table: string): Promise<Conditions> {
  const { owner } = tenants.service
  const { rows: columns } = await owner.query(
    `SELECT attname AS name, atttypid::regtype::text AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND atttypid::regtype::text = ANY ($2)`,
    [table, Object.keys(ABSENT)],
  )
  const values = columns.map(
    ({ name }) => `(SELECT quote_literal(${name}) FROM ${table} WHERE ${name} IS NOT NULL LIMIT 1)`,
  )
  const { rows } = await owner.query({ text: `SELECT ${values}`, rowMode: 'array' })
  const known = columns.flatMap(({ name, type }, i) => {
    const value = rows[0]?.[i]
    return value === null ? [] : { met: `${name} = ${value}`, unmet: `${name} = ${ABSENT[type as string]}` }
  })
  return { met: known.map(({ met }) => met), unmet: known.map(({ unmet }) => unmet) }
}

/** Returns statements that use a condition in all ways. */
const probes = (table: string, condition: string): string[] => [
  `SELECT count(*) FROM ${table} WHERE ${condition}`,
  `SELECT count(*) FROM ${table} TABLESAMPLE SYSTEM (100) WHERE ${condition}`,
  `SELECT count(${table}) FROM (VALUES (1)) AS one LEFT JOIN ${table} ON ${condition}`,
  `SELECT count(*) FROM ${table} WHERE ${condition} AND 1 / length(left(${table}::text, 0)) = 1`,
  `SELECT EXISTS (SELECT FROM ${table} WHERE ${condition} FETCH FIRST ROW ONLY)::integer`,
]

/** Runs probes in one statement. Returns their sum, or the error. */
async function tryStatement(table: string, conditions: string[]): Promise<string> {
  const all = conditions.flatMap(condition => probes(table, condition)).map(probe => `(${probe})`)
  await login.query('SAVEPOINT probe')
  try {
    return (await login.query(`SELECT ${all.join(' + ')} AS sum`)).rows[0].sum
  } catch (error) {
    await login.query('ROLLBACK TO probe')
    return (error as Error).message
  }
}

const HASH = keyHash('unknown').toString('hex')

const SETTINGS = {
  'that are not set': ['', ''],
  'of an unknown key': [HASH, '{1,2,3}'],
  'of an unknown key in another form': [`\\x${HASH.toUpperCase()}`, '{1}'],
  'of a part of a key': [HASH.slice(1), '{NULL}'],
  'that are not hexadecimal': ['z'.repeat(64), '{{1},{2}}'],
  'that are no text of ours': ['\u{1f511} \\ \' " {', 'none'],
  'that are large': ['0'.repeat(2 ** 14), `{${'1,'.repeat(2 ** 12)}1}`],
}

/**
 * PostgreSQL evaluates leakproof comparisons before row-level security, so what is compared must make no difference: no rows, and no
 * errors. EXPLAIN shows more.
 */
describe.each(Object.entries(SETTINGS))('a login without a valid key, with settings %s', (_, [hash, companies]) => {
  test.each(['on', 'off'])('no condition makes a difference in any table (indexes %s)', async indexes => {
    const outcomes: Record<string, string[]> = {}
    await login.query('BEGIN')
    try {
      const scans = ['indexscan', 'indexonlyscan', 'bitmapscan'].map(scan => `SET LOCAL enable_${scan} = ${indexes}`)
      await login.query(scans.join(';'))
      await login.query(
        `SELECT set_config('partner_metrics.key_hash', $1, true), set_config('partner_metrics.companies', $2, true)`,
        [hash, companies],
      )
      for (const [table, { met, unmet }] of conditions) {
        expect(met.length).toBeGreaterThan(1)
        outcomes[table] = [await tryStatement(table, met), await tryStatement(table, unmet)]
      }
    } finally {
      await login.query('ROLLBACK')
    }
    expect(outcomes).toEqual(Object.fromEntries(Object.keys(outcomes).map(table => [table, ['0', '0']])))
  })
})

test('a value that is not the hash of a key authenticates nothing, without an error', async () => {
  for (const length of [0, 1, 31, 32, 33, 2 ** 20]) {
    const { rows } = await login.query('SELECT authenticate_key($1) AS key', [Buffer.alloc(length, 7)])
    expect(rows).toEqual([{ key: null }])
  }
  expect((await login.query('SELECT authenticate_key(NULL) AS key')).rows).toEqual([{ key: null }])
})
