import { setTimeout as sleep } from 'node:timers/promises'
import { withPool } from '../../../db/postgres/pool'
import { repair, verify as verifyData } from '../../../db/verify/verify'
import { withoutTriggers } from '../../support/databases'
import { World } from '../../support/world'
import { fillNetwork } from './network'

jest.setTimeout(120_000)

// Each damage is repaired before the next one.
describe('partner-metrics verify', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
    await fillNetwork(world)
    await world.run(['keys', 'issue', '--company', 'companyalder', '--label', 'one'])
  })
  afterAll(() => world.stop())

  const verify = (...args: string[]) => world.runJson(['verify', ...args])

  const damage = (...statements: string[]) => world.rows(withoutTriggers(...statements))

  const checked = expect.objectContaining({
    sensor_days: 16,
    sensors: 5,
    assets: 3,
    api_keys: 1,
    asset_demographics: 2,
  })

  /** For each table of rows that derive from others: the key of a row that nothing derives. */
  const ROWS: [table: string, other: object][] = [
    ['asset_months', { month: 24_290 }],
    ['asset_demographics', { month: 24_313 }],
    ['measured_assets', { date: '2016-01-01' }],
    ['asset_versions', { asset: 999_999 }],
    ['asset_external_ids', { key: 'ERP:2' }],
  ]

  /** Tables in which a row that is one too many may be all that is left of its source. */
  const LEFT = ['asset_months', 'asset_external_ids']

  test.each(ROWS)(
    '--repair sets a row of %s that is missing or, if nothing can be lost, one too many',
    async (table, other) => {
      await world.rows(`UPDATE assets SET external_ids = '{"ERP": "1"}' WHERE legacy_id = 102`)
      // Days that were repaired are served since then.
      const rows =
        table === 'asset_months'
          ? '(SELECT asset, company, kind, date, total, observed FROM asset_days WHERE total IS NOT NULL)'
          : table
      const read = () => world.rows(`SELECT t::text FROM ${rows} t ORDER BY 1`)
      const before = await read()
      const first = `ctid = (SELECT min(ctid) FROM ${table})`
      for (const statement of [
        `DELETE FROM ${table} WHERE ${first}`,
        `INSERT INTO ${table} SELECT (json_populate_record(t, '${JSON.stringify(other)}')).* FROM ${table} t WHERE ${first}`,
      ]) {
        await damage(statement)
        expect(await read()).not.toEqual(before)
        const found: string[] = []
        const result = await repair(world.owner, async difference => void found.push(difference.table))
        expect([statement, found]).toEqual([statement, expect.arrayContaining([table])])
        const isLeft = statement.startsWith('INSERT') && LEFT.includes(table)
        expect(result.repaired).toBe(isLeft ? 0 : found.length)
        if (isLeft) {
          const [[column, value] = []] = Object.entries(other)
          await damage(`DELETE FROM ${table} WHERE ${column} = '${value}'`)
        }
        expect(await read()).toEqual(before)
      }
    },
  )

  test('finds no differences in what imports and keys have stored', async () => {
    const document = { since: null, differences: [], checked, found: 0, repaired: 0 }
    expect(await verify()).toEqual({ code: 0, document })
    const { code, stdout } = await world.run(['verify'])
    const none = /^no differences in 16 sensor-days and \d+ rows that derive from them\n$/
    expect([code, stdout]).toEqual([0, expect.stringMatching(none)])
  })

  test('prints each difference with the row, the stored and the expected value, and the same once it is repaired', async () => {
    const corrupt = () =>
      damage(`UPDATE sensor_days SET impressions = 7 WHERE date = '2026-01-01' AND impressions = 21`)
    await corrupt()
    const row = 'SN-1 on assetno101 at 2026-01-01'
    const { code, document } = await verify()
    expect([code, document]).toEqual([
      1,
      { since: null, differences: expect.any(Array), checked, found: 2, repaired: 0 },
    ])
    expect(document.differences).toEqual([
      expect.objectContaining({
        table: 'asset_months',
        row: 'impressions of assetno101 on 2026-01-01',
        column: 'total',
      }),
      { table: 'sensor_days', row, column: 'impressions', stored: '7', expected: '21', repaired: false },
    ])
    const differences = document.differences.map((difference: object) => ({ ...difference, repaired: true }))
    expect(await verify('--repair')).toEqual({ code: 0, document: { ...document, differences, repaired: 2 } })
    expect(await verify()).toMatchObject({ code: 0, document: { checked, found: 0 } })
    await corrupt()
    const { stdout } = await world.run(['verify', '--repair'])
    expect(stdout.split('\n')).toContain(`sensor_days: impressions of ${row} is 7 instead of 21: repaired`)
  })

  test('--since checks the days from a date on, and their months', async () => {
    await damage(
      `UPDATE sensor_days SET hours = '\\x0000' WHERE date IN ('2026-01-02', '2026-01-03')`,
      `UPDATE measured_assets SET assets = ~assets WHERE date = '2026-01-01'`,
      `UPDATE asset_months SET day_2 = 5 WHERE kind = 'impressions' AND day_2 > 0`,
    )
    const tables = async (...args: string[]) => {
      const { code, document } = await verify('--since', '2026-01-03', ...args)
      const found = document.differences.map(({ table, column }: Record<string, string>) => `${table}.${column}`)
      return { code, since: document.since, checked: document.checked.sensor_days, found: [...new Set(found)] }
    }
    const found = {
      since: '2026-01-03',
      checked: 8,
      found: ['asset_months.total', 'sensor_days.hours'],
    }
    expect(await tables()).toEqual({ code: 1, ...found })
    expect(await tables('--repair')).toEqual({ code: 0, ...found })
    expect(await tables()).toEqual({ code: 0, ...found, found: [] })
    const { code, document } = await verify('--repair')
    expect(code).toBe(0)
    expect(new Set(document.differences.map(({ table }: { table: string }) => table))).toEqual(
      new Set(['measured_assets', 'sensor_days']),
    )
    const { stdout } = await world.run(['verify', '--since', '2026-02-01'])
    expect(stdout).toMatch(
      /^no differences in 0 sensor-days and \d+ rows that derive from them; of days and months before 2026-02-01 nothing was checked\n$/,
    )
  })

  test('--repair changes nothing and exits with 1 if counts cannot be read, which nothing can recompute', async () => {
    const counts = `(SELECT counts FROM sensor_days WHERE date = '2026-01-03' AND impressions = 21)`
    const first = `date = '2026-01-01' AND impressions = 21`
    await damage(
      `UPDATE sensor_days SET counts = '\\xffffff' WHERE ${first}`,
      `UPDATE assets SET sensor_minutes = 60 WHERE legacy_id = 102`,
    )
    expect(await verify()).toMatchObject({ code: 1, document: { found: 2, repaired: 0 } })
    const { code, document } = await verify('--repair')
    const differences = [{ table: 'sensor_days', column: 'counts', stored: '3 bytes', repaired: false }]
    expect([code, document]).toMatchObject([1, { differences, found: 1, repaired: 0 }])
    const { stdout } = await world.run(['verify', '--repair'])
    expect(stdout).toMatch(/: only a backup brings it back\n1 difference, 0 repaired, in /)
    expect(await verify()).toMatchObject({ code: 1, document: { found: 2 } })
    await damage(`UPDATE sensor_days SET counts = ${counts} WHERE ${first}`)
    expect(await verify('--repair')).toMatchObject({ code: 0, document: { found: 1, repaired: 1 } })
  })
})

