import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { openPool } from '../../../db/postgres/pool'
import { Command } from '../../support/command'
import { run, runJson } from '../../support/in-process'
import { fillNetwork, type Network, openNetwork, readContent } from './network'

jest.setTimeout(120_000)

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
  let network: Network
  /** Whether no test has deleted anything since the network was filled. */
  let isWhole = false
  beforeAll(async () => {
    network = await openNetwork()
  })
  afterAll(() => network.imports.stop())
  beforeEach(async () => {
    if (isWhole) return
    isWhole = true
    await network.imports.clear()
    await network.imports.rows('DELETE FROM operations')
    await network.imports.rows('DELETE FROM api_keys')
    await fillNetwork(network)
  })

  const rows = (query: string, values?: unknown[]) => network.imports.rows(query, values)
  const remove = (...args: string[]) => {
    isWhole = false
    return runJson(['delete', ...args, '--yes'], network.env)
  }
  /** Returns totals by serial and asset. */
  const totals = async () =>
    Object.fromEntries(
      (
        await rows(`SELECT s.serial || ' on ' || a.legacy_id AS name, sum(impressions) AS total FROM sensor_days d
          JOIN sensors s ON s.number = d.sensor JOIN assets a ON a.number = d.asset GROUP BY 1 ORDER BY 1`)
      ).map(({ name, total }) => [name, total]),
    )
  const ALL = {
    'SN-1 on 101': 84,
    'SN-2 on 101': 82,
    'SN-2 on 201': 82,
    'SN-3 on 101': 122,
    'SN-3 on 102': 122,
    'SN-4 on 201': 324,
  }

  test('deletes a company with everything it owns, and leaves other companies as they were', async () => {
    expect(await totals()).toEqual(ALL)
    const birch = await readContent(network)
    const { code, document } = await remove('companies', 'Alder Ltd')
    const [first, second] = [await network.assetId(101), await network.assetId(102)]
    expect([first, second]).toEqual([undefined, undefined])
    expect(code).toBe(0)
    const of101 = { from_date: '2026-01-01', to_date: '2026-01-04', counts: 16, impressions: 288 }
    expect(document).toEqual({
      dry_run: false,
      deleted: {
        ...{ companies: 1, assets: 2, sensors: 2, installations: 4 },
        ...{ counts: 20, impressions: 410, origins: 2, demographics: 2, set_aside: 0 },
      },
      changes: expect.arrayContaining([
        { asset_id: expect.any(String), asset: 'Alder 101', ...of101, origins: 2, demographics: 2, set_aside: 0 },
        {
          asset_id: expect.any(String),
          asset: 'Alder 102',
          ...{
            from_date: '2026-01-03',
            to_date: '2026-01-04',
            counts: 4,
            impressions: 122,
            origins: 0,
            demographics: 0,
            set_aside: 0,
          },
        },
      ]),
      keys: [],
    })
    expect(await totals()).toEqual({ 'SN-2 on 201': 82, 'SN-4 on 201': 324 })
    const left = await readContent(network)
    expect(left.companies).toEqual([{ id: 'companybirch', name: 'Birch Ltd' }])
    expect(left.sensors?.map(sensor => (sensor as { serial: string }).serial).sort()).toEqual(['SN-2', 'SN-4', 'SN-5'])
    const ofBirch = (table: string) => birch[table]?.filter(row => left[table]?.some(other => same(row, other)))
    for (const table of ['assets', 'sensors', 'counts', 'origins', 'demographics'])
      expect(ofBirch(table)).toEqual(left[table])
  })

  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

  test('unassigns a sensor of a deleted company that was elsewhere before, and keeps its other counts', async () => {
    expect(await remove('companies', 'companybirch')).toMatchObject({
      code: 0,
      document: { deleted: { companies: 1, assets: 1, sensors: 1, installations: 2, counts: 12 } },
    })
    expect(await totals()).toEqual({ 'SN-1 on 101': 84, 'SN-2 on 101': 82, 'SN-3 on 101': 122, 'SN-3 on 102': 122 })
    expect(await rows(`SELECT asset, asset_id, company FROM sensors WHERE serial = 'SN-2'`)).toEqual([
      { asset: null, asset_id: null, company: null },
    ])
  })

  test('takes a deleted company from keys, and deactivates a key that loses its last one', async () => {
    const issue = async (...args: string[]) => (await runJson(['keys', 'issue', ...args], network.env)).document.id
    const one = await issue('--company', 'Alder Ltd', '--label', 'one')
    const both = await issue('--company', 'Alder Ltd', 'Birch Ltd')
    const other = await issue('--company', 'Birch Ltd')
    const none = await issue('--no-company')
    const all = await issue('--all-companies', '--scope', 'internal:graphql:read')
    const { document } = await remove('companies', 'companyalder')
    expect(document.keys).toEqual([
      { id: one, label: 'one', deactivated: true },
      { id: both, label: null, deactivated: false },
    ])
    const keys = await rows(
      `SELECT id, deactivated_at IS NOT NULL AS deactivated,
         ARRAY(SELECT c.id FROM companies c WHERE c.number = ANY (companies)) AS companies, cardinality(companies) AS size
       FROM api_keys ORDER BY created_at`,
    )
    expect(keys).toEqual([
      { id: one, deactivated: true, companies: [], size: 0 },
      { id: both, deactivated: false, companies: ['companybirch'], size: 1 },
      { id: other, deactivated: false, companies: ['companybirch'], size: 1 },
      { id: none, deactivated: false, companies: [], size: 0 },
      { id: all, deactivated: false, companies: [], size: 0 },
    ])
  })

  test('deletes an asset by its legacy id; its sensors stay, on no asset', async () => {
    const { code, document } = await remove('assets', '101')
    expect([code, document.deleted]).toEqual([
      0,
      { ...NOTHING, assets: 1, installations: 3, counts: 16, impressions: 288, origins: 2, demographics: 2 },
    ])
    expect(await totals()).toEqual({ 'SN-2 on 201': 82, 'SN-3 on 102': 122, 'SN-4 on 201': 324 })
    expect(await rows('SELECT serial, asset_id IS NULL AS unassigned FROM sensors ORDER BY serial')).toEqual(
      [true, false, false, false, true].map((unassigned, i) => ({ serial: `SN-${i + 1}`, unassigned })),
    )
  })

  test('deletes sensors with their counts on all assets', async () => {
    const asset = await network.assetId(201)
    const versions = () =>
      rows('SELECT legacy_id, data_version, measured_from FROM assets JOIN asset_versions ON asset = number ORDER BY 1')
    const before = await versions()
    const { code, document } = await remove('sensors', 'SN-2', 'SN-4', 'SN-2')
    expect([code, document.deleted]).toEqual([
      0,
      { ...NOTHING, sensors: 2, installations: 3, counts: 16, impressions: 488 },
    ])
    expect(document.changes.map(({ asset_id }: { asset_id: string }) => asset_id)).toContain(asset)
    expect(await totals()).toEqual({ 'SN-1 on 101': 84, 'SN-3 on 101': 122, 'SN-3 on 102': 122 })
    const after = await versions()
    expect(after[1]).toEqual(before[1])
    for (const i of [0, 2]) expect(after[i]?.data_version).not.toBe(before[i]?.data_version)
    expect(after[2]?.measured_from).toBeNull()
  })

  test('deletes counts of a sensor from one local day to another, both inclusive', async () => {
    const { code, document } = await remove(
      'impressions',
      '--sensor',
      'SN-2',
      '--from',
      '2026-01-02',
      '--to',
      '2026-01-03',
    )
    expect([code, document.deleted]).toEqual([0, { ...NOTHING, counts: 4, impressions: 82 }])
    expect(await totals()).toEqual({ ...ALL, 'SN-2 on 101': 41, 'SN-2 on 201': 41 })
  })

  test('sets the first and last measured date of an asset anew', async () => {
    await remove('impressions', '--sensor', 'SN-3', '--from', '2026-01-03', '--to', '2026-01-03')
    const dates = () =>
      rows('SELECT measured_from, measured_to FROM assets JOIN asset_versions ON asset = number WHERE legacy_id = 102')
    expect(await dates()).toEqual([{ measured_from: '2026-01-04', measured_to: '2026-01-04' }])
    await remove('impressions', '--sensor', 'SN-3', '--from', '2000-01-01', '--to', '2100-01-01')
    expect(await dates()).toEqual([{ measured_from: null, measured_to: null }])
  })

  test('deletes origins and demographics of an asset, and no counts', async () => {
    const origins = await remove('origins', '--asset', '101', '--from', '2026-01-02', '--to', '2026-01-31')
    expect(origins.document.deleted).toEqual({ ...NOTHING, origins: 1 })
    const asset = await network.assetId(201)
    const demographics = await remove('demographics', '--asset', asset, '--from', '2026-01-02', '--to', '2026-01-02')
    expect(demographics.document).toEqual({
      dry_run: false,
      deleted: { ...NOTHING, demographics: 2 },
      changes: [
        {
          asset_id: asset,
          asset: 'Birch 201',
          ...{ from_date: '2026-01-02', to_date: '2026-01-02', counts: 0, impressions: 0, origins: 0, demographics: 2 },
          set_aside: 0,
        },
      ],
      keys: [],
    })
    expect(await rows('SELECT count(*) AS rows FROM origins UNION ALL SELECT count(*) FROM demographic_days')).toEqual([
      { rows: 3 },
      { rows: 1 },
    ])
    expect(await totals()).toEqual(ALL)
  })

  test('shows with --dry-run what would be deleted, and changes nothing', async () => {
    const before = await readContent(network)
    const preview = await runJson(['delete', 'companies', 'Alder Ltd', '--dry-run'], network.env)
    expect(preview).toMatchObject({ code: 0, document: { dry_run: true } })
    const { code, stdout } = await run(['delete', 'companies', 'Alder Ltd', '--dry-run'], network.env)
    expect(code).toBe(0)
    for (const text of [
      'nothing was changed',
      '1 company',
      '2 assets',
      '20 counts, 410 impressions in total',
      '│ 2026-01-01 │',
      '│ Alder 101 │',
    ])
      expect(stdout).toContain(text)
    expect(await readContent(network)).toEqual(before)
    expect(await rows('SELECT FROM operations')).toEqual([])
    const { document } = await remove('companies', 'Alder Ltd')
    expect({ ...document, dry_run: true }).toEqual(preview.document)
  })

  test('is recorded with its figures', async () => {
    const { document } = await remove('companies', 'Alder Ltd')
    await remove('impressions', '--sensor', 'SN-4', '--from', '2026-01-02', '--to', '2026-01-03')
    expect((await runJson(['history'], network.env)).document.rows).toMatchObject([
      {
        command: 'delete impressions',
        details: { sensor: ['SN-4'], from: '2026-01-02', to: '2026-01-03' },
        figures: { counts: 4 },
      },
      { command: 'delete companies', details: { ids: ['Alder Ltd'] }, figures: document.deleted },
    ])
  })

  test('requires --yes where there is no terminal', async () => {
    const before = await readContent(network)
    const { code, document } = await runJson(['delete', 'companies', 'Alder Ltd'], network.env)
    expect([code, document.error.code]).toEqual([2, 'CONFIRMATION_REQUIRED'])
    expect(await readContent(network)).toEqual(before)
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
    const before = await readContent(network)
    for (const option of ['--yes', '--dry-run']) {
      const ended = await runJson(['delete', ...args, option], network.env)
      expect(ended).toEqual({ code: 1, document: { error: { code, message: expect.stringContaining(message) } } })
    }
    expect(await readContent(network)).toEqual(before)
  })

  test.each([
    [['impressions', '--sensor', 'SN-1', '--from', '2026-02-30', '--to', '2026-03-01'], /--from .*real date/],
    [
      ['impressions', '--sensor', 'SN-1', '--from', '2026-03-02', '--to', '2026-03-01'],
      /--from 2026-03-02 is after --to/,
    ],
    [['impressions', '--sensor', 'SN-1', '--from', '2026-03-02'], /--to <date>' not specified/],
    [['impressions', '--from', '2026-03-01', '--to', '2026-03-01'], /--sensor <sensor...>' not specified/],
    [['companies'], /missing required argument/],
    [['vendors', 'x'], /unknown command/],
  ])('reports wrong usage and exits with 2: %j', async (args, message) => {
    const { code, stderr } = await run(['delete', ...args, '--yes'], network.env)
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  })

  describe('while another transaction has a lock', () => {
    let pool: Pool
    let other: PoolClient
    beforeEach(async () => {
      pool = openPool(network.imports.database.ownerUrl, { max: 1 })
      other = await pool.connect()
    })
    afterEach(async () => {
      other.release()
      await pool.end()
    })

    const isWaiting = async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      return (await rows(waiting)).length > 0
    }

    test('waits for a running import', async () => {
      await other.query(`BEGIN; SELECT FROM locks WHERE name = 'import' FOR UPDATE`)
      const deletion = remove('assets', '101')
      while (!(await isWaiting())) await sleep(5)
      expect(await network.assetId(101)).toEqual(expect.any(String))
      await other.query('COMMIT')
      expect(await deletion).toMatchObject({ code: 0 })
      expect(await network.assetId(101)).toBeUndefined()
    })

    test.each(['sensor_days', 'assets', 'companies', 'operations'])(
      'that is killed when it writes to %s leaves everything as it was',
      async table => {
        const before = await readContent(network)
        await other.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`)
        const deletion = new Command(['delete', 'companies', 'Alder Ltd', '--yes'], network.env)
        while (!(await isWaiting())) await sleep(5)
        await deletion.end('SIGKILL')
        await other.query('COMMIT')
        // Waits until the connection of the killed process is gone.
        await rows(`SELECT FROM locks WHERE name = 'import' FOR UPDATE`)
        expect(await readContent(network)).toEqual(before)
        expect(await rows('SELECT FROM operations')).toEqual([])
      },
    )
  })

  test('that is killed after its commit has deleted everything', async () => {
    isWhole = false
    const deletion = new Command(['delete', 'companies', 'Alder Ltd', '--yes'], network.env)
    while ((await rows('SELECT FROM operations')).length === 0) await sleep(5)
    await deletion.end('SIGKILL')
    expect(await rows('SELECT command FROM operations')).toEqual([{ command: 'delete companies' }])
    expect((await readContent(network)).companies).toHaveLength(1)
    expect(await totals()).toEqual({ 'SN-2 on 201': 82, 'SN-4 on 201': 324 })
  })
})
