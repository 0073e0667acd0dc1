/** SQL injected into a request reads no data of other companies, and can do nothing else. */
import { Client } from 'pg'
import { keyHash } from '../../db/api-keys/key-format'
import { READ_TABLES } from '../../db/logins'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { readAs } from '../support/world'
import { startWithTenants, TENANTS, type TenantService } from './tenants'

let tenants: TenantService
let key: string
let others: string[]

beforeAll(async () => {
  tenants = await startWithTenants(TENANTS, [['Alder'], ['Birch']])
  key = tenants.keys.get('Alder') as string
  others = ['Birch', 'Cedar'].flatMap(name => [name, name.toLowerCase()])
  await tenants.service.owner.query('ANALYZE')
})
afterAll(() => tenants.service.stop())

const COMPANY_TABLES = READ_TABLES.filter(table => !['vendors', 'zone_rules'].includes(table))

/** Runs SQL in a request with a key, by default Alder's. Returns the rows as JSON. */
const inject = (text: string, presented = key) =>
  readAs(tenants.service.gateway, keyHash(presented), reader => read(reader, text))

let number = 0
async function read(reader: ScopedReader, text: string): Promise<string[]> {
  return (await reader.read<object>({ name: `injected-${number++}`, text })).map(row => JSON.stringify(row))
}

const joined = (rows: string[]): string => rows.join('\n')

/** Rows of the company at whose assets a sensor is or was, or which has the asset, or whose data a transaction changed. */
const WITHOUT_COMPANY = ['notes', 'set_asides', 'sensor_health', 'revisions']

test.each(COMPANY_TABLES)('only rows of the key’s company are visible in %s', async table => {
  const { rows } = await tenants.service.owner.query("SELECT number FROM companies WHERE id = 'aldercompany'")
  const column = table === 'companies' ? 'number' : 'company'
  if (!WITHOUT_COMPANY.includes(table)) {
    const seen = await inject(`SELECT DISTINCT ${column} AS number FROM ${table}`)
    expect(seen).toEqual([JSON.stringify(rows[0])])
  }
  const all = joined(await inject(`SELECT * FROM ${table}`))
  for (const other of others) expect(all).not.toContain(other)
})

test.each(COMPANY_TABLES)(
  'no rows are visible in %s without a valid key, neither before nor after a transaction with one',
  async table => {
    const client = new Client({ connectionString: await readerUrl(), options: '-c default_transaction_read_only=off' })
    await client.connect()
    try {
      const count = async () => (await client.query(`SELECT count(*)::integer AS rows FROM ${table}`)).rows[0].rows
      const setKey = (hash: string) => client.query(`SELECT set_config('partner_metrics.key_hash', $1, true)`, [hash])
      expect(await count()).toBe(0)
      await client.query('BEGIN')
      await setKey(keyHash(key).toString('hex'))
      expect(await count()).toBeGreaterThan(0)
      await client.query('COMMIT')
      expect(await count()).toBe(0)
      for (const invalid of ['', '00'.repeat(32), keyHash('unknown').toString('hex')]) {
        await client.query('BEGIN')
        await setKey(invalid)
        expect(await count()).toBe(0)
        await client.query('COMMIT')
      }
    } finally {
      await client.end()
    }
  },
)

test('nothing of an authenticated key remains after its transaction', async () => {
  const client = new Client({ connectionString: await readerUrl(), options: '-c default_transaction_read_only=off' })
  await client.connect()
  try {
    const settings = ['key_hash', 'companies'].map(name => `current_setting('partner_metrics.${name}', true)`)
    const read = async () => (await client.query(`SELECT ARRAY[${settings}] AS settings`)).rows[0].settings
    const authenticate = () => client.query('SELECT authenticate_key($1)', [keyHash(key)])
    await client.query('BEGIN')
    await authenticate()
    const { rows } = await tenants.service.owner.query("SELECT number FROM companies WHERE id = 'aldercompany'")
    expect(await read()).toEqual([keyHash(key).toString('hex'), `{${rows[0].number}}`])
    await client.query('COMMIT')
    expect(await read()).toEqual(['', ''])
    await authenticate()
    expect(await read()).toEqual(['', ''])
  } finally {
    await client.end()
  }
})

async function readerUrl(): Promise<string> {
  const { reader, password } = JSON.parse(process.env.TEST_SERVER as string)
  const { rows } = await tenants.service.owner.query('SELECT current_database() AS name')
  const url = new URL(JSON.parse(process.env.TEST_SERVER as string).url)
  return Object.assign(url, { username: reader, password, pathname: rows[0].name }).href
}

test.each([
  ['the hashes of keys', 'SELECT hash FROM api_keys'],
  ['the companies of keys', 'SELECT companies FROM api_keys'],
  ['the secret of cursors', 'SELECT cursor_secret FROM service'],
  ['the calls of the legacy interface', 'SELECT * FROM legacy_calls'],
  ['passwords', 'SELECT * FROM pg_authid'],
  ['files', `SELECT pg_read_file('/etc/passwd')`],
  ['other directories', `SELECT pg_ls_dir('.')`],
  ['statistics by company', 'SELECT * FROM pg_statistic'],
  ['counters of calls', `SELECT count_legacy_calls('{}', '{}', '{}', '{}')`],
  ['the numbers of rows that its conditions found', 'SELECT * FROM pg_stat_xact_user_tables'],
  ['the numbers of rows that all have read', 'SELECT * FROM pg_stat_user_tables'],
  ['the tables that its statements have locked', 'SELECT * FROM pg_locks'],
  ['the statements of other connections', 'SELECT * FROM pg_stat_activity'],
  ['the next number of a company', 'SELECT last_value FROM companies_number_seq'],
  ['transaction numbers', 'SELECT pg_current_xact_id()'],
  ['transaction numbers by their former name', 'SELECT txid_current()'],
  ['exports of snapshots', 'SELECT pg_export_snapshot()'],
])('it cannot access %s', async (_, text) => {
  await expect(inject(text)).rejects.toThrow(/permission denied/)
})

