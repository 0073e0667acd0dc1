import { PassThrough, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Pool } from 'pg'
import { runDemo } from '../../cli/demo/run'
import { Invocation } from '../../cli/invocation'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { openPool } from '../../db/postgres/pool'
import { GROUP_COLUMNS } from '../../db/queries/demographics'
import { ASSETS, COMPANIES } from '../../db/seeds/demo/assets'
import { sensorDays } from '../../db/seeds/demo/counts'
import { sensorsAt, VENDORS } from '../../db/seeds/demo/sensors'
import { refreshDemoHealth } from '../../imports/demo/health'
import { canLoadDemo, loadDemo } from '../../imports/demo/load'
import { importFile } from '../../imports/import-file'
import type { Kind } from '../../imports/kind-names'
import { setAside } from '../../imports/set-aside/set-aside'
import { Command, DataDir } from '../support/command'
import { createDatabase, type TestDatabase } from '../support/databases'
import { send } from '../support/http'
import { runJson } from '../support/in-process'

const DAY = 86_400
/** A few days, in which a sensor moves. The command loads 90. */
const FEW = 3
const NOW = Date.UTC(2026, 3, 3, 9, 30) / 1000

const opened: { database: TestDatabase; pool: Pool }[] = []

async function open(): Promise<{ pool: Pool; url: string }> {
  const database = await createDatabase()
  const pool = openPool(database.ownerUrl, { max: 4 })
  opened.push({ database, pool })
  return { pool, url: database.ownerUrl }
}

afterAll(async () => {
  for (const { database, pool } of opened) {
    await pool.end()
    await database.drop()
  }
})

/** Returns the content of the demo, without numbers that differ from database to database. */
async function readContents(pool: Pool): Promise<Record<string, unknown>> {
  const { rows } = await pool.query(`
    SELECT (SELECT json_agg(c.id || c.name ORDER BY c.id) FROM companies c) AS companies,
      (SELECT md5(string_agg(concat_ws('|', id, legacy_id, name, description, address, measured_from, measured_to), ';' ORDER BY id))
         FROM assets JOIN asset_versions ON asset = number) AS assets,
      (SELECT json_agg(concat_ws('|', s.serial, a.id, s.billable_state, s.installed_at, s.removed_at, s.health_status) ORDER BY s.id)
         FROM sensors s LEFT JOIN assets a ON a.number = s.asset) AS sensors,
      (SELECT json_agg(concat_ws('|', s.serial, a.id, f.installed_at, f.removed_at) ORDER BY s.id, f.installed_at)
         FROM installations f JOIN sensors s ON s.number = f.sensor JOIN assets a ON a.number = f.asset) AS installations,
      (SELECT md5(string_agg(concat_ws('|', s.serial, a.id, d.date, d.impressions, d.observed, md5(d.counts), md5(d.hours)), ';'
                             ORDER BY s.id, d.date))
         FROM sensor_days d JOIN sensors s ON s.number = d.sensor JOIN assets a ON a.number = d.asset) AS days,
      (SELECT md5(string_agg(concat_ws('|', a.id, o.date, o.country, o.region, o.city, o.impressions), ';'
                             ORDER BY a.id, o.date, o.country, o.region, o.city))
         FROM origins o JOIN assets a ON a.number = o.asset) AS origins,
      (SELECT md5(string_agg(concat_ws('|', a.id, d.date, (${GROUP_COLUMNS})::text), ';' ORDER BY a.id, d.date))
         FROM demographic_days d JOIN assets a ON a.number = d.asset) AS demographics,
      (SELECT json_agg(label ORDER BY label) FROM api_keys) AS keys`)
  return rows[0]
}

