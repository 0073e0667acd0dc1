/** Gaps: what the world leaves out (health checks, and when counts are erased), their pages and limits. */
import { MISSING } from '../../../db/calendar/packed-counts'
import type { Made, MadeAsset } from '../../support/factories'
import { World } from '../../support/world'
import type { GapRow } from '../../world/provenance'

let world: World
let company: Made
let key: string
beforeAll(async () => {
  world = await World.open()
  company = await world.make.company()
  key = await world.make.key([company], { scopes: ['internal:graphql:read'] })
})
afterAll(() => world.stop())

const readGaps = async (asset: MadeAsset, from: string, to = from, by = key): Promise<GapRow[]> =>
  (await world.read(`/v1/partner/assets/${asset.id}/impressions/gaps?from_date=${from}&to_date=${to}`, by)).data

/** `from – to reason missing`, without the year. */
const brief = (rows: GapRow[]) =>
  rows.map(({ from, to, reason, missing }) => `${from.slice(5, 16)} – ${to.slice(5, 16)} ${reason} ${missing}`)

const storeChecks = (serial: string, ...checks: string[]) =>
  world.import('health', ['sensor,checked_at,status', ...checks.map(check => `${serial},${check}`)])

test('each stretch without counts has its reason', async () => {
  const [asset, sensor] = await world.make.together(async make => {
    const asset = await make.asset({ company })
    const period = { installed_at: '2026-03-01T05:00:00+01:00', removed_at: '2026-03-03T12:00:00+01:00' }
    const sensor = await make.sensor({ asset, grain: 'hour', serial: 'SN-G', ...period })
    const isThere = (hour: number) => hour >= 5 && hour !== 7 && (hour < 10 || hour >= 14)
    await make.counts(sensor, '2026-03-01', hour => (isThere(hour) ? 9 : MISSING))
    await make.counts(sensor, '2026-03-02', hour => (hour < 10 ? 9 : MISSING))
    await make.setAside(sensor, '2026-03-01T10:00:00+01:00', '2026-03-01T12:00:00+01:00')
    return [asset, sensor] as const
  })
  await storeChecks(
    'SN-G',
    '2026-03-01T12:10+01:00,offline',
    '2026-03-01T12:25+01:00,offline',
    '2026-03-01T12:40+01:00,healthy',
    '2026-03-02T14:00+01:00,offline',
  )
  const gaps = await readGaps(asset, '2026-03-01', '2026-03-03')
  expect(brief(gaps)).toEqual([
    '03-01T00:00 – 03-01T05:00 no_sensor 0',
    '03-01T07:00 – 03-01T08:00 unknown 1',
    '03-01T10:00 – 03-01T12:00 set_aside 2',
    '03-01T12:00 – 03-01T13:00 sensor_offline 1',
    '03-01T13:00 – 03-01T14:00 unknown 1',
    '03-02T10:00 – 03-02T14:00 not_delivered 4',
    // The last check holds for an hour.
    '03-02T14:00 – 03-02T15:00 sensor_offline 1',
    '03-02T15:00 – 03-03T12:00 not_delivered 21',
    '03-03T12:00 – 03-04T00:00 no_sensor 0',
  ])
  // A sensor that was removed is no longer listed, but named.
  expect(gaps[1]).toEqual({
    ...{ asset_id: asset.id, sensor_id: sensor.id, from: '2026-03-01T07:00:00+01:00', to: '2026-03-01T08:00:00+01:00' },
    ...{ expected: 1, missing: 1, reason: 'unknown' },
  })
  expect(brief(await readGaps(asset, '2099-01-01'))).toEqual(['01-01T00:00 – 01-02T00:00 no_sensor 0'])
})

test.each([
  ['Pacific/Auckland', '0001-01-01T00:00:00+11:39', '9999-12-31T23:59:59+13:00'],
  ['America/New_York', '0001-01-01T00:00:00-04:56', '9999-12-31T23:59:59-05:00'],
])(
  'the first and the last gap of the calendar in %s are written in four digits of a year',
  async (time_zone, from, to) => {
    const asset = await world.make.asset({ company, time_zone })
    expect((await readGaps(asset, '0001-01-01'))[0]!.from).toBe(from)
    expect((await readGaps(asset, '9999-12-31'))[0]!.to).toBe(to)
  },
)

