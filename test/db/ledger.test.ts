/** The ledger and closed months, as operators and callers see them, beyond the histories of test/world. */
import { readNodeRules } from '../../db/calendar/zone-rules'
import { firstOpenDay } from '../../db/queries/as-of'
import { setClock } from '../support/clock'
import type { MadeAsset } from '../support/factories'
import { World } from '../support/world'

let world: World
/** The time by the clock of the service, in milliseconds; by default that of the machine. */
let present: number | undefined
beforeAll(async () => {
  world = await World.open({ now: () => present ?? Date.now() })
})
afterAll(() => world.stop())

const COLUMNS = {
  impressions: 'sensor,start,impressions',
  origins: 'asset_id,date,country,region,city,impressions',
  demographics: 'asset_id,date,gender,age_band,impressions',
}

/** Imports rows, of which those of impressions cover an hour each, however few there are. */
const importLines = (kind: keyof typeof COLUMNS, lines: readonly string[], ...options: string[]) => {
  const interval = kind === 'impressions' ? ['--interval', 'hour'] : []
  return world.run(['import', kind, '-', ...interval, ...options], [COLUMNS[kind], ...lines, ''].join('\n'))
}

async function install(serial: string, attributes: Parameters<World['make']['asset']>[0] = {}): Promise<MadeAsset> {
  const asset = await world.make.asset(attributes)
  await world.make.sensor({ asset, serial, grain: 'hour', installed_at: '2026-01-01T00:00Z' })
  return asset
}

/** Factories use only its number. */
const keyOf = ({ company }: MadeAsset) => world.make.key([{ id: '', number: company }])

test.each([
  ['UTC', '2026-03-02T06:00:00Z'],
  ['Asia/Kathmandu', '2026-03-02T00:15:00Z'],
  ['America/Caracas', '2026-03-02T10:00:00Z'],
])('a day in %s is over six hours after its end, when it is read as when it is changed', async (zone, end) => {
  const { number } = await world.make.asset({ time_zone: zone })
  for (const [milliseconds, expected] of [
    [-1, '2026-03-01'],
    [0, '2026-03-02'],
  ] as const) {
    const instant = Date.parse(end) + milliseconds
    const sql = 'SELECT first_open_day(rules, to_timestamp($1 / 1000.0))::text AS day FROM assets WHERE number = $2'
    const [stored] = await world.rows(sql, [instant, number])
    expect([firstOpenDay(readNodeRules(zone), { time: instant }), stored!.day]).toEqual([expected, expected])
  }
})

const RANGE = 'from_date=2026-03-01&to_date=2026-03-31'

const readRestatements = async (asset: MadeAsset) =>
  (await world.read(`/v1/partner/restatements?${RANGE}&asset_ids=${asset.id}`, await keyOf(asset))).data

test('reasons are shown to operators, and to partners where they are public: as notes, and in the feed of notes', async () => {
  const asset = await install('L1')
  const key = await keyOf(asset)
  await importLines('impressions', ['L1,2026-03-01T12:00Z,5', 'L1,2026-03-02T12:00Z,7'])
  await importLines('impressions', ['L1,2026-03-01T12:00Z,6'], '--reason', 'recalibrated', '--public')
  await world.run('delete impressions --sensor L1 --from 2026-03-02 --to 2026-03-02 --yes --reason secret'.split(' '))
  await importLines('impressions', ['L1,2026-03-02T12:00Z,7'])
  const { data: notes } = await world.read(`/v1/partner/notes?${RANGE}`, key)
  const days = { from: '2026-03-01', to: '2026-03-01' }
  expect(notes).toEqual([expect.objectContaining({ kind: 'caveat', text: 'recalibrated', sensor_id: null, ...days })])
  const { data: changes } = await world.read('/v1/partner/changes?kinds=notes', key)
  expect(changes).toEqual([expect.objectContaining({ asset_id: asset.id, kind: 'notes' })])
  const { stdout } = await world.run(['history'])
  expect(stdout).toContain('recalibrated')
  expect(stdout).toContain('secret')
})

test('a page of restatements continues behind the last one, in every format', async () => {
  const asset = await install('P1')
  const key = await keyOf(asset)
  const dates = Array.from({ length: 9 }, (_, i) => `2026-03-0${i + 1}`)
  for (const value of [1, 2]) {
    await importLines(
      'impressions',
      dates.flatMap(date => [12, 13].map(hour => `P1,${date}T${hour}:00Z,${value}`)),
    )
  }
  const path = `/v1/partner/restatements?${RANGE}`
  const listed: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { data, pagination } = await world.read(`${path}&limit=4${cursor}`, key)
    listed.push(...data.map(({ date }: { date: string }) => date))
    cursor = pagination.cursor && `&cursor=${pagination.cursor}`
  }
  expect(listed).toEqual(dates)
  expect((await world.get(`${path}&output=csv`, { key })).text.trim().split('\r\n')).toHaveLength(10)
  expect((await world.read(`${path}&since=2100-01-01T00:00:00Z`, key)).data).toEqual([])
  // As if a backup had been restored since, whose next commit has the same number.
  const { pagination } = await world.read(`${path}&limit=4`, key)
  await world.rows('UPDATE transactions SET mark = gen_random_uuid()')
  const { body } = await world.get(`${path}&limit=4&cursor=${pagination.cursor}`, { key })
  expect(body.error.code).toBe('INVALID_CURSOR')
})

