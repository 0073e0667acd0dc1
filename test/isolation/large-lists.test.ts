/**
 * Lists of 500 assets with five years of data, 4,000 notes and 20,000 restatements: a page reads what is on it, on the tenth use of
 * a connection, too, when PostgreSQL has a generic plan.
 */
import { Client } from 'pg'
import { keyHash } from '../../db/api-keys/key-format'
import { addMissingRules } from '../../db/zones/rules-in-force'
import { withoutTriggers } from '../support/databases'
import { send } from '../support/http'
import { countRowsRead, runExplained } from '../support/plans'
import { watchTraffic } from '../support/traffic'
import { World } from '../support/world'

jest.setTimeout(120_000)

const ENTITIES = `
INSERT INTO companies (id, name) VALUES ('largecompany', 'Large'), ('othercompany', 'Other');
INSERT INTO vendors (id, name, own, native_minutes) VALUES ('vendorone', 'One', false, 1440);
INSERT INTO assets (id, company, name, media_type, format, status, indoors, latitude, longitude, country, time_zone)
  SELECT 'asset' || lpad(n::text, 5, '0'), c.number, 'Asset ' || n, 'digital', 'billboard', 'active', false, 50, 10, 'DE', 'Europe/Berlin'
  FROM generate_series(1, 550) AS n JOIN companies c ON (c.id = 'largecompany') = (n <= 500);
INSERT INTO sensors (id, serial, model, vendor, native_minutes, asset, company, billable_state, installed_at)
  SELECT 'sensor' || lpad(n::text, 5, '0'), 'SN ' || n, 'M', v.number, 1440, a.number, company, 'billable', '2020-01-01'
  FROM vendors v, generate_series(1, 605) AS n JOIN assets a ON id = 'asset' || lpad(((n - 1) % 550 + 1)::text, 5, '0');
INSERT INTO installations (sensor, asset, company, native_minutes, installed_at)
  SELECT number, asset, company, native_minutes, installed_at FROM sensors`

const DATA = withoutTriggers(`
INSERT INTO asset_months (asset, company, kind, month, total, observed_total, days_with_data, number, oldest, day_1, observed_1, since)
  SELECT number, company, 'impressions', month, 10, 1, 1, 1, 1, 10, 1, 1 || array_fill(NULL::bigint, '{30}')
  FROM assets, generate_series(2021 * 12, 2025 * 12 + 11) AS month;
INSERT INTO notes (id, asset, sensor, from_date, to_date, kind, text, is_internal)
  SELECT 'note' || lpad(row_number() OVER ()::text, 8, '0'), o.asset, o.sensor, date '2021-01-01' + n * 200, date '2021-01-05' + n * 200, 'caveat', 'Note ' || n, false
  FROM generate_series(1, 8) AS n,
    (SELECT number AS asset, NULL::integer AS sensor FROM assets WHERE number % 2 = 0 UNION ALL SELECT NULL, number FROM sensors WHERE asset % 2 = 0) AS o;
INSERT INTO set_asides (sensor, from_time, to_time, reason, is_public)
  SELECT number, date '2021-01-01' + n * 400, date '2021-01-03' + n * 400, 'bus', true FROM sensors, generate_series(1, 4) AS n;
INSERT INTO sensor_health (sensor, from_time, to_time, status)
  SELECT number, t, t + interval '5 hours', CASE WHEN row_number() OVER (ORDER BY t) % 2 = 0 THEN 'offline' ELSE 'healthy' END
  FROM sensors, generate_series(timestamptz '2021-01-01Z', '2025-12-31Z', '36 hours') AS t WHERE number <= 60;
INSERT INTO transactions (number, committed_at, reason, note, note_is_public)
  SELECT 1000 + n, timestamptz '2025-01-01Z' + n * interval '1 hour', 'import', 'Counted again', n % 10 = 0 FROM generate_series(1, 40) AS n;
INSERT INTO former_totals (asset, company, kind, date, since, until, total, next_total, final, asset_id)
  SELECT a.number, company, 'impressions', date '2024-01-01' + (r.number % 40)::integer, 1, r.number, 1, 2, false, a.id FROM assets a, transactions r WHERE r.note IS NOT NULL`)

const YEARS = 'from_date=2021-01-01&to_date=2025-12-31'

let world: World
let key: string
let reader: Client

beforeAll(async () => {
  world = await World.open({ connections: 1 })
  const { owner, make, database } = world
  await addMissingRules(owner, ['Europe/Berlin'])
  await owner.query(ENTITIES)
  await owner.query(DATA)
  await owner.query('ANALYZE')
  const { rows } = await owner.query(`SELECT id, number FROM companies WHERE id = 'largecompany'`)
  key = await make.key(rows)
  reader = new Client({ connectionString: database.readerUrl })
  await reader.connect()
  await reader.query('BEGIN READ ONLY')
  await reader.query('SELECT authenticate_key($1)', [keyHash(key)])
})
afterAll(async () => {
  await reader?.end()
  await world.stop()
})

/** The most rows of tables that a page of 50 reads; all tables together have 150,000. */
const MAX_ROWS_READ = 5_000

test.each([
  ['assets?', 1],
  ['sensors?', 1],
  [`notes?${YEARS}&`, 1],
  ['notes?from_date=2025-05-22&to_date=2025-05-22&', 1],
  ['changes?kinds=impressions,notes&', 2],
  [`impressions?${YEARS}&grain=month&`, 2],
  ['gaps?from_date=2025-01-01&to_date=2025-01-31&', 6],
])('a page of /%s reads few rows, with a generic plan, too', async (list, statements) => {
  const path = `/v1/partner/${list}limit=50`
  const { pagination } = (await send(world.url + path, { key })).body
  const next = `${world.url}${path}&cursor=${pagination.cursor}`
  for (let i = 1; i < 10; i++) await send(next, { key })
  const { batched } = await watchTraffic(async () => expect((await send(next, { key })).status).toBe(200))
  const reads = batched.filter(({ statement }) => statement.name !== 'authenticate-key')
  expect(reads.map(({ statement }) => statement.name)).toHaveLength(statements)
  let rows = 0
  for (const { statement, values } of reads) {
    const nodes = await runExplained(reader, { ...statement, values }, 'auto', 10)
    rows += nodes.filter(node => 'Relation Name' in node).reduce((sum, node) => sum + countRowsRead(node), 0)
  }
  expect(rows).toBeLessThan(MAX_ROWS_READ)
})

test('all impressions by month are read in batches of some 50 assets', async () => {
  const { batched } = await watchTraffic(() =>
    send(`${world.url}/v1/partner/impressions?${YEARS}&grain=month&output=csv`, { key }),
  )
  const batches = batched.filter(({ statement }) => statement.name.startsWith('impressions-totals'))
  const assets = batches.map(({ values }) => (values[0] as string[]).length)
  expect(assets.reduce((sum, ofBatch) => sum + ofBatch)).toBe(500)
  expect(Math.max(...assets)).toBeLessThan(60)
})
