/** The ledger: every change of a day that was over is kept, and months that are closed do not change. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readNodeRules, ZoneRules } from '../../db/calendar/zone-rules'
import type { Kind } from '../../imports/kind-names'
import { updateZones } from '../../imports/relocation/update-rules'
import { createDatabase } from '../support/databases'
import type { MadeAsset } from '../support/factories'
import { run, runJson } from '../support/in-process'
import { World } from '../support/world'

let world: World
let env: Record<string, string>
let folder: string
beforeAll(async () => {
  const database = await createDatabase()
  env = { DATABASE_URL: database.ownerUrl }
  world = await World.open({ database })
  folder = mkdtempSync(join(tmpdir(), 'ledger-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await world.stop()
})

const COLUMNS = {
  sensors: 'serial,model,vendor_id,asset_id,installed_at',
  impressions: 'sensor,start,impressions',
  demographics: 'asset_id,date,gender,age_band,impressions',
  origins: 'asset_id,date,country,region,city,impressions',
} as Record<Kind, string>

/** Imports lines, with the options of the command. */
function importLines(kind: Kind, lines: readonly string[], options: readonly string[] = [], columns = COLUMNS[kind]) {
  const file = join(folder, 'file.csv')
  writeFileSync(file, [columns, ...lines, ''].join('\n'))
  return run(['import', kind, file, ...options], env)
}

async function install(serial: string, attributes: Parameters<World['make']['asset']>[0] = {}): Promise<MadeAsset> {
  const asset = await world.make.asset(attributes)
  const { id } = await world.make.vendor('hour')
  expect(await importLines('sensors', [`${serial},M,${id},${asset.id},2026-01-01T00:00Z`])).toMatchObject({ code: 0 })
  return asset
}

/** Factories use only its number. */
const companyOf = ({ company }: MadeAsset) => ({ id: '', number: company })

const RANGE = 'from_date=2026-03-01&to_date=2026-03-31'

async function readRestatements(asset: MadeAsset, query = RANGE) {
  const key = await world.make.key([companyOf(asset)])
  const { data } = (await world.read(`/v1/partner/restatements?${query}&asset_ids=${asset.id}`, key)) as {
    data: Record<string, unknown>[]
  }
  return data.map(({ asset_id, restated_at, ...row }) => row)
}

const none = { previous_intervals: null, current_intervals: null, note: null, final: false }

test('a day to which a move brings its first value has no restatement, the day that it leaves has one', async () => {
  const asset = await install('M1')
  const company = companyOf(asset)
  const other = await world.make.asset({ company })
  await importLines('impressions', ['M1,2026-03-01T12:00Z,5', 'M1,2026-03-02T12:00Z,7'])
  const moved = [`M1,${other.id},2026-03-02T00:00Z`]
  expect(await importLines('sensors', moved, [], 'serial,asset_id,installed_at')).toMatchObject({ code: 0 })
  expect(await readRestatements(other)).toEqual([])
  expect(await readRestatements(asset)).toMatchObject([
    { date: '2026-03-02', previous: 7, current: null, reason: 'move' },
  ])
})

