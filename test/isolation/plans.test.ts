/**
 * The plans of all statements with 5,000 assets. The statements are recorded while every route and every field is requested.
 * They are planned with the login of the reader, with custom plans (for their values) and generic ones.
 */
import { Client, escapeLiteral } from 'pg'
import { prepareValue } from 'pg/lib/utils'
import { keyHash } from '../../db/api-keys/key-format'
import { READ_TABLES } from '../../db/logins'
import { GROUP_COLUMNS } from '../../db/queries/demographics'
import { send } from '../support/http'
import { rounds } from '../support/rounds'
import { watchTraffic } from '../support/traffic'
import { World } from '../support/world'
import { generatePaths, generateQueries, ROOT_FIELDS, ROUTES } from './requests'

jest.setTimeout(120_000)

interface Sent {
  name: string
  text: string
  values: unknown[]
}

interface PlanNode {
  'Node Type': string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Index Recheck'?: number
  'Rows Removed by Filter'?: number
  'Relation Name'?: string
  'Index Cond'?: string
  Filter?: string
  Plans?: PlanNode[]
}

const collectNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(collectNodes)]

/** Returns the rows of a node and those that it left out. */
function countRowsRead(node: PlanNode): number {
  const rows =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return Math.round(rows * (node['Actual Loops'] ?? 1))
}

/** Tables that grow every day. */
const FACTS = ['sensor_days', 'origin_days', 'demographic_days']

const TABLES = `'{${FACTS}}'::regclass[]`

/**
 * A company with 40 assets, one with 2,960 and four with 500, with a sensor and 20 days each. Indexes are built at the end, which takes half
 * the time.
 */
const SEED = `
INSERT INTO companies (id, name) SELECT 'company' || n, 'Company ' || n FROM generate_series(1, 6) AS n;
INSERT INTO vendors (id, name, own, native_minutes) VALUES ('vendorone', 'One', true, 1);
INSERT INTO assets (id, legacy_id, company, name, media_type, format, status, indoors, latitude, longitude, city, region,
    country, time_zone, external_ids)
  SELECT 'asset' || lpad(n::text, 5, '0'), n, (SELECT number FROM companies WHERE id = 'company' || CASE WHEN n % 10 > 0 THEN greatest(n % 10 - 3, 2) WHEN n > 400 THEN 2 ELSE 1 END), 'Asset ' || n, 'digital',
    'billboard', 'active', false, n % 90, n % 180, 'City ' || n % 100, 'DE-BE', 'DE', 'Europe/Berlin',
    jsonb_build_object('hivestack', n::text, 'broadsign', (n % 50)::text)
  FROM generate_series(1, 5000) AS n;
SET session_replication_role = replica;
UPDATE pg_index SET indisready = false WHERE indrelid = ANY (${TABLES});
INSERT INTO sensors (id, serial, model, vendor, vendor_name, native_minutes, asset, asset_id, company, billable_state, installed_at)
  SELECT 'sensor' || lpad(n::text, 5, '0'), 'SN ' || n, 'M', (SELECT number FROM vendors), 'One', 1, number, id, company, 'billable', '2025-01-01'
  FROM (SELECT row_number() OVER () AS n, number, id, company FROM assets) AS a;
INSERT INTO sensor_days (impressions, asset, sensor, company, date, native_minutes, observed, hours, counts)
  SELECT 10, s.asset, s.number, s.company, date, 1, 1, '\\x00', '\\x00'
  FROM sensors s, generate_series(date '2026-01-01', '2026-01-20', '1 day') AS date;
INSERT INTO asset_months (asset, company, kind, month, total, observed_total, days_with_data, newest, oldest, day_1, observed_1, since)
  SELECT number, company, 'impressions', month, 10, 1, 1, 1, 1, 10, 1, 1 || array_fill(NULL::bigint, '{30}')
  FROM assets, generate_series(24312, 24314) AS month;
INSERT INTO origin_places (company, region, city) SELECT number, 'DE-BE', 'City ' || n FROM companies, generate_series(1, 500) AS n;
INSERT INTO origin_days (asset, company, date, places, impressions)
  SELECT a.number, company, date, ARRAY[p.number], '{10}'
  FROM assets a JOIN origin_places p USING (company), generate_series(date '2026-01-01', '2026-01-20', '1 day') AS date
  WHERE p.city = 'City 10';
INSERT INTO demographic_days (asset, company, date, ${GROUP_COLUMNS})
  SELECT number, company, date, ${GROUP_COLUMNS.map(() => 3)}
  FROM assets, generate_series(date '2026-01-01', '2026-01-20', '1 day') AS date;
SET session_replication_role = DEFAULT;
UPDATE pg_index SET indisready = true WHERE indrelid = ANY (${TABLES});
${FACTS.map(table => `REINDEX TABLE ${table};`).join('\n')}`

const NAMES = {
  company: 'company1',
  assets: ['asset00010', 'asset00020'],
  sensors: ['sensor00010'],
  legacyId: 10,
  city: 'City 10',
  region: 'DE-BE',
  externalId: 'hivestack:10',
}

/** The rows of each table that belong to the company. */
const inScope = new Map<string, number>()

let world: World
let reader: Client
const statements = new Map<string, Sent>()