test.each(
  [
    ...READ_TABLES.flatMap(table => [`DELETE FROM ${table}`, `UPDATE ${table} SET company = company`]),
    `UPDATE api_keys SET companies = ARRAY[1]`,
    'MERGE INTO assets USING assets a ON false WHEN MATCHED THEN DELETE',
  ].map(text => [text]),
)('it cannot write: %s', async text => {
  await expect(inject(`${text} RETURNING 1`)).rejects.toThrow(/permission denied|does not exist|read-only|syntax error/)
})

test.each([
  ['SET ROLE postgres', /permission denied/],
  ['SET SESSION AUTHORIZATION postgres', /permission denied/],
  ['ALTER TABLE assets DISABLE ROW LEVEL SECURITY', /must be owner/],
  ['DROP POLICY company_scope ON assets', /must be owner/],
  ['CREATE OR REPLACE FUNCTION companies_in_scope() RETURNS integer[] RETURN ARRAY[1,2,3]', /denied|owner/],
  ['CREATE FUNCTION public.mine() RETURNS int RETURN 1', /permission denied/],
  ['CREATE TEMPORARY TABLE companies AS SELECT 1', /permission denied/],
  ['CREATE TEMPORARY VIEW all_assets AS SELECT * FROM assets', /permission denied/],
  ['CREATE SCHEMA mine', /permission denied/],
  [`COPY assets TO PROGRAM 'cat'`, /permission denied/],
  [`COPY assets TO '/tmp/assets'`, /permission denied/],
  [`ALTER ROLE current_user SET row_security = off; SELECT 1`, /multiple commands/],
  ['SET row_security = off', undefined],
] as const)('%s gains it nothing', async (text, refusal) => {
  const { database } = tenants.service.gateway
  const client = new Client({ connectionString: await readerUrl(), options: '-c default_transaction_read_only=off' })
  await client.connect()
  try {
    if (refusal) await expect(client.query({ text, values: [], name: 'own' })).rejects.toThrow(refusal)
    else await client.query(text)
    // With row_security off PostgreSQL refuses a query instead of filtering it.
    if (!refusal) await expect(client.query('SELECT * FROM assets')).rejects.toThrow(/row-level security/)
  } finally {
    await client.end()
  }
  await database.ping()
})

test('it cannot learn the hash of another key', async () => {
  const other = keyHash(tenants.keys.get('Birch') as string)
  const { rows } = await tenants.service.owner.query(
    `SELECT format('%I.%I', table_name, column_name) AS name, table_name FROM information_schema.columns
     WHERE table_schema = 'public'`,
  )
  const readable = rows.filter(({ table_name }) => READ_TABLES.includes(table_name))
  for (const { name, table_name } of readable) {
    const texts = joined(await inject(`SELECT ${name}::text AS value FROM ${table_name}`))
    expect(texts).not.toContain(other.toString('hex'))
  }
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

test('row-level security looks up the scope once per statement, however many rows it reads', async () => {
  const text = 'EXPLAIN (ANALYZE, VERBOSE) SELECT d.* FROM sensor_days d, generate_series(1, 100)'
  const plan = joined(await inject(text))
  expect(plan.match(/rows=1900\b/)).not.toBeNull()
  expect(plan.match(/Output: companies_in_scope\(\)/g)).toHaveLength(1)
  expect(plan).toMatch(/Result .*loops=1\).*\n.*Output: companies_in_scope\(\)/)
})

test('the writer can count legacy calls and nothing else', async () => {
  const url = new URL(await readerUrl())
  const client = new Client({
    connectionString: Object.assign(url, { username: JSON.parse(process.env.TEST_SERVER as string).writer }).href,
  })
  await client.connect()
  try {
    const { rows } = await tenants.service.owner.query('SELECT id FROM api_keys LIMIT 1')
    const count = () =>
      client.query('SELECT count_legacy_calls($1, $2, $3, $4)', [
        ['2026-01-01T00:00:00Z'],
        [rows[0].id],
        ['/route'],
        [2],
      ])
    await count()
    await count()
    for (const table of [...READ_TABLES, 'api_keys', 'service', 'legacy_calls']) {
      for (const text of [`SELECT * FROM ${table}`, `DELETE FROM ${table}`, `INSERT INTO ${table} DEFAULT VALUES`]) {
        await expect(client.query(text)).rejects.toThrow(/permission denied/)
      }
    }
    await expect(client.query(`SELECT * FROM authenticate_key($1)`, [keyHash(key)])).rejects.toThrow(
      /permission denied/,
    )
    const counted = await tenants.service.owner.query(`SELECT calls FROM legacy_calls WHERE route = '/route'`)
    expect(counted.rows).toEqual([{ calls: 4 }])
  } finally {
    await client.end()
  }
})