describe('partner-metrics demo', () => {
  let pool: Pool
  let first: Awaited<ReturnType<typeof loadDemo>>
  let contents: Record<string, unknown>

  beforeAll(async () => {
    ;({ pool } = await open())
    first = await loadDemo(pool, 'dev', NOW, FEW)
    contents = await readContents(pool)
  }, 60_000)

  it('loads companies, assets, sensors and the counts of each day', async () => {
    expect(first).toMatchObject({ loaded: true, companies: 3, assets: ASSETS.length, days: FEW })
    const { rows } = await pool.query(
      `SELECT a.id, d.date::text, sum(d.impressions)::integer AS impressions
         FROM sensor_days d JOIN assets a ON a.number = d.asset GROUP BY 1, 2`,
    )
    const expected = new Map<string, number>()
    for (const { asset, date, counts } of sensorDays(sensorsAt(NOW), NOW, FEW)) {
      const key = `${asset.id} ${date}`
      const seen = counts.reduce((sum, count) => sum + Math.max(count, 0), 0)
      expected.set(key, (expected.get(key) ?? 0) + seen)
    }
    expect(Object.fromEntries(rows.map(row => [`${row.id} ${row.date}`, row.impressions]))).toEqual(
      Object.fromEntries(expected),
    )
  })

  it('issues a key of each kind for the environment', async () => {
    expect(new Set(first.keys.map(({ kind }) => kind))).toEqual(
      new Set(['partner', 'two_companies', 'reseller', 'legacy', 'no_company', 'analyst']),
    )
    for (const { key } of first.keys) expect(key).toMatch(/^msk_test_[0-9A-Za-z]{38}$/)
    const { rows } = await pool.query(
      `SELECT scopes, reseller, all_companies, cardinality(companies) AS companies
         FROM api_keys ORDER BY array_position($1, id)`,
      [first.keys.map(({ id }) => id)],
    )
    const partner = { scopes: [], reseller: false, all_companies: false, companies: 1 }
    expect(rows).toEqual([
      ...[partner, partner, partner],
      { ...partner, companies: 2 },
      { ...partner, companies: 2, reseller: true },
      { ...partner, scopes: ['partner:metrics:legacy:read'] },
      { ...partner, companies: 0 },
      { ...partner, scopes: ['internal:graphql:read'], all_companies: true, companies: 0 },
    ])
  })

  it('changes nothing and issues no keys the second time', async () => {
    expect(await loadDemo(pool, 'dev', NOW + 3 * DAY, FEW)).toEqual({ ...first, loaded: false, keys: [] })
    expect(await readContents(pool)).toEqual(contents)
  })

  it('has a sensor that moved, whose earlier counts belong to the first asset', async () => {
    expect(await assetsOfMovedSensor(pool)).toEqual(['Kottbusser Tor Nord', 'Hermannplatz Süd'])
  })

  it('adds health checks of its own sensors only', async () => {
    await pool.query(
      `INSERT INTO sensors (id, serial, model, vendor, native_minutes, billable_state)
       SELECT 'demoothers0', 'OTHERS-1', 'any', number, native_minutes, 'pending' FROM vendors LIMIT 1`,
    )
    const statuses = async () => {
      const { rows } = await pool.query(
        `SELECT coalesce(health_status, 'none') AS status, min(health_checked_at) AS checked_at,
                bool_and(health_reason IS NOT NULL) AS reasons, count(*)::integer AS sensors
           FROM sensors WHERE asset IS NOT NULL AND removed_at IS NULL GROUP BY 1 ORDER BY 1`,
      )
      return rows
    }
    const before = await statuses()
    expect(before.map(({ status, reasons }) => [status, reasons])).toEqual([
      ['degraded', true],
      ['healthy', false],
      ['none', false],
      ['offline', true],
    ])
    await refreshDemoHealth(pool, NOW + 3600)
    const after = await statuses()
    expect(after).toEqual(before.map(row => ({ ...row, checked_at: row.checked_at && '2026-04-03T10:30:00Z' })))
    const { rows } = await pool.query(`SELECT health_status FROM sensors WHERE serial = 'OTHERS-1'`)
    expect(rows).toEqual([{ health_status: null }])
    await pool.query(`DELETE FROM sensors WHERE serial = 'OTHERS-1'`)
  })

  describe('after it was interrupted', () => {
    it('completes the data, and issues its keys once, wherever it was interrupted', async () => {
      const { pool, url } = await open()
      const keys: unknown[] = []
      for (const table of ['companies', 'installations', 'sensor_days', 'origins', 'demographic_days']) {
        const killed = loadDemo(pool, 'dev', NOW, FEW).catch(() => ({ keys: [] }))
        await killOnce(url, `EXISTS (SELECT FROM ${table})`)
        keys.push(...(await killed).keys)
      }
      keys.push(...(await loadDemo(pool, 'dev', NOW, FEW)).keys)
      expect(keys).toHaveLength(first.keys.length)
      expect(await readContents(pool)).toEqual(contents)
    }, 60_000)

    it('completes the data on a later day', async () => {
      const { pool, url } = await open()
      const killed = loadDemo(pool, 'dev', NOW, FEW).catch(() => {})
      await killOnce(url, 'EXISTS (SELECT FROM origins)')
      await killed
      await loadDemo(pool, 'dev', NOW + 60 * DAY, FEW)
      expect(await assetsOfMovedSensor(pool)).toEqual(['Kottbusser Tor Nord', 'Hermannplatz Süd'])
    }, 60_000)
  })

  it('is loaded beside other data, and only once when two processes load it', async () => {
    const { pool } = await open()
    expect(await canLoadDemo(pool)).toBe(true)
    await pool.query(`INSERT INTO companies (id, name) VALUES ('ownercompany', 'Somebody')`)
    expect(await canLoadDemo(pool)).toBe(false)
    const both = await Promise.all([loadDemo(pool, 'dev', NOW, FEW), loadDemo(pool, 'dev', NOW, FEW)])
    expect(both.map(({ loaded }) => loaded).sort()).toEqual([false, true])
    expect(await canLoadDemo(pool)).toBe(false)
  }, 60_000)

  it('changes nothing of other companies, and does all of its work beside them', async () => {
    const { pool } = await open()
    await addOperatorData(pool)
    const before = await readOperatorData(pool)
    await loadDemo(pool, 'dev', NOW, 12)
    expect(await readOperatorData(pool)).toEqual(before)
    const counts = Readable.from(['sensor,start,impressions\nOWN-1,2026-01-02T00:00Z,5\n'])
    expect(await importFile(pool, 'impressions', counts)).toMatchObject({ stored: 1, rejected: 0 })
    const { rows } = await pool.query(
      `SELECT c.id, final_through::text, (SELECT count(*)::integer FROM set_asides s JOIN sensors x ON x.number = s.sensor
         JOIN assets a ON a.number = x.asset WHERE a.company = c.number) AS set_asides
       FROM companies c WHERE c.id <> 'ownercompany'`,
    )
    expect(rows.map(row => row.final_through)).toEqual(['2026-02-28', '2026-02-28', '2026-02-28'])
    expect(rows.reduce((sum, row) => sum + row.set_asides, 0)).toBe(1)
  }, 60_000)

  it.each([
    ['companies', `INSERT INTO companies (id, name) VALUES ('ownercompany', $1)`, COMPANIES[0]?.name],
    [
      'vendors',
      `INSERT INTO vendors (id, name, own, native_minutes) VALUES ('ownervendor', $1, false, 15)`,
      VENDORS.h.name,
    ],
  ])('is refused with the reason when other %s have one of its names', async (table, insert, name = '?') => {
    const { pool } = await open()
    await pool.query(insert, [name])
    const others = async () => (await pool.query(`SELECT * FROM ${table} WHERE id LIKE 'owner%'`)).rows
    const before = await others()
    await expect(loadDemo(pool, 'dev', NOW)).rejects.toMatchObject({
      code: 'DEMO_REFUSED',
      message: expect.stringContaining(name),
    })
    expect(await others()).toEqual(before)
  })

  it('is loaded by the first start with an embedded database in dev, even after a kill, and prints a working example', async () => {
    const dir = new DataDir()
    const env = { DATA_DIR: dir.path, METRICS_ENV: 'dev' }
    try {
      const killed = new Command(['serve'], env)
      while (!killed.stderr.includes('loading demo data')) await sleep(20)
      expect((await killed.end('SIGKILL')).stdout).toBe('')

      const service = new Command(['serve'], env)
      const url = await service.url()
      while (!service.stdout.includes('curl')) await sleep(20)
      const [, key, address] = /curl -H 'X-API-Key: (\S+)' '(\S+)'/.exec(service.stdout) as unknown as [
        string,
        string,
        string,
      ]
      expect(address.startsWith(`${url}/v1/partner/assets/`)).toBe(true)
      const { status, body } = await send(address, { key })
      expect([status, body.data.length]).toEqual([200, 7])
      expect(body.total).toBeGreaterThan(0)
      const last = dayNumber(body.data[6].date)
      const all = await send(address.replace(/from_date=[\d-]+/, `from_date=${dateOf(last - 89)}`), { key })
      expect(all.body.data[0].coverage).toBeGreaterThan(0)
      expect((await runJson(['demo'], env)).document).toMatchObject({ loaded: false, days: 90, keys: [] })
      expect((await service.end('SIGTERM')).code).toBe(0)

      const again = new Command(['serve'], env)
      await again.url()
      const { stdout, stderr } = await again.end('SIGTERM')
      expect(stdout + stderr).not.toContain('demo')
    } finally {
      await dir.dispose()
    }
  }, 240_000)

  it('prints one JSON document, with live keys in production', async () => {
    const { url } = await open()
    const env = { DATABASE_URL: url, READER_DATABASE_URL: url, METRICS_ENV: 'production' }
    const stdout = new PassThrough()
    await runDemo(new Invocation(['demo', '--json'], env, { stdin: stdout, stdout, stderr: stdout }), true, FEW)
    const document = JSON.parse(`${stdout.read()}`)
    expect(document).toMatchObject({ loaded: true, companies: 3, assets: ASSETS.length, days: FEW })
    expect(Object.keys(document.keys[0])).toEqual(['kind', 'id', 'key', 'label'])
    for (const { key } of document.keys) expect(key).toMatch(/^msk_live_/)
  })

  it('adds no health checks if it was not loaded', async () => {
    const { pool } = await open()
    await refreshDemoHealth(pool, NOW)
    expect((await pool.query('SELECT FROM sensors')).rowCount).toBe(0)
  })
})