beforeAll(async () => {
  world = await World.open({ connections: 2 })
  const { owner, make } = world
  await owner.query(SEED)
  const { rows } = await owner.query("SELECT id, number FROM companies WHERE id = 'company1'")
  const { rows: tables } = await owner.query(
    `SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid WHERE attname = 'company' AND relname = ANY ($1)`,
    [READ_TABLES],
  )
  for (const { name } of tables) {
    const { rows: counted } = await owner.query(`SELECT count(*)::integer AS rows FROM ${name} WHERE company = $1`, [
      rows[0].number,
    ])
    inScope.set(name, counted[0].rows)
  }
  const key = await make.key(rows, {
    scopes: ['internal:graphql:read', 'partner:metrics:legacy:read'],
    reseller: true,
  })
  await recordStatements(key)
  const { reader: username, password } = JSON.parse(process.env.TEST_SERVER as string)
  const url = new URL((owner.options as { connectionString: string }).connectionString)
  reader = new Client({ connectionString: Object.assign(url, { username, password }).href })
  await reader.connect()
  await reader.query('BEGIN READ ONLY')
  await reader.query('SELECT authenticate_key($1)', [keyHash(key)])
})
afterAll(async () => {
  await reader?.end()
  await world.stop()
})

const HEADERS = { 'Content-Type': 'application/json' }

/** Makes all requests and records each statement with the values of its first uses. */
async function recordStatements(key: string): Promise<void> {
  const { batched } = await watchTraffic(async () => {
    for (const route of ROUTES) for (const path of generatePaths(route, [NAMES])) await send(world.url + path, { key })
    for (const query of ROOT_FIELDS.flatMap(field => generateQueries(field, NAMES)))
      await send(`${world.url}/graphql`, { key, method: 'POST', headers: HEADERS, body: JSON.stringify({ query }) })
  })
  for (const { statement, values } of batched) {
    // A statement once with each combination of parameters, such as filters.
    const use = `${statement.name} ${values.map(value => (value === null ? 0 : 1)).join('')}`
    if (!CONTROL.includes(statement.name) && !statements.has(use)) statements.set(use, { ...statement, values })
  }
}

/** Statements without a plan. */
const CONTROL = ['begin', 'commit']

/** Runs a statement as a prepared one. @returns the nodes of its plan */
async function explain({ name, text, values }: Sent, mode: string): Promise<PlanNode[]> {
  const literals = values.map(prepareValue).map(value => {
    if (value === null) return 'NULL'
    return escapeLiteral(Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value))
  })
  await reader.query(`SET plan_cache_mode = force_${mode}_plan`)
  await reader.query(`PREPARE "${name}" AS ${text}`)
  const given = literals.length > 0 ? `(${literals.join(', ')})` : ''
  const { rows } = await reader.query(`EXPLAIN (FORMAT JSON, ANALYZE, TIMING off) EXECUTE "${name}" ${given}`)
  await reader.query(`DEALLOCATE "${name}"`)
  return collectNodes(rows[0]['QUERY PLAN'][0].Plan)
}

test('all statements of the service are recorded', () => {
  const texts = [...statements.values()].map(({ text }) => text)
  // Functions read the others.
  const unread = READ_TABLES.filter(table => !texts.some(text => new RegExp(`\\b${table}\\b`).test(text)))
  expect(unread).toEqual([])
  expect(new Set([...statements.values()].map(({ name }) => name)).size).toBeGreaterThan(80)
})

/** A node reads more rows of a table than belong to the company. A join may look up a row for each of several. */
function readsForeignRows(node: PlanNode): boolean {
  const own = inScope.get(node['Relation Name'] ?? '')
  return own !== undefined && countRowsRead(node) > 2 * own
}

/** The columns by which the rows of tables are to be found. The condition of a bitmap scan is in the node of its index. */
const KEYS: [tables: string[], columns: RegExp[], leastReads: number][] = [
  [FACTS, [/\b(asset|company)\b/, /\b(date|month)\b/], 10],
  [['assets'], [/\b(company|id|number|legacy_id)\b/], 15],
]

/**
 * Without statistics, as after a restore; with them; and after a VACUUM, before which PostgreSQL considers index-only scans
 * more expensive.
 */
const MAINTENANCE = rounds(['', 'VACUUM ANALYZE'], ['', 'ANALYZE', 'VACUUM ANALYZE'])

describe.each(MAINTENANCE)('after "%s"', maintenance => {
  beforeAll(() => world.owner.query(maintenance))

  test.each(['custom', 'generic'])('statements find rows of the own company, by index (%s plans)', async mode => {
    const wrong: string[] = []
    const reads = KEYS.map(() => 0)
    for (const statement of statements.values()) {
      for (const node of await explain(statement, mode)) {
        const { Filter = '', 'Relation Name': table = '' } = node
        const report = (problem: string) => wrong.push(`${statement.name}: ${problem}: ${JSON.stringify(node)}`)
        if (/\bcol1\)+::|current_setting/.test(Filter)) report('evaluates the scope predicate per row')
        if (readsForeignRows(node)) report('reads rows of other companies')
        for (const [i, [tables, columns]] of KEYS.entries()) {
          if (maintenance === '' || !tables.includes(table)) continue
          reads[i] = (reads[i] ?? 0) + 1
          const condition = collectNodes(node).map(below => below['Index Cond'] ?? '')
          if (!columns.every(column => column.test(condition.join(' ')))) report('finds rows by other columns')
        }
      }
    }
    expect(wrong).toEqual([])
    if (maintenance !== '') for (const [i, [, , least]] of KEYS.entries()) expect(reads[i]).toBeGreaterThan(least)
  })
})
