/** Deletions: what a history cannot ask of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { Command } from '../../support/command'
import { settingsOf } from '../../support/databases'
import { World } from '../../support/world'
import { assetId, fillNetwork, readContent } from './network'

jest.setTimeout(120_000)

let world: World
beforeAll(async () => {
  world = await World.open()
  await fillNetwork(world)
})
afterAll(() => world.stop())

const NOTHING = {
  companies: 0,
  assets: 0,
  sensors: 0,
  installations: 0,
  counts: 0,
  impressions: 0,
  origins: 0,
  demographics: 0,
  set_aside: 0,
}

describe('partner-metrics delete', () => {
  const remove = (...args: string[]) => world.runJson(['delete', ...args])

  const FEW = ['--from', '2026-01-02', '--to', '2026-01-03']

  test.each<[string[], Partial<typeof NOTHING>]>([
    [
      ['companies', 'Alder Ltd'],
      {
        ...{ companies: 1, assets: 2, sensors: 2, installations: 4 },
        ...{ counts: 20, impressions: 410, origins: 2, demographics: 2 },
      },
    ],
    [['companies', 'companybirch'], { companies: 1, assets: 1, sensors: 1, installations: 2, counts: 12 }],
    [['assets', '101'], { assets: 1, installations: 3, counts: 16, impressions: 288, origins: 2, demographics: 2 }],
    [['sensors', 'SN-2', 'SN-4', 'SN-2'], { sensors: 2, installations: 3, counts: 16, impressions: 488 }],
    [['impressions', '--sensor', 'SN-2', ...FEW], { counts: 4, impressions: 82 }],
    [['origins', '--asset', '101', ...FEW], { origins: 1 }],
    [['demographics', '--asset', '201', ...FEW], { demographics: 2 }],
  ])('--dry-run shows what would be deleted of %j, and changes nothing', async (args, deleted) => {
    const before = await readContent(world)
    const { code, document } = await remove(...args, '--dry-run')
    expect([code, document]).toMatchObject([0, { dry_run: true, deleted, keys: [] }])
    if (args[0] !== 'companies') expect(document.deleted).toEqual({ ...NOTHING, ...deleted })
    expect(await readContent(world)).toEqual(before)
    expect(await world.rows("SELECT FROM operations WHERE command LIKE 'delete%'")).toEqual([])
  })

  test('prints it as text', async () => {
    const { code, stdout } = await world.run(['delete', 'companies', 'Alder Ltd', '--dry-run'])
    expect(code).toBe(0)
    for (const text of [
      'nothing was changed',
      '1 company',
      'the company Alder Ltd (companyalder)',
      '2 assets',
      '20 counts, 410 impressions in total',
      '\t2026-01-01',
      'Alder 101\t',
    ])
      expect(stdout).toContain(text)
  })

  test('requires --yes where there is no terminal', async () => {
    for (const args of [
      ['delete', 'companies', 'Alder Ltd'],
      ['retain', '--months', '1'],
    ]) {
      const { code, document } = await world.runJson(args)
      expect([code, document.error.code]).toEqual([2, 'CONFIRMATION_REQUIRED'])
    }
  })

  test.each([
    [['companies', 'companyalder', 'Birch'], 'UNKNOWN_COMPANY', 'id or name "Birch": did you mean "Birch Ltd"?'],
    [['assets', '101', '999'], 'UNKNOWN_ASSET', 'id or legacy id "999"'],
    [['sensors', 'SN-1', 'sn 4'], 'UNKNOWN_SENSOR', 'did you mean "SN-4"?'],
    [
      ['impressions', '--sensor', 'SN-9999', '--from', '2026-01-01', '--to', '2026-01-02'],
      'UNKNOWN_SENSOR',
      '"SN-9999"',
    ],
    [['origins', '--asset', '7', '--from', '2026-01-01', '--to', '2026-01-02'], 'UNKNOWN_ASSET', '"7"'],
  ])('deletes nothing where an id is unknown: %j', async (args, code, message) => {
    const before = await readContent(world)
    for (const option of ['--yes', '--dry-run']) {
      const ended = await remove(...args, option)
      expect(ended).toEqual({ code: 1, document: { error: { code, message: expect.stringContaining(message) } } })
    }
    expect(await readContent(world)).toEqual(before)
  })

  test('that is killed before its commit leaves everything as it was', async () => {
    const before = await readContent(world)
    const other = new Client({ connectionString: world.database.ownerUrl })
    await other.connect()
    await other.query('BEGIN; LOCK TABLE operations IN SHARE MODE')
    const deletion = new Command(['delete', 'companies', 'Alder Ltd', '--yes'], settingsOf(world.database))
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    while ((await world.rows(waiting)).length === 0) await sleep(20)
    await deletion.end('SIGKILL')
    await other.end()
    // Waits until the connection of the killed process is gone.
    await world.rows(`SELECT FROM locks WHERE name = 'import' FOR UPDATE`)
    expect(await readContent(world)).toEqual(before)
  })

  test('deletes companies with everything they own, takes them from keys, and leaves other companies as they were', async () => {
    const issue = async (...args: string[]) => (await world.runJson(['keys', 'issue', ...args])).document.id
    const one = await issue('--company', 'Birch Ltd', '--label', 'one')
    const both = await issue('--company', 'Alder Ltd', 'Birch Ltd')
    const other = await issue('--company', 'Alder Ltd')
    const none = await issue('--no-company')
    const all = await issue('--all-companies', '--scope', 'internal:graphql:read')
    const [asset, before] = [await assetId(world, 201), await readContent(world)]

    const preview = await remove('companies', 'companybirch', '--dry-run')
    const { code, document } = await remove('companies', 'companybirch', '--yes')
    const facts = { counts: 12, impressions: 406, origins: 2, demographics: 2, set_aside: 0 }
    expect([code, document]).toEqual([
      0,
      {
        dry_run: false,
        deleted: { companies: 1, assets: 1, sensors: 1, installations: 2, ...facts },
        changes: [{ asset_id: asset, asset: 'Birch 201', from_date: '2026-01-01', to_date: '2026-01-04', ...facts }],
        keys: [
          { id: one, label: 'one', deactivated: true },
          { id: both, label: null, deactivated: false },
        ],
        companies: [{ id: 'companybirch', name: 'Birch Ltd' }],
        in_closed_months: false,
      },
    ])
    expect({ ...document, dry_run: true }).toEqual(preview.document)
    const keys = await world.rows(
      `SELECT id, deactivated_at IS NOT NULL AS deactivated,
         ARRAY(SELECT c.id FROM companies c WHERE c.number = ANY (companies)) AS companies, cardinality(companies) AS size
       FROM api_keys ORDER BY created_at`,
    )
    expect(keys).toEqual([
      { id: one, deactivated: true, companies: [], size: 0 },
      { id: both, deactivated: false, companies: ['companyalder'], size: 1 },
      { id: other, deactivated: false, companies: ['companyalder'], size: 1 },
      { id: none, deactivated: false, companies: [], size: 0 },
      { id: all, deactivated: false, companies: [], size: 0 },
    ])
    // Its sensor that was elsewhere before keeps its counts there.
    const left = await readContent(world)
    const sizes = Object.fromEntries(Object.entries(left).map(([table, rows]) => [table, rows.length]))
    expect(sizes).toEqual({ companies: 1, assets: 2, sensors: 4, counts: 10, origins: 2, demographics: 1 })
    for (const table of ['companies', 'assets', 'counts', 'origins', 'demographics'])
      expect(before[table]).toEqual(expect.arrayContaining(left[table]!))
    expect(await world.rows(`SELECT asset, asset_id, company FROM sensors WHERE serial = 'SN-2'`)).toEqual([
      { asset: null, asset_id: null, company: null },
    ])
    await remove('impressions', '--sensor', 'SN-1', ...FEW, '--yes')
    expect((await world.runJson(['history', '--limit', '2'])).document.rows).toMatchObject([
      {
        command: 'delete impressions',
        details: { sensor: ['SN-1'], from: '2026-01-02', to: '2026-01-03' },
        figures: { counts: 4 },
      },
      { command: 'delete companies', details: { ids: ['companybirch'] }, figures: document.deleted },
    ])
  })
})

describe('partner-metrics retain', () => {
  test('deletes counts, origins and demographics before the first day of the month N months ago', async () => {
    await world.clear()
    const { make } = world
    const [days] = await world.rows(
      `SELECT first::date::text AS first, (first - interval '1 day')::date::text AS before
       FROM (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') - interval '5 months') AS month (first)`,
    )
    const { first, before } = days as { first: string; before: string }
    const asset = await make.asset()
    const sensor = await make.sensor({ asset, grain: 'day' })
    for (const date of [before, first]) {
      await make.counts(sensor, date, () => 9)
      await make.origin(asset, date, ['DE', 'DE-BE', 'Berlin'], 5)
      await make.demographics(asset, date, { '25-34 male': 7 })
    }
    const retain = (months: number, option: string) => world.runJson(['retain', '--months', `${months}`, option])
    expect(await retain(6, '--yes')).toMatchObject({ code: 0, document: { deleted: NOTHING } })
    await world.run(['close', before.slice(0, 7)])
    const preview = await retain(5, '--dry-run')
    expect(preview.document.in_closed_months).toBe(true)
    const { stdout } = await world.run(['retain', '--months', '5', '--dry-run'])
    expect(stdout).toContain('days of closed months are among them')
    expect(await world.rows('SELECT FROM sensor_days')).toHaveLength(2)
    const { code, document } = await retain(5, '--yes')
    const deleted = { ...NOTHING, counts: 1, impressions: 9, origins: 1, demographics: 1 }
    expect([code, document.deleted]).toEqual([0, deleted])
    expect({ ...document, dry_run: true }).toEqual(preview.document)
    for (const table of ['sensor_days', 'origin_days', 'demographic_days'])
      expect([table, await world.rows(`SELECT date FROM ${table}`)]).toEqual([table, [{ date: first }]])
    const versions = await world.rows('SELECT measured_from, measured_to FROM asset_versions')
    expect(versions).toEqual([{ measured_from: first, measured_to: first }])
    expect((await world.runJson(['history', '--limit', '1'])).document.rows).toMatchObject([
      { command: 'retain', details: { months: 5, before: first }, figures: document.deleted },
    ])
  })
})
