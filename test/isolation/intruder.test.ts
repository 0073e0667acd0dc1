/** Whoever brings SQL of his own into a request of one company's key finds nothing of another company's. */
import { Client } from 'pg'
import { keyHash } from '../../db/api-keys/key-format'
import { READ_TABLES } from '../../db/logins'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { readAs } from '../support/service'
import { EVERYBODY, makeWorld, type World } from './worlds'

let world: World
let key: string
let others: string[]

beforeAll(async () => {
  world = await makeWorld(EVERYBODY, [['Alder'], ['Birch']])
  key = world.keys.get('Alder') as string
  others = ['Birch', 'Cedar'].flatMap(name => [name, name.toLowerCase()])
  const { owner } = world.service
  await owner.query('ANALYZE')
  await owner.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET track_functions = pl', current_database()); END $$`,
  )
})
afterAll(() => world.service.stop())

const WALLED = READ_TABLES.filter(table => table !== 'vendors')

/** Runs SQL where a request of Alder's key reads; the rows as text. */
const inject = (text: string, presented = key) =>
  readAs(world.service.gateway, keyHash(presented), reader => read(reader, text))

let number = 0
async function read(reader: ScopedReader, text: string): Promise<string[]> {
  return (await reader.read<object>({ name: `injected-${number++}`, text })).map(row => JSON.stringify(row))
}

const tell = (rows: string[] | undefined) => rows?.join('\n') ?? ''

test.each(WALLED)('all of the table %s is what belongs to the company of the key', async table => {
  const { rows } = await world.service.owner.query("SELECT number FROM companies WHERE id = 'aldercompany'")
  const column = table === 'companies' ? 'number' : 'company'
  const seen = await inject(`SELECT DISTINCT ${column} AS number FROM ${table}`)
  expect(seen).toEqual([JSON.stringify(rows[0])])
  const whole = tell(await inject(`SELECT * FROM ${table}`))
  for (const other of others) expect(whole).not.toContain(other)
})

test.each(WALLED)('of the table %s nothing is there without a key, before one was presented and after', async table => {
  const client = new Client({ connectionString: await readerUrl() })
  await client.connect()
  try {
    const count = async () => (await client.query(`SELECT count(*)::integer AS rows FROM ${table}`)).rows[0].rows
    const present = (hash: string) => client.query(`SELECT set_config('partner_metrics.key_hash', $1, true)`, [hash])
    expect(await count()).toBe(0)
    await client.query('BEGIN')
    await present(keyHash(key).toString('hex'))
    expect(await count()).toBeGreaterThan(0)
    await client.query('COMMIT')
    expect(await count()).toBe(0)
    for (const nobody of ['', '00'.repeat(32), keyHash('nobody').toString('hex')]) {
      await client.query('BEGIN')
      await present(nobody)
      expect(await count()).toBe(0)
      await client.query('COMMIT')
    }
  } finally {
    await client.end()
  }
})

test('of a key that was presented nothing is left behind its transaction', async () => {
  const client = new Client({ connectionString: await readerUrl() })
  await client.connect()
  try {
    const settings = ['key_hash', 'companies'].map(name => `current_setting('partner_metrics.${name}', true)`)
    const told = async () => (await client.query(`SELECT ARRAY[${settings}] AS told`)).rows[0].told
    const present = () => client.query('SELECT authenticate_key($1)', [keyHash(key)])
    await client.query('BEGIN')
    await present()
    const { rows } = await world.service.owner.query("SELECT number FROM companies WHERE id = 'aldercompany'")
    expect(await told()).toEqual([keyHash(key).toString('hex'), `{${rows[0].number}}`])
    await client.query('COMMIT')
    expect(await told()).toEqual(['', ''])
    await present()
    expect(await told()).toEqual(['', ''])
  } finally {
    await client.end()
  }
})

async function readerUrl(): Promise<string> {
  const { reader, password } = JSON.parse(process.env.TEST_SERVER as string)
  const { rows } = await world.service.owner.query('SELECT current_database() AS name')
  const url = new URL(JSON.parse(process.env.TEST_SERVER as string).url)
  return Object.assign(url, { username: reader, password, pathname: rows[0].name }).href
}