test('each change of a day that was over is a restatement with its reason, but not its first value', async () => {
  const asset = await install('L1')
  await importLines('impressions', ['L1,2026-03-01T12:00Z,5', 'L1,2026-03-02T12:00Z,7'])
  expect(await readRestatements(asset)).toEqual([])
  const reason = ['--reason', 'recalibrated', '--public']
  await importLines('impressions', ['L1,2026-03-01T12:00Z,6', 'L1,2026-03-01T13:00Z,0'], reason)
  // Coverage alone is no restatement.
  await importLines('impressions', ['L1,2026-03-01T14:00Z,0'])
  await run('delete impressions --sensor L1 --from 2026-03-02 --to 2026-03-02 --yes --reason secret'.split(' '), env)
  await importLines('impressions', ['L1,2026-03-02T12:00Z,7'])
  for (const value of [5, 8]) await importLines('demographics', [`${asset.id},2026-03-01,male,25-34,${value}`])
  for (const value of [500, 700]) await importLines('origins', [`${asset.id},2026-03-01,DE,DE-BE,Berlin,${value}`])
  const rows = [
    { kind: 'impressions', date: '2026-03-01', previous: 5, current: 6, reason: 'import', ...none },
    { kind: 'impressions', date: '2026-03-02', previous: 7, current: null, reason: 'deletion', ...none },
    { kind: 'impressions', date: '2026-03-02', previous: null, current: 7, reason: 'import', ...none },
    { kind: 'demographics', date: '2026-03-01', previous: 5, current: 8, reason: 'import', ...none },
    { kind: 'origins', date: '2026-03-01', previous: 500, current: 700, reason: 'import', ...none },
  ]
  const intervals = [
    { previous_intervals: 1, current_intervals: 2, note: 'recalibrated' },
    { previous_intervals: 1 },
    { current_intervals: 1 },
  ]
  expect(await readRestatements(asset)).toEqual(rows.map((row, i) => ({ ...row, ...intervals[i] })))
  expect(await readRestatements(asset, 'from_date=2026-03-02&to_date=2026-03-02')).toHaveLength(2)
  expect(await readRestatements(asset, `${RANGE}&since=2100-01-01T00:00:00Z`)).toEqual([])
  const key = await world.make.key([companyOf(asset)])
  const notes = (await world.read(`/v1/partner/notes?${RANGE}`, key)) as { data: object[] }
  const days = { from: '2026-03-01', to: '2026-03-01' }
  expect(notes.data).toEqual([
    expect.objectContaining({ kind: 'caveat', text: 'recalibrated', sensor_id: null, ...days }),
  ])
  const { data } = (await world.read('/v1/partner/changes?kinds=notes', key)) as { data: object[] }
  expect(data).toEqual([expect.objectContaining({ asset_id: asset.id, kind: 'notes' })])
  const { document } = await runJson(['history', '--asset', asset.id, '--date', '2026-03-02'], env)
  expect(
    document.rows.map((row: Record<string, unknown>) => [row.value, row.intervals, row.reason, row.note, row.command]),
  ).toEqual([
    [7, 1, 'import', null, 'import impressions'],
    [null, null, 'deletion', 'secret', 'delete impressions'],
    [7, 1, 'import', null, 'import impressions'],
  ])
  const table = await run(['history', '--asset', asset.id, '--date', '2026-03-01'], env)
  expect(table.stdout).toContain('recalibrated')
})

test('a page of restatements continues behind the last one, in every format', async () => {
  const asset = await install('P1')
  const dates = Array.from({ length: 9 }, (_, i) => `2026-03-0${i + 1}`)
  for (const value of [1, 2]) {
    await importLines(
      'impressions',
      dates.flatMap(date => [12, 13].map(hour => `P1,${date}T${hour}:00Z,${value}`)),
    )
  }
  const key = await world.make.key([companyOf(asset)])
  const listed: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = (await world.read(`/v1/partner/restatements?${RANGE}&limit=4${cursor}`, key)) as {
      data: { date: string }[]
      pagination: { cursor: string | null }
    }
    listed.push(...page.data.map(({ date }) => date))
    cursor = page.pagination.cursor && `&cursor=${page.pagination.cursor}`
  }
  expect(listed).toEqual(dates)
  const { text } = await world.get(`/v1/partner/restatements?${RANGE}&output=csv`, { key })
  expect(text.trim().split('\r\n')).toHaveLength(10)
})

test('what changes before a day is over is no restatement', async () => {
  const asset = await install('T1')
  const today = new Date().toISOString().slice(0, 10)
  const start = `${new Date(Date.now() - 7_200_000).toISOString().slice(0, 13)}:00Z`
  for (const value of [1, 2]) await importLines('impressions', [`T1,${start},${value}`])
  expect(await readRestatements(asset, `from_date=2026-01-01&to_date=${today}`)).toEqual([])
})

