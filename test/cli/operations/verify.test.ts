import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { issueKey } from '../../../db/api-keys/api-keys'
import { repair, verify as verifyData } from '../../../db/verify/verify'
import { MAIN } from '../../support/build'
import { runOnTerminal, testOnTerminal } from '../../support/command'
import { withoutTriggers } from '../../support/databases'
import { run, runJson } from '../../support/in-process'
import { stored } from '../../support/outcomes'
import { fillNetwork, type Network, openNetwork, readContent } from './network'

jest.setTimeout(60_000)

describe('partner-metrics verify', () => {
  let network: Network
  beforeAll(async () => {
    network = await openNetwork()
  })
  afterAll(() => network.imports.stop())

  async function fill(): Promise<void> {
    await network.imports.clear()
    await network.imports.rows('DELETE FROM operations')
    await network.imports.rows('DELETE FROM api_keys')
    await fillNetwork(network)
    const attributes = { companies: ['companyalder'], scopes: [], reseller: false, label: 'one', rate: null }
    await issueKey(network.imports.owner, 'dev', attributes)
  }

  const verify = (...args: string[]) => runJson(['verify', ...args], network.env)

  const damage = (...statements: string[]) => network.imports.rows(withoutTriggers(...statements))

  const checked = expect.objectContaining({
    sensor_days: 16,
    origin_months: 2,
    sensors: 5,
    assets: 3,
    api_keys: 1,
    asset_demographics: 2,
  })

  const DAMAGE: [name: string, statement: string, columns: string[]][] = [
    [
      'totals of days',
      `UPDATE sensor_days SET impressions = impressions + 1 WHERE date = '2026-01-02'`,
      ['day_2', 'impressions', 'day_2', 'impressions', ...Array(4).fill('impressions')],
    ],
    [
      'observed intervals',
      `UPDATE sensor_days SET observed = 1 WHERE date = '2026-01-02'`,
      ['observed', 'observed_total', 'observed', 'observed_total', ...Array(4).fill('observed')],
    ],
    ['hours', `UPDATE sensor_days SET hours = '\\x0000'`, Array(16).fill('hours')],
    ['ids of sensors', `UPDATE assets SET sensor_ids = '{}' WHERE legacy_id = 102`, ['sensor_ids']],
    ['the grain of assets', `UPDATE assets SET sensor_minutes = 60 WHERE legacy_id = 102`, ['sensor_minutes']],
    ['installations of assets', `UPDATE assets SET installations = '[]' WHERE legacy_id = 102`, ['installations']],
    ['totals of months', `UPDATE asset_months SET day_2 = 5`, Array(5).fill('day_2')],
    ['observed intervals of months', `UPDATE asset_months SET observed[3] = NULL`, Array(5).fill('observed')],
    ['days with data of months', `UPDATE asset_months SET days_with_data = 31`, Array(3).fill('days_with_data')],
    [
      'order of versions',
      `UPDATE changes SET number = number + 10000000 WHERE kind = 'impressions'`,
      Array(3).fill('data_version'),
    ],
    ['classes', `UPDATE assets SET city = 'Elsewhere'`, Array(3).fill('class')],
    [
      'measured dates',
      `UPDATE asset_versions SET measured_from = '2025-01-01', measured_to = '2025-02-01' WHERE asset = (SELECT number FROM assets WHERE legacy_id = 102)`,
      ['measured_to', 'measured_from'],
    ],
    ['ids of companies', `UPDATE assets SET company_id = 'companyother' WHERE legacy_id = 102`, ['company_id']],
    ['ids of assets', `UPDATE sensors SET asset_id = 'assetother1' WHERE serial = 'SN-1'`, ['asset_id']],
    [
      'ids of assets beside versions',
      `UPDATE asset_versions SET asset_id = 'assetother1' WHERE asset = (SELECT number FROM assets WHERE legacy_id = 102)`,
      ['asset_id'],
    ],
    ['names of vendors', `UPDATE sensors SET vendor_name = 'Other' WHERE serial = 'SN-1'`, ['vendor_name']],
    [
      'installation of a sensor',
      `UPDATE sensors SET installed_at = '2020-01-01' WHERE serial = 'SN-5' OR serial = 'SN-4'`,
      ['installed_at'],
    ],
    ['sums of demographics', 'UPDATE asset_demographics SET male_25_34 = male_25_34 + 1', ['male_25_34', 'male_25_34']],
    ['claims of keys', `UPDATE api_keys SET label = 'two'`, ['claims']],
  ]

  /** Returns the differences that the functions of the command report. */
  async function findDifferences(perform: typeof verifyData) {
    const [columns, tables]: [string[], string[]] = [[], []]
    const result = await perform(network.imports.owner, async ({ column, table }) => {
      columns.push(column)
      tables.push(table)
    })
    return { columns, tables, ...result }
  }

  // Each damage is repaired before the next one.
  describe('in one network', () => {
    beforeAll(fill)

    test.each(DAMAGE)('--repair reports and repairs wrong %s', async (_name, statement, columns) => {
      const before = await readContent(network)
      await damage(statement)
      const found = await findDifferences(repair)
      expect(found).toMatchObject({ columns, found: columns.length, repaired: columns.length })
      const withoutSn5 = (content: Record<string, unknown[]>) => JSON.stringify(content).replace(/"SN-5".*?\}/, '')
      expect(withoutSn5(await readContent(network))).toBe(withoutSn5(before))
      const [operation] = await network.imports.rows('SELECT command, figures FROM operations ORDER BY at DESC LIMIT 1')
      expect(operation).toMatchObject({
        command: 'verify --repair',
        figures: { [found.tables[0] as string]: expect.any(Number) },
      })
    })

    test('reports the same without --repair, and nothing afterwards', async () => {
      expect(await findDifferences(verifyData)).toMatchObject({ checked, found: 0 })
      const [, statement, columns] = DAMAGE[0]!
      await damage(statement)
      const found = await findDifferences(verifyData)
      expect(found).toMatchObject({ columns, found: columns.length, repaired: 0 })
      expect(await findDifferences(repair)).toEqual({ ...found, repaired: columns.length })
      expect(await findDifferences(verifyData)).toMatchObject({ checked, found: 0 })
    })
  })

  describe('in a network of its own', () => {
    beforeEach(fill)

    test('--repair frees the lock of imports while nobody reads what it prints', async () => {
      await network.imports.rows(`INSERT INTO assets (id, company, name, media_type, format, status, indoors, latitude, longitude,
        country, time_zone)
      SELECT 'assetmany' || n, number, 'Many', 'digital', 'billboard', 'active', false, 1, 1, 'GB', 'Etc/UTC'
      FROM companies, generate_series(1, 3000) AS n WHERE id = 'companyalder'`)
      await damage(`UPDATE assets SET sensor_ids = '{x}'`)
      const child = spawn(process.execPath, [MAIN, 'verify', '--repair'], {
        env: { PATH: process.env.PATH, ...network.env },
      })
      const closed = once(child, 'close')
      while ((await network.imports.rows(`SELECT FROM operations WHERE command = 'verify --repair'`)).length === 0)
        await sleep(20)
      expect(await network.imports.import('companies', ['name', 'Cedar'])).toMatchObject(stored(1))
      let lines = 0
      for await (const chunk of child.stdout.setEncoding('utf8')) lines += chunk.split('\n').length - 1
      expect([lines, (await closed)[0]]).toEqual([3004, 0])
    })

    test('finds no differences in what imports, deletions and keys have stored', async () => {
      expect(await verify()).toEqual({
        code: 0,
        document: { since: null, differences: [], checked, found: 0, repaired: 0 },
      })
      await runJson(['delete', 'sensors', 'SN-3', '--yes'], network.env)
      await runJson(['delete', 'assets', '201', '--yes'], network.env)
      const { code, stdout } = await run(['verify'], network.env)
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/^no differences in 6 sensor-days and \d+ rows that derive from them\n$/),
      ])
    })

    test('finds no differences while counts are imported', async () => {
      let isDone = false
      const importing = (async () => {
        let files = 0
        for (; !isDone; files++) {
          const rows = ['01', '02', '03', '04'].map(day => `SN-4,2026-01-${day}T00:00:00Z,${files}`)
          const lines = ['sensor,start,impressions', ...rows]
          expect((await network.imports.import('impressions', lines, { interval: 'quarter_hour' })).errors).toEqual([])
        }
        return files
      })()
      for (let i = 0; i < 5; i++)
        expect(await verify()).toMatchObject({ code: 0, document: { differences: [], checked } })
      isDone = true
      expect(await importing).toBeGreaterThan(1)
    })

    testOnTerminal('shows its progress on a terminal', () => {
      expect(runOnTerminal(['verify'], network.env, 80)).toContain('100 % checked')
    })

    test('is repaired by --repair, which is recorded', async () => {
      await damage(`UPDATE asset_months SET day_2 = 5`)
      const { code, document } = await verify()
      expect([code, document.found, document.repaired]).toEqual([1, 5, 0])
      expect(await verify('--repair')).toEqual({
        code: 0,
        document: {
          differences: document.differences.map((difference: object) => ({ ...difference, repaired: true })),
          ...{ since: null, checked, found: 5, repaired: 5 },
        },
      })
      expect(await verify()).toMatchObject({ code: 0, document: { found: 0 } })
      const { rows } = (await runJson(['history', '--limit', '1'], network.env)).document
      expect(rows).toMatchObject([{ command: 'verify --repair', figures: { asset_months: expect.any(Number) } }])
    })

    test('prints each difference with the row, the stored and the expected value', async () => {
      await damage(`UPDATE sensor_days SET impressions = 7 WHERE date = '2026-01-01' AND impressions = 21`)
      const asset = await network.assetId(101)
      const row = `SN-1 on ${asset} at 2026-01-01`
      expect((await verify()).document.differences).toEqual([
        expect.objectContaining({ table: 'asset_months', row: `${asset} in 2026-01`, column: 'day_1' }),
        expect.objectContaining({ table: 'asset_months', row: `${asset} in 2026-01`, column: 'impressions' }),
        { table: 'sensor_days', row, column: 'impressions', stored: '7', expected: '21', repaired: false },
      ])
      const { code, stdout } = await run(['verify', '--repair'], network.env)
      expect(code).toBe(0)
      expect(stdout.split('\n')).toContain(`sensor_days: impressions of ${row} is 7 instead of 21: repaired`)
    })

    test('changes the data version of an asset that it repairs, and no other', async () => {
      const versions = () =>
        network.imports.rows('SELECT data_version FROM assets JOIN asset_versions ON asset = number ORDER BY legacy_id')
      const before = await versions()
      await damage(`UPDATE sensor_days SET impressions = 7 WHERE date = '2026-01-01' AND impressions = 21`)
      await verify('--repair')
      const after = await versions()
      expect(after.map((row, i) => row.data_version === before[i]?.data_version)).toEqual([false, true, true])
    })

    test('exits with 1 after a repair if the counts of a day cannot be read', async () => {
      await damage(`UPDATE sensor_days SET counts = '\\xffffff' WHERE date = '2026-01-01' AND impressions = 21`)
      const expected = { code: 1, document: { found: 1, repaired: 0 } }
      expect(await verify()).toMatchObject(expected)
      expect(await verify('--repair')).toMatchObject({
        ...expected,
        document: { differences: [{ column: 'counts', stored: '3 bytes', repaired: false }] },
      })
    })

    test('reports damaged origins, which nothing can recompute', async () => {
      const [first, second] = [await network.assetId(101), await network.assetId(201)]
      await damage(
        `UPDATE origin_months SET places = '["GB-LND London", "GB-LND London"]' WHERE asset = (SELECT min(asset) FROM origin_months)`,
        `UPDATE origin_months SET days[1] = '\\x1100050006', days[2] = '\\x110106' WHERE asset = (SELECT max(asset) FROM origin_months)`,
      )
      const { code, document } = await verify('--repair')
      expect([code, document.found, document.repaired]).toEqual([1, 3, 0])
      expect(document.differences).toMatchObject([
        { table: 'origin_months', row: `${first} in 2026-01`, column: 'places', repaired: false },
        { row: `${second} on 2026-01-01`, column: 'days', stored: '\\x1100050006' },
        { row: `${second} on 2026-01-02`, column: 'days', stored: '\\x110106' },
      ])
    })
  })
})