test('counts that were removed after their day was over are erased, until they come again', async () => {
  const asset = await world.make.asset({ company })
  const sensor = await world.make.sensor({ asset, grain: 'hour' })
  const remove = () =>
    world.owner.query('DELETE FROM sensor_days WHERE sensor = $1 AND date = $2', [sensor.number, '2026-03-01'])
  await world.make.together(async make => {
    for (const date of ['2026-03-01', '2026-03-02']) await make.counts(sensor, date, () => 1)
  })
  await remove()
  const wholeDay = '03-01T00:00 – 03-02T00:00'
  expect(brief(await readGaps(asset, '2026-03-01', '2026-03-02'))).toEqual([`${wholeDay} erased 24`])
  await world.make.counts(sensor, '2026-03-01', hour => (hour === 3 ? MISSING : 1))
  expect(brief(await readGaps(asset, '2026-03-01'))).toEqual(['03-01T03:00 – 03-01T04:00 erased 1'])
  await remove()
  await world.make.counts(sensor, '2026-03-01', () => 1)
  expect(await readGaps(asset, '2026-03-01', '2026-03-02')).toEqual([])
})

test.each([
  ['before', ['2025-04-06T07:05Z,offline', '2025-04-06T07:03Z,healthy']],
  ['after', ['2025-04-06T06:50Z,offline', '2025-04-06T06:55Z,healthy']],
] as const)('an asset says nothing of checks at the asset of another company, %s a move', async (side, checks) => {
  const moved = '2025-04-06T07:00:00Z'
  const serial = `moved-${side}`
  const asset = await world.make.together(async make => {
    const other = await make.company()
    const [toronto, vancouver] = [
      await make.asset({ company: side === 'before' ? company : other, time_zone: 'America/Toronto' }),
      await make.asset({ company: side === 'before' ? other : company, time_zone: 'America/Vancouver' }),
    ]
    const sensor = await make.sensor({ asset: vancouver, grain: 'hour', serial, installed_at: moved })
    await make.installation(sensor, toronto, '2025-04-01T04:00:00Z', moved)
    return side === 'before' ? toronto : vancouver
  })
  await storeChecks(serial, `2025-04-06T${side === 'before' ? '05:00' : '08:30'}Z,offline`)
  const before = await readGaps(asset, '2025-04-01', '2025-04-14')
  expect(before.map(({ reason }) => reason)).toContain('sensor_offline')
  for (const check of checks) {
    await storeChecks(serial, check)
    expect([check, await readGaps(asset, '2025-04-01', '2025-04-14')]).toEqual([check, before])
  }
})

test('the gaps of many assets are read in pages of assets, as CSV, and in GraphQL, up to 1,000 of an asset', async () => {
  const assets: MadeAsset[] = []
  await world.make.together(async make => {
    for (const id of ['gapsasset1', 'gapsasset2', 'gapsasset3']) assets.push(await make.asset({ company, id }))
    const sensor = await make.sensor({ asset: assets[1]!, grain: 'minute' })
    for (let day = 0; day < 2; day++) {
      const date = new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10)
      await make.counts(sensor, date, minute => (minute % 2 === 0 ? 1 : MISSING))
    }
  })
  const ids = assets.map(({ id }) => id)
  const path = `/v1/partner/gaps?from_date=2025-01-01&to_date=2025-01-01&asset_ids=${ids}`
  const pages: GapRow[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, pagination } = await world.read(`${path}&limit=1${cursor && `&cursor=${cursor}`}`, key)
    pages.push(data)
    cursor = pagination.cursor
  }
  expect(pages.map(({ length }) => length)).toEqual([1, 720, 1])
  expect(pages[1]).toEqual(await readGaps(assets[1]!, '2025-01-01'))
  const lines = (await world.get(`${path}&output=csv`, { key })).text.trimEnd().split('\r\n')
  expect([lines.length, ...lines.slice(0, 2)]).toEqual([
    1 + 722,
    'asset_id,sensor_id,from,to,expected,missing,reason',
    'gapsasset1,,2025-01-01T00:00:00+01:00,2025-01-02T00:00:00+01:00,0,0,no_sensor',
  ])
  const ask = async (to: string) => {
    const query = `{ assets(limit: 3, filter: { id: ${JSON.stringify(ids)} }) { nodes {
      impressions(fromDate: "2025-01-01", toDate: "${to}") { gaps { rows {
        asset_id: assetId sensor_id: sensorId from to expected missing reason } } } } } }`
    return (await world.get(`/graphql?query=${encodeURIComponent(query)}`, { key })).body
  }
  const { nodes } = (await ask('2025-01-01')).data.assets
  expect(nodes.map((node: { impressions: { gaps: { rows: GapRow[] } } }) => node.impressions.gaps.rows)).toEqual(pages)
  expect((await ask('2025-01-02')).errors[0].extensions.code).toBe('RANGE_TOO_LARGE')
})
