import { Readable } from 'node:stream'
import { MISSING } from '../../../db/calendar/packed-counts'
import { importFile } from '../../../imports/import-file'
import { startDemoAt } from '../../support/demo'
import type { Made, MadeAsset } from '../../support/factories'
import { findUnexplained, type GapRow } from '../../support/gaps-model'
import { run } from '../../support/in-process'
import { World } from '../../support/world'

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

/** `from – to reason missing`, without the date where it is that of the first. */
const brief = (rows: GapRow[]) =>
  rows.map(({ from, to, reason, missing }) => `${from.slice(5, 16)} – ${to.slice(5, 16)} ${reason} ${missing}`)

test('each stretch without counts has its reason', async () => {
  const asset = await world.make.asset({ company })
  const sensor = await world.make.sensor({
    ...{
      asset,
      grain: 'hour',
      serial: 'SN-G',
      installed_at: '2026-03-01T05:00:00+01:00',
      removed_at: '2026-03-03T12:00:00+01:00',
    },
  })
  const hours = (isThere: (hour: number) => boolean) => (hour: number) => (isThere(hour) ? 9 : MISSING)
  await world.make.counts(
    sensor,
    '2026-03-01',
    hours(hour => hour >= 5 && hour !== 7 && (hour < 10 || hour >= 14)),
  )
  await world.make.counts(
    sensor,
    '2026-03-02',
    hours(hour => hour < 10),
  )
  await world.make.setAside(sensor, '2026-03-01T10:00:00+01:00', '2026-03-01T12:00:00+01:00')
  const checks = [
    'sensor,checked_at,status',
    'SN-G,2026-03-01T12:10+01:00,offline',
    'SN-G,2026-03-01T12:25+01:00,offline',
    'SN-G,2026-03-01T12:40+01:00,healthy',
    'SN-G,2026-03-02T14:00+01:00,offline',
  ]
  await importFile(world.owner, 'health', Readable.from([checks.join('\n')]))
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
  expect(gaps[0]?.sensor_id).toBeNull()
})

test('counts that were removed after their day was over are erased, until they come again', async () => {
  const asset = await world.make.asset({ company })
  const sensor = await world.make.sensor({ asset, grain: 'hour' })
  const remove = () =>
    world.owner.query('DELETE FROM sensor_days WHERE sensor = $1 AND date = $2', [sensor.number, '2026-03-01'])
  for (const date of ['2026-03-01', '2026-03-02']) await world.make.counts(sensor, date, () => 1)
  await remove()
  const wholeDay = '03-01T00:00 – 03-02T00:00'
  expect(brief(await readGaps(asset, '2026-03-01', '2026-03-02'))).toEqual([`${wholeDay} erased 24`])
  await world.make.counts(sensor, '2026-03-01', hour => (hour === 3 ? MISSING : 1))
  expect(brief(await readGaps(asset, '2026-03-01'))).toEqual(['03-01T03:00 – 03-01T04:00 erased 1'])
  await remove()
  await world.make.counts(sensor, '2026-03-01', () => 1)
  expect(await readGaps(asset, '2026-03-01', '2026-03-02')).toEqual([])
})

test('a sensor that delivers elsewhere, or later, has no gap for it; the future is not delivered', async () => {
  const [first, second] = [await world.make.asset({ company }), await world.make.asset({ company })]
  const sensor = await world.make.sensor({ asset: second, grain: 'day', installed_at: '2026-03-02T12:00:00+01:00' })
  await world.make.installation(sensor, first, '2026-03-01T00:00:00+01:00', '2026-03-02T12:00:00+01:00')
  expect(brief(await readGaps(first, '2026-03-01', '2026-03-02'))).toEqual([
    '03-01T00:00 – 03-03T00:00 not_delivered 2',
  ])
  await world.make.counts(sensor, '2026-03-03', () => 5)
  expect(brief(await readGaps(first, '2026-03-01', '2026-03-02'))).toEqual(['03-01T00:00 – 03-03T00:00 unknown 2'])
  // The day of the move begins before it, and belongs to the first asset.
  expect(brief(await readGaps(second, '2026-03-02', '2026-03-03'))).toEqual(['03-02T00:00 – 03-03T00:00 no_sensor 0'])
  expect(brief(await readGaps(second, '2099-01-01'))).toEqual(['01-01T00:00 – 01-02T00:00 not_delivered 1'])
})

test('that a sensor counts on at an asset of another company does not show', async () => {
  const other = await world.make.company()
  const [asset, elsewhere] = [await world.make.asset({ company }), await world.make.asset({ company: other })]
  const sensor = await world.make.sensor({
    asset: elsewhere,
    grain: 'day',
    installed_at: '2026-03-02T00:00:00+01:00',
  })
  await world.make.installation(sensor, asset, '2026-03-01T00:00:00+01:00', '2026-03-02T00:00:00+01:00')
  await world.make.counts(sensor, '2026-03-03', () => 5)
  expect(brief(await readGaps(asset, '2026-03-01'))).toEqual(['03-01T00:00 – 03-02T00:00 not_delivered 1'])
  const ofBoth = await world.make.key([company, other])
  expect(brief(await readGaps(asset, '2026-03-01', '2026-03-01', ofBoth))).toEqual([
    '03-01T00:00 – 03-02T00:00 unknown 1',
  ])
})

