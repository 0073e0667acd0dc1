import { mergeOrigins } from '../../../db/counts/merge-origins'
import { inTransaction } from '../../../db/transaction'
import { run, runJson } from '../../support/in-process'
import { fillNetwork, type Network, openNetwork } from './network'

jest.setTimeout(60_000)

describe('partner-metrics retain', () => {
  let network: Network
  beforeAll(async () => {
    network = await openNetwork()
  })
  afterAll(() => network.imports.stop())
  beforeEach(async () => {
    await network.imports.clear()
    await fillNetwork(network)
  })

  const rows = (query: string) => network.imports.rows(query)
  const dates = async (table: string) =>
    (await rows(`SELECT DISTINCT date FROM ${table} ORDER BY 1`)).map(({ date }) => date)

  /** Moves all data so that the third of January becomes the first day of the month some months ago. */
  async function move(monthsAgo: number): Promise<string[]> {
    const [{ shift }] = (await rows(
      `SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date - date '2026-01-03'
         - (date_trunc('month', now())::date - (date_trunc('month', now()) - interval '${monthsAgo} months')::date) AS shift`,
    )) as [{ shift: number }]
    await inTransaction(network.imports.owner, async client => {
      await client.query(
        'CREATE TEMPORARY TABLE moved ON COMMIT DROP AS SELECT * FROM origins; DELETE FROM origin_months',
      )
      await mergeOrigins(client, `SELECT asset, company, date + ${shift} AS date, region, city, impressions FROM moved`)
      return { commit: true, result: undefined }
    })
    for (const table of ['sensor_days', 'demographic_days'])
      for (const date of ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'])
        await rows(`UPDATE ${table} SET date = date + ${shift} WHERE date = '${date}'`)
    return dates('sensor_days') as Promise<string[]>
  }

  test('deletes counts, origins and demographics before the first day of the month N months ago', async () => {
    const [first, second, third, fourth] = await move(5)
    expect(third).toMatch(/-01$/)
    const kept = await runJson(['retain', '--months', '6', '--yes'], network.env)
    expect(kept).toMatchObject({ code: 0, document: { deleted: { counts: 0, origins: 0, demographics: 0 } } })
    const preview = await runJson(['retain', '--months', '5', '--dry-run'], network.env)
    expect(await dates('sensor_days')).toEqual([first, second, third, fourth])
    const { code, document } = await runJson(['retain', '--months', '5', '--yes'], network.env)
    expect([code, document.deleted]).toEqual([
      0,
      {
        ...{ companies: 0, assets: 0, sensors: 0, installations: 0 },
        ...{ counts: 16, impressions: 408, origins: 4, demographics: 4, set_aside: 0 },
      },
    ])
    expect({ ...document, dry_run: true }).toEqual(preview.document)
    expect(await dates('sensor_days')).toEqual([third, fourth])
    expect([await dates('origins'), await dates('demographic_days')]).toEqual([[], []])
    expect(
      await rows(
        'SELECT DISTINCT measured_from, measured_to FROM assets JOIN asset_versions ON asset = number WHERE legacy_id <> 102',
      ),
    ).toEqual([{ measured_from: third, measured_to: fourth }])
    expect((await runJson(['history', '--limit', '1'], network.env)).document.rows).toMatchObject([
      { command: 'retain', details: { months: 5, before: third }, figures: document.deleted },
    ])
  })

  test.each([['0'], ['-1'], ['1.5'], ['x'], ['']])('refuses %j months', async months => {
    const { code, stderr } = await run(['retain', `--months=${months}`, '--yes'], network.env)
    expect([code, stderr]).toEqual([2, expect.stringContaining('whole number from 1 to 1200')])
  })

  test('requires --yes where there is no terminal', async () => {
    const { code, document } = await runJson(['retain', '--months', '1'], network.env)
    expect([code, document.error.code]).toEqual([2, 'CONFIRMATION_REQUIRED'])
  })
})
