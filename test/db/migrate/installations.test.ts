import createKnex from 'knex'
import { migrate } from '../../../db/migrate/migrate'
import { migrationSource } from '../../../db/migrate/migration-source'
import { Imports } from '../../support/importing'

const BEFORE = '0014_legacy-calls-without-key.ts'

let imports: Imports

beforeEach(async () => {
  imports = await Imports.open()
})
afterEach(() => imports.close())

test('an upgrade extends the installations to the stored counts, and makes one table of the present and former ones', async () => {
  const { pool, database } = imports
  await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  const knex = createKnex({ client: 'pg', connection: database.ownerUrl, pool: { min: 0, max: 1 } })
  const names = (await migrationSource.getMigrations([])).filter(name => name <= BEFORE)
  await knex.migrate.latest({ migrationSource: { ...migrationSource, getMigrations: async () => names } })
  await knex.destroy()
  const { number: company } = await imports.make.company()
  const asset = async (name: string, zone: string) => {
    const { rows } = await pool.query(
      `INSERT INTO assets (id, company, name, media_type, format, status, indoors, latitude, longitude, country, time_zone)
       VALUES ($1, $2, $1, 'digital', 'billboard', 'active', false, 0, 0, 'DE', $3) RETURNING number`,
      [name, company, zone],
    )
    return rows[0].number as number
  }
  const [a, b] = [await asset('assetaaa', 'Europe/Berlin'), await asset('assetbbb', 'America/New_York')]
  await pool.query(`INSERT INTO vendors (id, name, own, native_minutes) VALUES ('vendorhour', 'Hour', false, 60)`)
  const sensor = async (serial: string, columns: string, values: string) => {
    const { rows } = await pool.query(
      `INSERT INTO sensors (id, serial, model, vendor, native_minutes, billable_state, asset, company, ${columns})
       SELECT $1, $1, 'M', number, 60, 'billable', ${b}, ${company}, ${values} FROM vendors RETURNING number`,
      [serial],
    )
    return rows[0].number as number
  }
  const moved = await sensor('movedsensor', 'installed_at', `'2026-01-01T00:00Z'`)
  const removed = await sensor('removedsensor', 'installed_at, removed_at', `'2026-01-01T00:00Z', '2026-01-10T00:00Z'`)
  await pool.query(`INSERT INTO former_installations VALUES
    (${moved}, ${a}, ${company}, 60, '2026-01-01T00:00Z', '2026-01-05T00:00Z'),
    (${moved}, ${b}, ${company}, 60, '2026-01-07T00:00Z', '2026-01-09T00:00Z'),
    (${moved}, ${a}, ${company}, 60, '2026-01-09T00:00Z', '2026-01-09T00:00Z')`)
  const count = (number: number, on: number, date: string) =>
    pool.query(
      `INSERT INTO sensor_days (impressions, asset, sensor, company, date, native_minutes, observed, hours, counts)
       VALUES (1, $1, $2, $3, $4, 60, 1, '\\x00', '\\x00')`,
      [on, number, company, date],
    )
  await count(moved, a, '2025-12-20')
  await count(moved, a, '2026-01-06')
  await count(removed, b, '2026-01-20')
  expect(await migrate(database.ownerUrl)).not.toEqual([])
  const { rows } = await pool.query(
    'SELECT sensor, asset, installed_at, removed_at FROM installations ORDER BY sensor, installed_at',
  )
  expect(rows.map(({ sensor, asset, installed_at, removed_at }) => [sensor, asset, installed_at, removed_at])).toEqual([
    [moved, a, '2025-12-19T23:00:00Z', '2026-01-06T23:00:00Z'],
    [moved, b, '2026-01-07T00:00:00Z', '2026-01-09T00:00:00Z'],
    [moved, b, '2026-01-09T00:00:00Z', null],
    [removed, b, '2026-01-01T00:00:00Z', '2026-01-21T05:00:00Z'],
  ])
  const sensors = await pool.query('SELECT installed_at, removed_at FROM sensors ORDER BY number')
  expect(sensors.rows).toEqual([
    { installed_at: '2026-01-09T00:00:00Z', removed_at: null },
    { installed_at: '2026-01-01T00:00:00Z', removed_at: '2026-01-21T05:00:00Z' },
  ])
})