test.each([
  ['the hashes of keys', 'SELECT hash FROM api_keys'],
  ['who carries which company', 'SELECT companies FROM api_keys'],
  ['the secret of cursors', 'SELECT cursor_secret FROM service'],
  ['who calls the legacy interface', 'SELECT * FROM legacy_calls'],
  ['passwords', 'SELECT * FROM pg_authid'],
  ['files', `SELECT pg_read_file('/etc/passwd')`],
  ['other directories', `SELECT pg_ls_dir('.')`],
  ['statistics by company', 'SELECT * FROM pg_statistic'],
  ['how much a key may be counted for', `SELECT count_legacy_calls('{}', '{}', '{}', '{}')`],
])('it cannot read %s', async (_, text) => {
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
] as const)('as a statement of its own, %s, it gains nothing', async (text, refusal) => {
  const { database } = world.service.gateway
  const client = new Client({ connectionString: await readerUrl() })
  await client.connect()
  try {
    if (refusal) await expect(client.query({ text, values: [], name: 'own' })).rejects.toThrow(refusal)
    else await client.query(text)
    // Switched off, row-level security refuses instead of letting through.
    if (!refusal) await expect(client.query('SELECT * FROM assets')).rejects.toThrow(/row-level security/)
  } finally {
    await client.end()
  }
  await database.ping()
})

test('it presents another key only where it knows that key’s hash, which nothing tells', async () => {
  const other = keyHash(world.keys.get('Birch') as string)
  const { rows } = await world.service.owner.query(
    `SELECT format('%I.%I', table_name, column_name) AS name, table_name FROM information_schema.columns
     WHERE table_schema = 'public'`,
  )
  const readable = rows.filter(({ table_name }) => READ_TABLES.includes(table_name))
  for (const { name, table_name } of readable) {
    const texts = tell(await inject(`SELECT ${name}::text AS value FROM ${table_name}`))
    expect(texts).not.toContain(other.toString('hex'))
  }
  const activity = tell(await inject('SELECT * FROM pg_stat_activity'))
  for (const form of ['hex', 'base64', 'base64url'] as const) expect(activity).not.toContain(other.toString(form))
})

test('what it asks of rows is asked of its own alone: a fault of a strange row does not come to light', async () => {
  const divides = (name: string) =>
    inject(`SELECT id FROM assets WHERE 1 / (CASE WHEN name LIKE '${name}%' THEN 0 ELSE 1 END) = 1`)
  await expect(divides('Alder')).rejects.toThrow(/division by zero/)
  expect(await divides('Cedar')).toHaveLength(2)
})

test('statistics of the tables tell nothing of their values', async () => {
  expect(await inject(`SELECT * FROM pg_stats WHERE schemaname = 'public' AND tablename <> 'vendors'`)).toEqual([])
  expect(await inject(`SELECT * FROM pg_stats_ext WHERE schemaname = 'public'`)).toEqual([])
})

test('the scope of the key is worked out once a statement, however many rows it reads', async () => {
  const calls = await readAs(world.service.gateway, keyHash(key), async reader => {
    const counted = `SELECT coalesce(sum(calls), 0)::integer AS calls FROM pg_stat_xact_user_functions WHERE funcname = 'companies_in_scope'`
    const [before, rows, after] = await Promise.all([
      read(reader, counted),
      read(reader, 'SELECT d.* FROM sensor_days d, generate_series(1, 100)'),
      read(reader, counted),
    ])
    expect(rows).toHaveLength(500)
    return [...before, ...after].map(row => JSON.parse(row).calls)
  })
  const [before, after] = calls as number[]
  expect((after as number) - (before as number)).toBe(1)
})

test('whoever counts legacy calls can do nothing else', async () => {
  const url = new URL(await readerUrl())
  const client = new Client({
    connectionString: Object.assign(url, { username: JSON.parse(process.env.TEST_SERVER as string).writer }).href,
  })
  await client.connect()
  try {
    const { rows } = await world.service.owner.query('SELECT id FROM api_keys LIMIT 1')
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
    const counted = await world.service.owner.query(`SELECT calls FROM legacy_calls WHERE route = '/route'`)
    expect(counted.rows).toEqual([{ calls: 4 }])
  } finally {
    await client.end()
  }
})