describe('a closed month', () => {
  let asset: MadeAsset
  const close = (...options: string[]) => world.runJson(['close', '2026-03', '--yes', ...options])
  const closed = expect.stringContaining('totals of closed months would change')

  beforeAll(async () => {
    asset = await install('C1')
    await importLines('impressions', ['C1,2026-03-31T12:00Z,5', 'C1,2026-04-01T12:00Z,5'])
    expect(await close()).toMatchObject({ code: 0 })
  })

  test.each([
    ['impressions', 'C1,2026-03-30T12:00Z,0'],
    ['origins', '{asset},2026-02-01,DE,DE-BE,Berlin,600'],
    ['demographics', '{asset},2026-03-31,male,25-34,6'],
  ] as const)('names what would change of its %s', async (kind, row) => {
    const line = row.replace('{asset}', asset.id)
    const { code, stderr, stdout } = await importLines(kind, [line])
    expect([code, stderr]).toEqual([1, closed])
    expect(stdout).toMatch(/\(refused\)\t1\t0\t.*\t1\n/)
    expect(stderr).toContain(`${kind} of ${asset.id} (${/2026-\d\d-\d\d/.exec(line)})`)
    expect(await importLines(kind, [line], '--restate')).toMatchObject({ code: 2 })
  })

  test('is not reached by --skip-faulty: nothing of a file that would change it is stored', async () => {
    const lines = ['C1,2026-04-02T12:00Z,9', 'C1,2026-04-02T13:00Z,faulty', 'C1,2026-03-30T12:00Z,7']
    for (const options of [[], ['--dry-run']]) {
      const ended = await importLines('impressions', lines, '--skip-faulty', ...options)
      expect(ended).toMatchObject({ code: 1, stderr: closed })
    }
    expect(await world.rows('SELECT FROM sensor_days WHERE asset = $1', [asset.number])).toHaveLength(2)
  })

  test('with a wrong total is repaired with --restate alone', async () => {
    await world.rows(`BEGIN; SET LOCAL partner_metrics.restate = 'true';
      UPDATE sensor_days SET impressions = 4 WHERE asset = ${asset.number} AND date = '2026-03-31'; COMMIT`)
    expect(await world.run(['verify', '--repair'])).toMatchObject({ code: 1, stderr: closed })
    expect(await world.run(['verify', '--repair', '--restate', '--reason', 'disk'])).toMatchObject({ code: 0 })
    expect((await readRestatements(asset)).at(-1)).toMatchObject({
      ...{ previous: 4, current: 5, reason: 'repair', final: true },
    })
  })

  test('is open again when its close is taken back, and each company has what was final before', async () => {
    const undo = (month: string, ...options: string[]) =>
      world.runJson(['close', month, '--undo', '--reason', 'late file', '--yes', ...options])
    const [company] = await world.rows('SELECT id FROM companies WHERE number = $1', [asset.company])
    const id = company!.id as string
    expect((await undo('2026-03')).document.companies).toContainEqual(
      expect.objectContaining({ previous: '2026-03-31', final_through: null }),
    )
    expect((await undo('2026-03')).document.error).toMatchObject({
      code: 'NOT_LAST_CLOSED',
      message: expect.stringMatching(/^2026-03 .*no month is closed/),
    })
    for (const args of [['2026-01'], ['2026-02', '--company', id], ['2026-03']]) {
      expect(await world.runJson(['close', ...args, '--yes'])).toMatchObject({ code: 0 })
    }
    for (const month of ['2026-02', '2026-04']) {
      const { code, document } = await undo(month)
      expect([code, document.error.message]).toEqual([1, expect.stringContaining('it is 2026-03')])
    }
    for (const each of (await undo('2026-03')).document.companies) {
      expect(each.final_through).toBe(each.id === id ? '2026-02-28' : '2026-01-31')
    }
    expect(await undo('2026-02', '--company', id)).toMatchObject({
      document: { companies: [{ previous: '2026-02-28', final_through: '2026-01-31' }] },
    })
  })

  test('is shown before it is closed, with the days of its assets that have counts and those that lack them', async () => {
    const company = await world.make.company()
    const made = await world.make.asset({ company, time_zone: 'America/New_York' })
    await world.make.sensor({ asset: made, serial: 'C2', grain: 'hour', installed_at: '2026-01-31T06:00Z' })
    await world.make.sensor({ asset: made, serial: 'C3', grain: 'hour', installed_at: '2026-02-02T06:00Z' })
    await world.make.asset({ company })
    // In New York, the first count is one of 31 January, and the last one of February.
    const lines = [
      'C2,2026-02-01T04:00Z,5',
      'C2,2026-02-03T12:00Z,5',
      'C3,2026-02-03T12:00Z,5',
      'C3,2026-03-01T04:00Z,0',
    ]
    await importLines('impressions', lines, '--interval', 'hour')
    const close = async (...args: string[]) =>
      (await world.runJson(['close', ...args, '--company', company.id])).document
    const figures = { from: '2026-01-31', assets: 1, days: 3, missing_days: 26 }
    const shown = await close('2026-02', '--dry-run')
    expect(shown).toMatchObject({
      dry_run: true,
      companies: [{ previous: null, final_through: '2026-02-28', ...figures }],
    })
    expect(shown.missing).toEqual([expect.objectContaining({ asset_id: made.id, days: 3, missing_days: 26 })])
    expect((await close('2026-02')).error).toMatchObject({ code: 'CONFIRMATION_REQUIRED' })
    expect(await close('2026-01', '--yes')).toMatchObject({
      companies: [{ ...figures, days: 1, missing_days: 0 }],
      missing: [],
    })
    expect(await close('2026-02', '--dry-run')).toMatchObject({
      companies: [{ previous: '2026-01-31', from: '2026-02-01', assets: 1, days: 2, missing_days: 26 }],
    })
  })

  test.each([
    ['is no month', ['2026-13'], 2],
    ['is taken back without a reason', ['2026-03', '--undo'], 2],
    ['is one of an unknown company', ['2026-03', '--company', 'nobody'], 1],
    ['is not over', [new Date().toISOString().slice(0, 7)], 1],
  ])('that %s is refused', async (_, args, code) => {
    expect(await world.run(['close', ...args, '--yes'])).toMatchObject({ code })
  })
})