/** Adds a company with counts, of which some are set aside, and with an asset of demo's places. */
async function addOperatorData(pool: Pool): Promise<void> {
  const files: [Kind, ...string[]][] = [
    ['companies', 'id,name', 'ownercompany,Somebody'],
    ['vendors', 'name,own,finest_grain', 'Own vendor,false,hour'],
    [
      'assets',
      'id,legacy_id,company_id,name,media_type,format,status,indoors,latitude,longitude,country,time_zone',
      'ownerasset1,1,ownercompany,One,digital,billboard,active,false,52.5,13.4,DE,Europe/Berlin',
    ],
    ['sensors', 'serial,model,vendor_id,asset_id,installed_at', 'OWN-1,M,Own vendor,ownerasset1,2025-12-01T00:00Z'],
    ['impressions', 'sensor,start,impressions', 'OWN-1,2026-01-01T00:00Z,5', 'OWN-1,2026-01-01T01:00Z,6'],
  ]
  for (const [kind, ...lines] of files) {
    expect(await importFile(pool, kind, Readable.from([lines.join('\n')]))).toMatchObject({ rejected: 0 })
  }
  const stretch = { sensor: 'OWN-1', from: '2026-01-01T01:00Z', to: '2026-01-01T02:00Z' }
  await setAside(pool, stretch, { reason: 'broken' })
}