test('verify --since reads few rows where much is stored of earlier days, also of their history', async () => {
  const world = await World.open()
  await fillNetwork(world)
  const days = Array.from({ length: 200 }, (_, i) => new Date(Date.UTC(2026, 1, 1 + i)).toISOString().slice(0, 10))
  for (const count of [5, 6]) {
    const rows = days.map(day => `101,${day},male,25-34,${count}`)
    await world.import('demographics', ['asset_id,date,gender,age_band,impressions', ...rows])
  }
  // A session reports what it has read when it ends.
  await withPool(world.database.ownerUrl, { max: 1 }, async pool => {
    const others = `FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
    while ((await pool.query(`SELECT pg_terminate_backend(pid) ${others}`)).rowCount) await sleep(20)
    await pool.query('SELECT pg_stat_reset()')
  })
  const verified = { max: 1, application_name: 'verified', options: '-c enable_seqscan=off' }
  await withPool(world.database.ownerUrl, verified, pool => verifyData(pool, async () => {}, { since: '2026-08-17' }))
  const sessions = "SELECT FROM pg_stat_activity WHERE application_name = 'verified'"
  while ((await world.rows(sessions)).length > 0) await sleep(20)
  const read = await world.rows(`SELECT (seq_tup_read + idx_tup_fetch)::integer AS rows FROM pg_stat_user_tables
    WHERE relname IN ('former_totals', 'asset_months', 'demographic_days', 'sensor_days') ORDER BY relname <> 'former_totals'`)
  await world.stop()
  expect(read[0]!.rows).toBeGreaterThanOrEqual(19)
  // A few definitions read each table, for the 19 days of August.
  for (const { rows } of read) expect(rows).toBeLessThan(10 * 19)
})
