import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { readDetails } from '../../../db/operations/listings'
import { countSensors, readSilentSensors } from '../../../db/operations/status'
import { openPool, type Pool } from '../../../db/postgres/pool'
import { World } from '../../support/world'
import { fillNetwork } from './network'

jest.setTimeout(60_000)

describe('partner-metrics status', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())

  const rows = (query: string, values?: unknown[]) => world.rows(query, values)
  const status = () => world.runJson(['status'])

  test('reports that no service is running, and exits with 1', async () => {
    expect(await status()).toEqual({
      code: 1,
      document: {
        running: false,
        ready: false,
        services: [],
        database: {
          location: expect.stringMatching(/^127\.0\.0\.1:\d+\/test_/),
          version: expect.stringMatching(/^\d+/),
          migration: expect.stringMatching(/^\d+_.*\.ts$/),
          size_bytes: expect.any(Number),
          ...{ companies: 0, assets: 0, sensors: 0 },
        },
        imports: [],
        silent_sensors: { count: 0, rows: [] },
        doctor: null,
        ending_keys: { count: 0, rows: [] },
        outdated_zones: [],
      },
    })
    const { code, stdout } = await world.run(['status'])
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^the service is not running\ndatabase: PostgreSQL /)])
  })

  test('does not take another program at the address of a killed service for it', async () => {
    const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    await rows(`INSERT INTO service_processes (id, host, pid, url, version) VALUES ('gone', $1, 1, $2, '1')`, [
      hostname(),
      url,
    ])
    expect(await status()).toMatchObject({ code: 1, document: { running: false } })
    other.close()
    await rows('DELETE FROM service_processes')
  })

  test('trusts the reports of a service on another machine that cannot be reached from here', async () => {
    const insert = `INSERT INTO service_processes (id, host, pid, url, version, seen_at)
      VALUES ('away', 'other.invalid', 1, 'http://0.0.0.0:1', '1', now() - $1 * interval '1 second')`
    await rows(insert, [60])
    expect(await status()).toMatchObject({ code: 0, document: { services: [{ state: 'unreachable' }] } })
    await rows('DELETE FROM service_processes')
    await rows(insert, [120])
    expect(await status()).toMatchObject({ code: 1, document: { services: [] } })
    await rows('DELETE FROM service_processes')
  })

  test('names keys that end within 14 days, and those that were replaced and are still used', async () => {
    const issue = async (label: string, ...more: string[]) =>
      (await world.runJson(['keys', 'issue', '--no-company', '--label', label, ...more])).document
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const soon = await issue('Soon', '--expires', inDays(13))
    await issue('Later', '--expires', inDays(15))
    await issue('Unlimited')
    const [used, moved] = [await issue('Used'), await issue('Moved')]
    const successors: string[] = []
    for (const { id } of [used, moved]) {
      successors.push((await world.runJson(['keys', 'rotate', id, '--overlap', '20d'])).document.id)
    }
    await rows(`UPDATE api_keys SET created_at = now() - interval '3 days' WHERE id = ANY ($1)`, [successors])
    await rows(
      `UPDATE api_keys SET last_used_on = (now() AT TIME ZONE 'UTC')::date - days
      FROM (VALUES ($1, 1), ($2, 3)) AS used (key, days) WHERE id = key`,
      [used.id, moved.id],
    )
    const { document } = await status()
    expect(document.ending_keys.count).toBe(2)
    expect(document.ending_keys.rows).toEqual([
      {
        id: soon.id,
        label: 'Soon',
        expires_at: soon.expires_at,
        last_used_on: null,
        replaced_by: null,
        still_used: false,
      },
      expect.objectContaining({ id: used.id, replaced_by: successors[0], still_used: true }),
    ])
    const { stdout } = await world.run(['status'])
    expect(stdout).toMatch(/2 keys ending within 14 days, or replaced and still used:\n.*Soon.*Used/s)
    expect(stdout).not.toMatch(/Moved|Later|Unlimited/)
  })

  test('reports the latest imports and silent sensors', async () => {
    await fillNetwork(world)
    await world.import('companies', ['id,name', 'companybirch,Birch Ltd'], { details: { file: 'b.csv' } })
    const [{ date }] = (await rows(`SELECT (now() AT TIME ZONE 'UTC')::date AS date`)) as [{ date: string }]
    const daysAgo = (days: number) => new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)
    const counts = [1, 2, 5, 6, 10].map(days => `SN-4,${daysAgo(days)}T00:00:00Z,1`)
    await world.import('impressions', ['sensor,start,impressions', ...counts], { interval: 'quarter_hour' })
    const { document } = await status()
    expect(document.imports).toMatchObject([{ command: 'import companies', details: { file: 'b.csv' } }])
    expect(document.silent_sensors).toEqual({
      count: 3,
      rows: ['SN-1', 'SN-2', 'SN-3'].map(serial => ({
        ...{ serial, last_date: '2026-01-04', asset_id: expect.any(String), asset: expect.any(String) },
      })),
    })
    const { stdout } = await world.run(['status'])
    for (const text of ['b.csv', '3 silent sensors (no counts in their last 2 whole days):', '2026-01-04'])
      expect(stdout).toContain(text)
  })

  test('reads one day of each sensor, and no other counts', async () => {
    await world.clear()
    // 80 sensors on assets of their own and two on one asset, each with 400 days; one lacks the last four.
    await world.make.together(async make => {
      const company = await make.company()
      const vendor = await make.vendor('day')
      const asset = await make.asset({ company, time_zone: 'Etc/UTC' })
      for (let i = 0; i < 82; i++) {
        const own = i < 80 ? await make.asset({ company, time_zone: 'Etc/UTC' }) : asset
        await make.sensor({ asset: own, vendor, grain: 'day', serial: `H-${i}`, installed_at: '2020-01-01' })
      }
    })
    await rows(
      `INSERT INTO sensor_days (impressions, asset, sensor, company, date, native_minutes, observed, hours, counts)
       SELECT 1, asset, number, company, current_date - day, 1440, 1, '\\x01', '\\x01' FROM sensors, generate_series(1, 400) AS day
       WHERE NOT (day < 5 AND serial = 'H-79')`,
    )
    for (const maintenance of ['ANALYZE', 'VACUUM (ANALYZE)']) {
      const pool = openPool(world.database.ownerUrl, { max: 1 })
      try {
        await pool.query(maintenance)
        const {
          rows: [day],
        } = await pool.query('SELECT (current_date - 5)::text AS silent')
        await pool.query('BEGIN')
        expect(await countSensors(pool)).toMatchObject([{ installed: 82, silent: 1 }])
        const silent = [{ serial: 'H-79', last_date: day.silent }]
        expect(await readSilentSensors(pool)).toMatchObject({ count: 1, rows: silent })
        expect(await readDetails(pool, 'sensors', 'H-79')).toMatchObject({ measured_to: day.silent })
        // Twice the last day of each, in the index and the table, and once more that of the silent one.
        expect(await countRowsRead(pool)).toBeLessThanOrEqual(2 * (2 * 82 + 3))
      } finally {
        await pool.end()
      }
    }
  })
})

/** Returns the rows of counts that the transaction of a connection has read, from the table and its indexes. */
async function countRowsRead(pool: Pool): Promise<number> {
  const { rows } = await pool.query(`SELECT sum(pg_stat_get_xact_tuples_returned(relation))::integer AS count FROM (
    SELECT 'sensor_days'::regclass AS relation UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = 'sensor_days'::regclass) t`)
  return rows[0].count
}