async function readOperatorData(pool: Pool): Promise<unknown> {
  const { rows } = await pool.query(`
    SELECT to_json(c) AS company, to_json(a) AS asset, to_json(v) AS versions, to_json(s) AS sensor, to_json(d) AS vendor,
      (SELECT json_agg(x ORDER BY x.date) FROM sensor_days x WHERE x.sensor = s.number) AS days,
      (SELECT json_agg(x) FROM set_asides x WHERE x.sensor = s.number) AS set_asides
    FROM companies c JOIN assets a ON a.company = c.number JOIN asset_versions v ON v.asset = a.number
      JOIN sensors s ON s.asset = a.number JOIN vendors d ON d.number = s.vendor WHERE c.id = 'ownercompany'`)
  expect(rows).toHaveLength(1)
  return rows
}

/** Returns the assets on which the moved sensor has counts, in order. */
async function assetsOfMovedSensor(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT a.name FROM sensor_days d JOIN assets a ON a.number = d.asset JOIN sensors s ON s.number = d.sensor
      WHERE s.serial = $1 ORDER BY d.date`,
    [sensorsAt(NOW).find(sensor => sensor.installations.length > 1)?.serial],
  )
  return rows.map(row => row.name).filter((name, i, names) => name !== names[i - 1])
}

/** Ends every other connection to the database once `condition` holds. */
async function killOnce(url: string, condition: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (;;) {
      const { rows } = await client.query(
        `SELECT ${condition} OR (SELECT demo_loaded_at IS NOT NULL FROM service) AS reached`,
      )
      if (rows[0].reached) break
      await sleep(5)
    }
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
  } finally {
    await client.end()
  }
}