/** Each line is a file of its kind, or a command. */
const LATER = [
  'impressions sensor,start,impressions SN,2025-04-06T07:00Z,5 SN,2025-04-07T07:00Z,6',
  'health sensor,checked_at,status SN,2025-04-06T07:05Z,offline',
  'health sensor,checked_at,status SN,2025-04-06T07:03Z,healthy',
  'set-aside impressions --sensor SN --from 2025-04-06T07:00Z --to 2025-04-08T07:00Z --reason bus --yes',
  'note add --sensor SN --from 2025-04-07 --kind caveat --text Fog',
]
const EARLIER = [
  'impressions sensor,start,impressions SN,2025-04-05T04:00Z,5 SN,2025-04-06T04:00Z,6',
  'health sensor,checked_at,status SN,2025-04-06T06:50Z,offline',
  'health sensor,checked_at,status SN,2025-04-06T06:55Z,healthy',
  'set-aside impressions --sensor SN --from 2025-04-04T04:00Z --to 2025-04-06T07:00Z --reason bus --yes',
  'note add --sensor SN --from 2025-04-04 --to 2025-04-05 --kind caveat --text Fog',
]

test.each([
  ['before', 'day', LATER],
  ['before', 'hour', LATER],
  ['after', 'day', EARLIER],
  ['after', 'hour', EARLIER],
] as const)(
  'an asset says nothing of its sensor at the asset of another company %s a move (grain %s)',
  async (side, grain, steps) => {
    const other = await world.make.company()
    const [toronto, vancouver] = (await Promise.all(
      (['America/Toronto', 'America/Vancouver'] as const).map((time_zone, i) =>
        world.make.asset({ company: (i === 0) === (side === 'before') ? company : other, time_zone }),
      ),
    )) as [MadeAsset, MadeAsset]
    const moved = '2025-04-06T07:00:00Z'
    const serial = `moved-${side}-${grain}`
    const sensor = await world.make.sensor({ asset: vancouver, grain, serial, installed_at: moved })
    await world.make.installation(sensor, toronto, '2025-04-01T04:00:00Z', moved)
    const asset = side === 'before' ? toronto : vancouver
    const [ownCheck, ownStretch] = side === 'before' ? ['T05:00Z', '02T04:00Z'] : ['T08:30Z', '12T07:00Z']
    const env = { DATABASE_URL: world.database.ownerUrl, METRICS_ENV: 'dev' }
    const execute = async (step: string) => {
      const [command, ...rest] = step.replaceAll('SN', serial).split(' ') as [string, ...string[]]
      const isFile = command === 'impressions' || command === 'health'
      const args = isFile ? ['import', command, '-'] : [command, ...rest]
      expect([step, await run(args, env, isFile ? rest.join('\n') : '')]).toEqual([
        step,
        expect.objectContaining({ code: 0 }),
      ])
    }
    const read = async () => {
      const range = 'from_date=2025-04-01&to_date=2025-04-14'
      const paths = [
        `gaps?asset_ids=${asset.id}&`,
        `notes?asset_ids=${asset.id}&`,
        `assets/${asset.id}/impressions/gaps?`,
      ]
      return Promise.all(paths.map(async path => (await world.get(`/v1/partner/${path}${range}`, { key })).text))
    }
    await execute(`health sensor,checked_at,status SN,2025-04-06${ownCheck},offline`)
    await execute(
      `set-aside impressions --sensor SN --from 2025-04-${ownStretch} --to 2025-04-${ownStretch.replace('2T', '3T')} --reason fair --yes`,
    )
    const before = await read()
    expect(before[0]).toContain('set_aside')
    expect(before[0]).toContain('sensor_offline')
    for (const step of steps) {
      await execute(step)
      expect([step, await read()]).toEqual([step, before])
    }
  },
)

test('every null of the demo has a reason', async () => {
  const now = Date.UTC(2026, 10, 25, 12)
  const { service: demo, keyOf } = await startDemoAt(now, 40)
  try {
    const analyst = keyOf('analyst')
    const read = async (path: string) => (await demo.get(path, { key: analyst })).body
    const { data: assets } = await read('/v1/partner/assets?limit=500')
    let found = 0
    for (const { id } of assets) {
      const { nulls, unexplained } = await findUnexplained(read, id, '2026-10-10', '2026-11-30')
      expect(unexplained).toEqual([])
      found += nulls
    }
    expect(found).toBeGreaterThan(1_000)
  } finally {
    await demo.stop()
  }
}, 60_000)

