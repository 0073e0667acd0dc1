import { withoutTriggers } from '../../support/databases'
import { run, runJson } from '../../support/in-process'
import { fillNetwork, type Network, openNetwork } from './network'

jest.setTimeout(60_000)

let network: Network

beforeAll(async () => {
  network = await openNetwork()
  await fillNetwork(network)
})
afterAll(() => network.imports.stop())

test('verify --since checks the days from a date on, and their months', async () => {
  const damage = [
    `UPDATE sensor_days SET hours = '\\x0000' WHERE date IN ('2026-01-02', '2026-01-03')`,
    `UPDATE measured_assets SET assets = ~assets WHERE date = '2026-01-01'`,
    `UPDATE asset_months SET day_2 = 5`,
  ]
  await network.imports.rows(withoutTriggers(...damage))
  const tables = async (...args: string[]) => {
    const { code, document } = await runJson(['verify', '--since', '2026-01-03', ...args], network.env)
    const found = document.differences.map(({ table, column }: Record<string, string>) => `${table}.${column}`)
    return { code, since: document.since, checked: document.checked.sensor_days, found: [...new Set(found)] }
  }
  const found = {
    since: '2026-01-03',
    checked: 8,
    found: ['asset_months.day_2', 'class_months.day_2', 'sensor_days.hours'],
  }
  expect(await tables()).toEqual({ code: 1, ...found })
  expect(await tables('--repair')).toEqual({ code: 0, ...found })
  expect(await tables()).toEqual({ code: 0, ...found, found: [] })
  const { code, document } = await runJson(['verify'], network.env)
  expect(code).toBe(1)
  expect(new Set(document.differences.map(({ table }: { table: string }) => table))).toEqual(
    new Set(['measured_assets', 'sensor_days']),
  )
  const { stdout } = await run(['verify', '--since', '2026-02-01'], network.env)
  expect(stdout).toMatch(
    /^no differences in 0 sensor-days and \d+ rows that derive from them; of days and months before 2026-02-01 nothing was checked\n$/,
  )
  expect((await run(['verify', '--since', '2026-02-30'], network.env)).code).toBe(2)
})
