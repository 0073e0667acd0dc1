/**
 * Each column of each table is damaged in one row, without triggers. `verify --repair` finds it, and either restores all tables as they were
 * or changes nothing. Exempt are the columns that the page on maintenance lists.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PoolClient, QueryResult } from 'pg'
import { repair } from '../../../db/verify/verify'
import { fillNetwork } from '../../cli/operations/network'
import { withoutTriggers } from '../../support/databases'
import { stored } from '../../support/outcomes'
import { World } from '../../support/world'

jest.setTimeout(300_000)

type Column = Record<'table' | 'column' | 'type', string>

/** The columns to damage: of those with the same name but for a number, the first one. Rows of touched and touched_months are never stored. */
const COLUMNS = `SELECT relname AS table, attname AS column, format_type(atttypid, NULL) AS type
  FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attidentity = ''
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname !~ '^(knex|touched)'
    AND (attname !~ '[0-9]' OR attname ~ '_1$|_12_17$') ORDER BY relname, attnum`

/** Other values `v`, by type. The first one that the constraints permit is stored. */
const OTHERS: Record<string, string[]> = {
  integer: ['coalesce(v, 0) + 1', 'v - 1'],
  smallint: ['coalesce(v, 0) + 1', '60'],
  bigint: ['coalesce(v, 0) + 1', 'v + 1000'],
  text: [`coalesce(v, '') || 'x'`, `left(v, -1) || 'x'`, `'removed'`, `'origins'`],
  boolean: ['NOT v'],
  date: ['v + 1', 'v - 1'],
  'timestamp with time zone': [`v + interval '1 day'`, `v - interval '1 day'`, 'now()'],
  bytea: ['set_byte(v, 0, 255 - get_byte(v, 0))'],
  bit: ['~v'],
  json: [`'{}'`],
  jsonb: [`'{}'`],
  'integer[]': ['ARRAY(SELECT e + 1 FROM unnest(v) AS e)'],
  'bigint[]': ['ARRAY(SELECT e + 1 FROM unnest(v) AS e)'],
  'date[]': ['ARRAY(SELECT e + 1 FROM unnest(v) AS e)'],
  'text[]': [`ARRAY(SELECT e || 'x' FROM unnest(v) AS e)`, `'{}'`],
}

/** Conditions of the rows that others need, in tables that have more. */
const IN_USE: Record<string, string> = {
  sensors: 'asset IS NOT NULL',
  transactions: 'commit_number IN (SELECT until FROM former_totals)',
  zone_rules: 'number IN (SELECT rules FROM assets)',
}

let world: World
let client: PoolClient

async function fill(): Promise<void> {
  await fillNetwork(world)
  await world.rows(`UPDATE assets SET external_ids = '{"ERP": "1"}' WHERE legacy_id = 101`)
  await world.run(['keys', 'issue', '--company', 'companyalder', '--label', 'one'])
  await world.rows(`UPDATE api_keys SET scopes = '{internal:graphql:read}', rate_requests = 1, rate_seconds = 1`)
  // Days with two former totals.
  for (const count of [70, 80]) {
    const rows = ['SN-1', 'SN-4'].map(serial => `${serial},2026-01-02T00:00:00Z,${count}`)
    const lines = ['sensor,start,impressions', ...rows]
    expect(await world.import('impressions', lines, { interval: 'quarter_hour' })).toMatchObject(stored(2))
  }
  const stretch = ['--sensor', 'SN-1', '--from', '2026-01-04T12:00:00Z', '--to', '2026-01-04T13:00:00Z']
  for (const args of [
    ['set-aside', 'impressions', ...stretch, '--reason', 'A bus', '--yes'],
    ['close', '2026-01', '--yes'],
  ]) {
    expect(await world.run(args)).toMatchObject({ code: 0 })
  }
}

/** Returns the columns that the page lists, and tables of which it lists all. */
function readExempt(): Set<string> {
  const page = readFileSync(join(__dirname, '../../../docs/maintenance.md'), 'utf8')
  const section = page.slice(page.indexOf('## Verify'), page.indexOf('## Time zone rules'))
  const names = (text = '') => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name as string)
  return new Set(
    [...section.matchAll(/^\| (`.*) \| (.*) \|$/gm)].flatMap(([, tables, columns]) =>
      names(tables).flatMap(table =>
        [table, ...names(columns).map(column => `${table}.${column}`)].slice(/^all/.test(columns!) ? 0 : 1),
      ),
    ),
  )
}

/** Returns a hash of the rows of each table, but of what was done. */
function readRows(tables: Iterable<string>): Promise<object[]> {
  const hashes = [...tables]
    .filter(table => !['operations', 'transactions'].includes(table))
    .map(table => `SELECT '${table}' AS name, md5(string_agg(t::text, ' ' ORDER BY t::text)) AS rows FROM ${table} t`)
  return world.rows(`${hashes.join(' UNION ALL ')} ORDER BY 1`)
}

/** Damages a column of one of the first rows. Returns the SQL that undoes it. */
async function damage({ table, column, type }: Column): Promise<string> {
  for (const offset of [0, 1, 2, 3]) {
    for (const other of OTHERS[type] ?? []) {
      const row = `SELECT ctid AS row, ${column} AS v FROM ${table} WHERE ${IN_USE[table] ?? true}
        ORDER BY ${column} IS NULL, ctid LIMIT 1 OFFSET ${offset}`
      const update = `UPDATE ${table} t SET ${column} = ${other} FROM (${row}) AS d
        WHERE t.ctid = d.row AND ${column}::text IS DISTINCT FROM (${other})::text
        RETURNING format('UPDATE ${table} SET ${column} = %L WHERE ctid = %L', d.v::text, t.ctid) AS undo`
      const [, , result] = await client.query(withoutTriggers(update)).then(
        results => results as unknown as QueryResult[],
        async error => {
          await client.query('ROLLBACK')
          // A constraint, or a column without a row.
          if (!/^23/.test(error.code)) throw error
          return []
        },
      )
      if (result?.rows[0]) return result.rows[0].undo
    }
  }
  throw new Error(`no value of ${table}.${column} can be damaged`)
}

beforeAll(async () => {
  world = await World.open()
  await fill()
  client = await world.owner.connect()
})
afterAll(() => {
  client.release()
  return world.stop()
})

test('--repair finds each damaged column, and restores all tables or changes nothing', async () => {
  const columns = (await world.rows(COLUMNS)) as Column[]
  const exempt = readExempt()
  const tables = new Set(columns.map(({ table }) => table))
  const names = new Set([...tables, ...columns.map(({ table, column }) => `${table}.${column}`)])
  expect([...exempt].filter(name => !names.has(name))).toEqual([])
  await world.verify()
  const before = await readRows(tables)
  const outcomes = { restored: 0, left: 0 }
  for (const column of columns) {
    const name = `${column.table}.${column.column}`
    if (exempt.has(column.table) || exempt.has(name)) continue
    const undo = await damage(column)
    const damaged = await readRows(tables)
    const { found, repaired } = await repair(world.owner, async () => {})
    expect([name, found > 0]).toEqual([name, true])
    const after = await readRows(tables)
    expect([name, after]).toEqual([name, repaired > 0 ? before : damaged])
    outcomes[repaired > 0 ? 'restored' : 'left']++
    if (repaired === 0) await world.rows(withoutTriggers(undo))
  }
  expect(outcomes.restored).toBeGreaterThan(40)
})