describe('a closed month', () => {
  let asset: MadeAsset
  let other: MadeAsset
  const close = (...options: string[]) => runJson(['close', '2026-03', ...options], env)
  const closed = expect.stringContaining('totals of closed months would change')

  beforeAll(async () => {
    asset = await install('C1')
    other = await world.make.asset({ company: companyOf(asset) })
    await importLines('impressions', ['C1,2026-03-31T12:00Z,5', 'C1,2026-04-01T12:00Z,5'])
    await importLines('demographics', [`${asset.id},2026-03-31,male,25-34,5`])
    await importLines('origins', [`${asset.id},2026-03-31,DE,DE-BE,Berlin,500`])
    expect(await close()).toMatchObject({ code: 0 })
  })
  afterAll(async () => {
    expect(await close('--undo', '--reason', 'end of the test')).toMatchObject({ code: 0 })
  })

  test('is final for partners, and later days are provisional', async () => {
    const key = await world.make.key([companyOf(asset)])
    const { companies } = (await world.read('/v1/partner/meta', key)) as { companies: object[] }
    expect(companies).toEqual([expect.objectContaining({ final_through: '2026-03-31' })])
  })

  test.each([
    ['a corrected count', 'impressions', 'C1,2026-03-31T12:00Z,6'],
    ['a first value', 'impressions', 'C1,2026-03-30T12:00Z,0'],
    ['other demographics', 'demographics', '{asset},2026-03-31,male,25-34,6'],
    ['other origins', 'origins', '{asset},2026-03-31,DE,DE-BE,Berlin,600'],
    ['first origins', 'origins', '{asset},2026-02-01,DE,DE-BE,Berlin,600'],
  ] as const)('%s is refused, in a dry run too, and names asset and day', async (_, kind, line) => {
    const lines = [line.replace('{asset}', asset.id)]
    for (const options of [[], ['--dry-run']]) {
      const { code, stderr, stdout } = await importLines(kind, lines, options)
      expect([code, stderr]).toEqual([1, closed])
      // Nothing is stored of the one row: no days have changed.
      expect(stdout).toMatch(/\(refused\) │ +1 │ +0 │.* 1 │\n/)
      expect(stdout).not.toContain('Changed:')
      expect(stderr).toContain(`${kind} of ${asset.id} (${/2026-\d\d-\d\d/.exec(line)})`)
    }
    expect(await importLines(kind, lines, ['--restate'])).toMatchObject({ code: 2 })
  })

  test('is not reached by --skip-faulty: nothing of a file that would change it is stored', async () => {
    const lines = ['C1,2026-04-02T12:00Z,9', 'C1,2026-04-02T13:00Z,faulty', 'C1,2026-03-30T12:00Z,7']
    for (const options of [[], ['--dry-run']]) {
      const { code, stderr, stdout } = await importLines('impressions', lines, ['--skip-faulty', ...options])
      expect([code, stderr]).toEqual([1, closed])
      expect(stdout).not.toContain('Changed:')
    }
    const { rows } = await world.owner.query('SELECT date::text FROM sensor_days WHERE asset = $1 ORDER BY 1', [
      asset.number,
    ])
    expect(rows.map(({ date }) => date)).toEqual(['2026-03-31', '2026-04-01'])
  })

  test('erasing, deleting, moving and correcting a time zone are refused', async () => {
    expect(await importLines('impressions', ['C1,2026-03-31T12:00Z,'], ['--erase'])).toMatchObject({
      code: 1,
      stderr: closed,
    })
    const range = ['--from', '2026-03-31', '--to', '2026-04-01']
    for (const [kind, of] of [
      ['impressions', 'C1'],
      ['demographics', asset.id],
      ['origins', asset.id],
    ] as const) {
      const command = ['delete', kind, kind === 'impressions' ? '--sensor' : '--asset', of, ...range]
      for (const option of ['--dry-run', '--yes']) {
        expect(await run([...command, option], env)).toMatchObject({ code: 1, stderr: closed })
      }
    }
    for (const command of [
      ['delete', 'sensors', 'C1'],
      ['delete', 'assets', asset.id],
    ]) {
      for (const option of ['--dry-run', '--yes']) {
        expect(await run([...command, option], env)).toMatchObject({ code: 1, stderr: closed })
      }
    }
    const moved = [`C1,${other.id},2026-01-01T00:00Z`]
    expect(await importLines('sensors', moved, [], 'serial,asset_id,installed_at')).toMatchObject({
      code: 1,
      stderr: closed,
    })
    const zone = [`${asset.id},Pacific/Auckland`]
    expect(await importLines('assets', zone, [], 'id,time_zone')).toMatchObject({ code: 1, stderr: closed })
    expect(await importLines('assets', zone, ['--dry-run'], 'id,time_zone')).toMatchObject({ code: 1, stderr: closed })
  })

  test('other rules of the time zone are refused', async () => {
    const { zone, starts, offsets } = readNodeRules('Europe/Berlin')
    const readRules = (name: string) =>
      name === zone
        ? new ZoneRules(
            zone,
            '9999z',
            starts,
            offsets.map(offset => offset + 12 * 3600),
          )
        : readNodeRules(name)
    for (const dryRun of [true, false]) {
      await expect(updateZones(world.owner, { readRules, dryRun })).rejects.toMatchObject({ code: 'MONTH_CLOSED' })
    }
  })

  test('a wrong total that a repair would change is refused without --restate', async () => {
    await world.owner.query(
      'UPDATE asset_months SET day_31 = 4, impressions = 4 WHERE asset = $1 AND month = month_number($2)',
      [asset.number, '2026-03-31'],
    )
    expect(await run(['verify', '--repair'], env)).toMatchObject({ code: 1, stderr: closed })
    expect(await run(['verify', '--repair', '--restate', '--reason', 'disk'], env)).toMatchObject({ code: 0 })
    expect((await readRestatements(asset)).at(-1)).toMatchObject({
      previous: 4,
      current: 5,
      reason: 'repair',
      final: true,
    })
  })

  test('coverage alone, and days of later months, may change', async () => {
    expect(await importLines('impressions', ['C1,2026-03-31T13:00Z,0', 'C1,2026-04-01T12:00Z,9'])).toMatchObject({
      code: 0,
    })
  })

  test('changes with --restate, which the ledger shows', async () => {
    const options = ['--restate', '--reason', 'counted twice']
    expect(await importLines('impressions', ['C1,2026-03-31T12:00Z,3'], options)).toMatchObject({ code: 0 })
    expect((await readRestatements(asset)).at(-1)).toMatchObject({ previous: 5, current: 3, note: null, final: true })
  })

  test('is open again when its close is taken back, with all that was not final before', async () => {
    const undo = (month: string, ...options: string[]) =>
      runJson(['close', month, '--undo', '--reason', 'late file', ...options], env)
    const company = { id: (await world.owner.query('SELECT id FROM companies LIMIT 1')).rows[0].id }
    expect((await undo('2026-03')).document.companies).toContainEqual(
      expect.objectContaining({ previous: '2026-03-31', final_through: null }),
    )
    expect(await importLines('impressions', ['C1,2026-01-30T12:00Z,1'])).toMatchObject({ code: 0 })
    expect(await undo('2026-03')).toMatchObject({
      code: 1,
      document: { error: { code: 'NOT_LAST_CLOSED', message: expect.stringMatching(/^2026-03 .*no month is closed/) } },
    })
    expect(await runJson(['close', '2026-01'], env)).toMatchObject({ code: 0 })
    expect(await runJson(['close', '2026-02', '--company', company.id], env)).toMatchObject({ code: 0 })
    expect(await close()).toMatchObject({ code: 0 })
    for (const month of ['2026-01', '2026-02', '2026-04']) {
      expect(await undo(month)).toMatchObject({
        code: 1,
        document: { error: { message: expect.stringContaining('it is 2026-03') } },
      })
    }
    const { companies } = (await undo('2026-03')).document
    for (const { id, final_through } of companies) {
      expect(final_through).toBe(id === company.id ? '2026-02-28' : '2026-01-31')
    }
    expect(await undo('2026-02', '--company', company.id)).toMatchObject({
      code: 0,
      document: { companies: [{ previous: '2026-02-28', final_through: '2026-01-31' }] },
    })
    expect(await importLines('impressions', ['C1,2026-01-30T12:00Z,2'])).toMatchObject({ code: 1, stderr: closed })
    expect(await undo('2026-01')).toMatchObject({ code: 0 })
    expect(await close()).toMatchObject({ code: 0 })
  })

  test('is over, and named as it is', async () => {
    expect(await run(['close', '2026-13'], env)).toMatchObject({ code: 2 })
    expect(await run(['close', '2026-03', '--undo'], env)).toMatchObject({ code: 2 })
    const month = new Date().toISOString().slice(0, 7)
    expect(await run(['close', month], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be closed'),
    })
    expect(await run(['close', '2026-03', '--company', 'nobody'], env)).toMatchObject({ code: 1 })
  })

  test('does not stop retention and offboarding, and neither leaves entries of what it removed', async () => {
    expect(await run(['retain', '--months', '1', '--yes'], env)).toMatchObject({ code: 0 })
    expect(await readRestatements(asset)).toEqual([])
    const leaving = await install('R1')
    for (const value of [1, 2]) await importLines('impressions', [`R1,2026-11-01T12:00Z,${value}`])
    const { rows } = await world.owner.query('SELECT id FROM companies WHERE number = $1', [leaving.company])
    expect(await run(['delete', 'companies', rows[0].id, '--yes'], env)).toMatchObject({ code: 0 })
    expect((await world.owner.query('SELECT FROM restatements WHERE company = $1', [leaving.company])).rowCount).toBe(0)
  })
})
