import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { Invocation } from '../../cli/invocation'
import { runDemo } from '../../cli/serve/demo'
import { readServiceState } from '../../db/operations/status'
import { withPool } from '../../db/postgres/pool'
import { GROUP_COLUMNS } from '../../db/queries/demographics'
import { loadDemo, refreshDemoHealth } from '../../imports/demo/load'
import { ASSETS, COMPANIES, MOVED } from '../../imports/demo/network'
import { settingsOf } from '../support/databases'
import { ORIGINS } from '../support/origins'
import { World } from '../support/world'

jest.setTimeout(120_000)

const DAY = 86_400
/** A few days, in which a sensor moves. The command loads 90. */
const FEW = 3
const NOW = Date.UTC(2026, 3, 3, 9, 30) / 1000

const opened: World[] = []

async function open(): Promise<World> {
  const world = await World.open()
  opened.push(world)
  return world
}

afterAll(async () => {
  for (const world of opened) await world.stop()
})

/** Returns the content of the demo, without numbers that differ from database to database. */
async function readContents(pool: Pool): Promise<unknown> {
  const list = (columns: string, from: string) =>
    `(SELECT json_agg(concat_ws('|', ${columns}) ORDER BY concat_ws('|', ${columns})) FROM ${from})`
  const { rows } = await pool.query(`
    SELECT ${list('id, name', "companies WHERE id NOT LIKE 'owner%'")} AS companies, ${list('label', 'api_keys')} AS keys,
      ${list('id, legacy_id, name, description, address, measured_from, measured_to', 'assets JOIN asset_versions ON asset = number')} AS assets,
      ${list('serial, asset_id, billable_state, installed_at, removed_at, health_status', 'sensors')} AS sensors,
      ${list('s.serial, a.id, i.installed_at, i.removed_at', 'installations i JOIN sensors s ON s.number = i.sensor JOIN assets a ON a.number = i.asset')} AS installations,
      ${list('s.serial, a.id, date, impressions, md5(counts), md5(hours)', 'sensor_days d JOIN sensors s ON s.number = d.sensor JOIN assets a ON a.number = d.asset')} AS days,
      ${list('a.id, o.date, o.country, o.region, o.city, o.impressions', `${ORIGINS} o JOIN assets a ON a.number = o.asset`)} AS origins,
      ${list(`a.id, d.date, (${GROUP_COLUMNS})::text`, 'demographic_days d JOIN assets a ON a.number = d.asset')} AS demographics`)
  return rows[0]
}

describe('partner-metrics demo', () => {
  let pool: Pool
  let first: Awaited<ReturnType<typeof loadDemo>>
  let contents: unknown

  beforeAll(async () => {
    pool = (await open()).owner
    first = await loadDemo(pool, 'dev', NOW, FEW)
    contents = await readContents(pool)
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

  it('is refused with the reason when other data has one of its names', async () => {
    const { owner } = await open()
    await owner.query(`INSERT INTO companies (id, name) VALUES ('owners0001', $1)`, [COMPANIES[0]!.name])
    const message = expect.stringContaining(COMPANIES[0]!.name)
    await expect(loadDemo(owner, 'dev', NOW)).rejects.toMatchObject({ code: 'DEMO_REFUSED', message })
    expect((await owner.query('SELECT id FROM companies')).rows).toEqual([{ id: 'owners0001' }])
  })

  it('leaves nothing where it was interrupted, and issues its keys once when two processes load it', async () => {
    const { owner, database } = await open()
    await expect(interrupt(database.ownerUrl)).rejects.toThrow()
    expect(await readServiceState(owner)).toMatchObject({ hasDemo: false, hasCompanies: false })
    const both = await Promise.all([loadDemo(owner, 'dev', NOW, FEW), loadDemo(owner, 'dev', NOW, FEW)])
    expect(both.map(({ loaded }) => loaded).sort()).toEqual([false, true])
    expect(both.flatMap(({ keys }) => keys)).toHaveLength(first.keys.length)
    expect(await readContents(owner)).toEqual(contents)
  })

  it('changes nothing of other companies, and does all of its work beside them', async () => {
    const world = await open()
    const { owner, make } = world
    const company = await make.company('Somebody', { id: 'ownercompany' })
    const sensor = await make.sensor({
      asset: await make.asset({ company, legacy_id: 1 }),
      grain: 'hour',
      serial: 'OWN-1',
    })
    await make.counts(sensor, '2026-01-01', hour => hour)
    await make.setAside(sensor, '2026-01-01T01:00Z', '2026-01-01T02:00Z')
    const key = await make.key([company])
    const range = 'from_date=2026-01-01&to_date=2026-01-02&grain=hour'
    const paths = ['assets', 'sensors', `impressions?${range}`].map(path => `/v1/partner/${path}`)
    const readOwn = () => Promise.all(paths.map(path => world.read(path, key)))
    const before = await readOwn()
    await loadDemo(owner, 'dev', NOW + 60 * DAY, FEW)
    await refreshDemoHealth(owner, NOW + 61 * DAY)
    const checks = await world.rows(`SELECT DISTINCT health_checked_at AS at FROM sensors
      WHERE serial <> 'OWN-1' AND removed_at IS NULL AND health_status IS NOT NULL`)
    expect(checks).toEqual([{ at: new Date((NOW + 61 * DAY) * 1000).toISOString().replace('.000', '') }])
    expect(await readOwn()).toEqual(before)
    expect(await assetsOfMovedSensor(owner)).toEqual(['Hauptbahnhof Ebene 1', 'Stadtring Tempelhof'])
    const counts = ['sensor,start,impressions', 'OWN-1,2026-01-02T00:00Z,5']
    expect(await world.import('impressions', counts)).toMatchObject({ stored: 1, rejected: 0 })
  })

  it('prints one JSON document, with live keys in production', async () => {
    const { database } = await open()
    const env = { ...settingsOf(database), METRICS_ENV: 'production' }
    const stdout = new PassThrough()
    await runDemo(new Invocation(['demo', '--json'], env, { stdin: stdout, stdout, stderr: stdout }), 1)
    const document = JSON.parse(`${stdout.read()}`)
    expect(document).toMatchObject({ loaded: true, companies: 3, assets: ASSETS.length, days: 1 })
    expect(Object.keys(document.keys[0])).toEqual(['kind', 'id', 'key', 'label'])
    for (const { key } of document.keys) expect(key).toMatch(/^msk_live_/)
  })
})

/** Returns the assets on which the moved sensor has counts, in order. */
async function assetsOfMovedSensor(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT a.name FROM sensor_days d JOIN assets a ON a.number = d.asset JOIN sensors s ON s.number = d.sensor
      WHERE s.serial = $1 ORDER BY d.date`,
    [MOVED.serial],
  )
  return rows.map(row => row.name).filter((name, i, names) => name !== names[i - 1])
}

/** Loads the demo over a connection that ends at the last change of its transaction. */
async function interrupt(url: string): Promise<void> {
  await withPool(url, { max: 1 }, async pool => {
    await pool.query('BEGIN; SELECT FROM service FOR UPDATE')
    const load = withPool(url, { max: 1 }, killed => loadDemo(killed, 'dev', NOW, FEW))
    const kill = async () => {
      const kills =
        'SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid'
      while ((await pool.query(kills)).rowCount === 0) await sleep(20)
    }
    await Promise.all([load, kill()])
  })
}