describe('after a commit while the clock of PostgreSQL was three days ahead', () => {
  const DAYS_AHEAD = 3 * 86_400
  const today = new Date().toISOString().slice(0, 10)
  let asset: MadeAsset
  let key: string

  beforeAll(async () => {
    asset = await install('CLOCK1')
    key = await keyOf(asset)
    await importLines('impressions', ['CLOCK1,2026-03-01T12:00Z,79803'])
    await setClock(world.owner, DAYS_AHEAD)
    await importLines('impressions', ['CLOCK1,2026-03-02T12:00Z,73802'])
    await setClock(world.owner, 0)
  })

  const readTotal = async (path: string, asOf = '') =>
    (await world.read(`/v1/partner/${path}?${RANGE}${asOf}`, key)).total

  test('the command that comes next and `status` say so, and the present is what is served', async () => {
    const message = /the last commit lies in the future, at 20/
    expect((await world.runJson(['status'])).document.last_commit).toMatchObject({ in_future: true })
    expect((await world.run(['status'])).stdout).toMatch(message)
    present = Date.now()
    for (const path of [`assets/${asset.id}/impressions/daily`, 'impressions/aggregate']) {
      const totals = [await readTotal(path), await readTotal(path, `&as_of=${new Date(present).toISOString()}`)]
      expect(totals).toEqual([153_605, 153_605])
    }
    present = undefined
    // It changes nothing.
    expect((await importLines('impressions', ['CLOCK1,2026-03-02T12:00Z,73802'])).stderr).toMatch(message)
  })

  test('its time becomes that of the next one, and times never fall', async () => {
    const from = Date.now()
    const { stderr } = await importLines('impressions', [`CLOCK1,${today}T00:00Z,2`])
    expect(stderr).toMatch(/warning: the last commit lies in the future/)
    expect((await importLines('impressions', [`CLOCK1,${today}T00:00Z,3`, 'CLOCK1,2026-03-02T12:00Z,5'])).stderr).toBe(
      '',
    )
    expect((await world.runJson(['status'])).document.last_commit).toMatchObject({ in_future: false })
    const days = `from_date=2026-03-01&to_date=${today}`
    const { data } = await world.read(`/v1/partner/restatements?${days}&asset_ids=${asset.id}`, key)
    // Today is not over.
    expect(data).toMatchObject([{ date: '2026-03-02', previous: 73_802, current: 5 }])
    const { data: changes } = await world.read('/v1/partner/changes?kinds=impressions', key)
    const times = [data[0], ...changes].map(row => Date.parse(row.restated_at ?? row.changed_at))
    expect(times.every(time => time <= Date.now())).toBe(true)
    expect(times[0]).toBeGreaterThanOrEqual(from)
    await world.verify()
  })
})
