/**
 * The login of the reader without a valid key, for somebody who may run any SQL. PostgreSQL evaluates leakproof comparisons
 * before row-level security, so what is compared must make no difference: no rows, and no errors. EXPLAIN shows more.
 */
import { Client } from 'pg'
import { keyHash } from '../../db/api-keys/key-format'
import { READ_TABLES } from '../../db/logins'
import { startWithTenants, TENANTS, type TenantService } from './tenants'

let tenants: TenantService
let login: Client
let conditions: Map<string, Conditions>

beforeAll(async () => {
  tenants = await startWithTenants(TENANTS, [['Alder']])
  const { owner } = tenants.service
  await owner.query('ANALYZE')
  const { rows } = await owner.query('SELECT current_database() AS name')
  const { url, reader: username, password } = JSON.parse(process.env.TEST_SERVER as string)
  const connectionString = Object.assign(new URL(url), { username, password, pathname: rows[0].name }).href
  login = new Client({ connectionString, options: '-c default_transaction_read_only=off' })
  await login.connect()
  const tables = READ_TABLES.filter(name => !['vendors', 'zone_rules'].includes(name))
  conditions = new Map(await Promise.all(tables.map(async table => [table, await conditionsOn(table)] as const)))
})
afterAll(async () => {
  await login.end()
  await tenants.service.stop()
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
  const known = columns.map(({ name, type }, i) => ({ name, value: rows[0]?.[i], absent: ABSENT[type as string] }))
  const met = known.filter(({ value }) => value !== null)
  return {
    met: met.map(({ name, value }) => `${name} = ${value}`),
    unmet: met.map(({ name, absent }) => `${name} = ${absent}`),
  }
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

describe.each(Object.entries(SETTINGS))('with settings %s', (_, [hash, companies]) => {
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