describe('the gaps of many assets', () => {
  let assets: MadeAsset[]
  const ids = () => assets.map(({ id }) => id).join()
  beforeAll(async () => {
    const ids = ['gapsasset1', 'gapsasset2', 'gapsasset3']
    assets = await Promise.all(ids.map(id => world.make.asset({ company, id })))
    const sensor = await world.make.sensor({ asset: assets[1] as MadeAsset, grain: 'minute' })
    const dates = Array.from({ length: 290 }, (_, i) => new Date(Date.UTC(2025, 0, 1 + i)).toISOString().slice(0, 10))
    // On the day that clocks are set back, too.
    await world.make.together(async make => {
      for (const date of dates) await make.counts(sensor, date, minute => (minute % 2 === 0 ? 1 : MISSING))
    })
  })

  test('are read in pages of assets, and in one response as CSV, NDJSON and Parquet', async () => {
    const range = `from_date=2025-01-01&to_date=2025-01-01&asset_ids=${ids()}`
    const pages: GapRow[][] = []
    let cursor = ''
    do {
      const { data, pagination } = await world.read(`/v1/partner/gaps?${range}&limit=1${cursor}`, key)
      pages.push(data)
      cursor = pagination.cursor ? `&cursor=${pagination.cursor}` : ''
    } while (cursor)
    expect(pages.map(({ length }) => length)).toEqual([1, 720, 1])
    expect(pages.flat()).toEqual((await world.read(`/v1/partner/gaps?${range}`, key)).data)
    const { text } = await world.get(`/v1/partner/gaps?${range}&output=csv`, { key })
    const lines = text.trimEnd().split('\r\n')
    expect(lines).toHaveLength(1 + 722)
    expect(lines.slice(0, 2)).toEqual([
      'asset_id,sensor_id,from,to,expected,missing,reason',
      'gapsasset1,,2025-01-01T00:00:00+01:00,2025-01-02T00:00:00+01:00,0,0,no_sensor',
    ])
    const ndjson = await world.get(`/v1/partner/gaps?${range}&output=ndjson`, { key })
    expect(
      ndjson.text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual(pages.flat())
    expect((await world.get(`/v1/partner/gaps?${range}&output=parquet`, { key })).status).toBe(200)
  })

  test('are found by the filters of assets, and an asset out of scope is not found', async () => {
    const other = await world.make.asset()
    const { status } = await world.get(
      `/v1/partner/gaps?from_date=2025-01-01&to_date=2025-01-01&asset_ids=${other.id}`,
      { key },
    )
    expect(status).toBe(404)
    const path = `/v1/partner/assets/${other.id}/impressions/gaps?from_date=2025-01-01&to_date=2025-01-01`
    expect((await world.get(path, { key })).status).toBe(404)
    expect((await world.read('/v1/partner/gaps?from_date=2025-01-01&to_date=2025-01-01&country=FR', key)).data).toEqual(
      [],
    )
  })

  test.each([
    ['from_date=2025-01-01&to_date=2026-03-05&limit=500&', 'max_days', 400],
    ['from_date=2025-01-01&to_date=2025-10-17&limit=3&', 'max_days', 145],
    ['from_date=2010-01-01&to_date=2025-10-17&limit=1&', 'max_days', 3660],
  ])('are refused where they are too many: %s', async (range, detail, value) => {
    const { status, body } = await world.get(`/v1/partner/gaps?${range}asset_ids=${ids()}`, { key })
    expect([status, body.error.code, body.error.details[detail]]).toEqual([400, 'RANGE_TOO_LARGE', value])
  })

  test('are the same in GraphQL, up to 1,000 of an asset', async () => {
    const select = `impressions(fromDate: "2025-01-01", toDate: $to) { gaps { rows {
      asset_id: assetId sensor_id: sensorId from to expected missing reason } } }`
    const ask = async (to: string) => {
      const query = `query ($ids: [ID!], $to: Date!) { assets(limit: 3, filter: { id: $ids }) { nodes { ${select} } } }`
      const variables = { ids: assets.map(({ id }) => id), to }
      const body = JSON.stringify({ query, variables })
      const headers = { 'Content-Type': 'application/json' }
      return (await world.get('/graphql', { key, method: 'POST', headers, body })).body
    }
    const { data } = await ask('2025-01-01')
    const rows = data.assets.nodes.flatMap(
      (node: { impressions: { gaps: { rows: GapRow[] } } }) => node.impressions.gaps.rows,
    )
    expect(rows).toEqual(
      (await world.read(`/v1/partner/gaps?from_date=2025-01-01&to_date=2025-01-01&asset_ids=${ids()}`, key)).data,
    )
    expect((await ask('2025-01-02')).errors[0].extensions.code).toBe('RANGE_TOO_LARGE')
  })
})
