import { Readable } from 'node:stream'
import { verify } from '../../../db/verify/verify'
import { importFile } from '../../../imports/import-file'
import type { Kind } from '../../../imports/kind-names'
import type { MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let key: string
let berlin: MadeAsset
let newYork: MadeAsset

beforeAll(async () => {
  world = await World.open()
  const company = await world.make.company()
  key = await world.make.key([company])
  berlin = await world.make.asset({ company })
  newYork = await world.make.asset({ company, time_zone: 'America/New_York' })
  await run('vendors', 'name,own,finest_grain', 'Hour,false,hour', 'Quarter,false,quarter_hour')
  await run('sensors', 'serial,model,vendor_id,asset_id,installed_at', `S,M,Hour,${berlin.id},2026-02-01`)
  const hours = Array.from({ length: 9 * 24 }, (_, i) => new Date(Date.parse('2026-01-31T23:00Z') + i * 3_600_000))
  await run('impressions', 'sensor,start,impressions', ...hours.map(start => `S,${start.toISOString()},10`))
})
afterAll(() => world.stop())

async function run(kind: Kind, ...lines: string[]): Promise<void> {
  const figures = await importFile(world.owner, kind, Readable.from([lines.join('\n')]))
  expect(figures).toMatchObject({ rejected: 0, unchanged: 0 })
}

const get = (asset: MadeAsset, path: string, from: string, to: string, headers = {}) =>
  world.get(`/v1/partner/assets/${asset.id}/impressions/${path}from_date=${from}&to_date=${to}`, { key, headers })

const daily = async (asset: MadeAsset) =>
  (await get(asset, 'daily?', '2026-02-05', '2026-02-10')).body.data.map(
    ({ impressions, coverage }: { impressions: number; coverage: number }) => [impressions, coverage],
  )

test('a move that is reported late shows the same impressions and coverage as one reported in time', async () => {
  const versions: Record<string, string>[] = []
  for (const asset of [berlin, newYork]) {
    const { headers } = await get(asset, 'daily?', '2026-02-05', '2026-02-10')
    versions.push({ 'If-None-Match': headers.etag as string })
  }
  expect(await daily(berlin)).toEqual([...Array(5).fill([240, 1]), [null, 0]])
  await run('sensors', 'serial,asset_id,installed_at', `S,${newYork.id},2026-02-07T06:00+01:00`)
  expect(await daily(berlin)).toEqual([
    [240, 1],
    [240, 1],
    [60, 1],
    [null, 0],
    [null, 0],
    [null, 0],
  ])
  expect(await daily(newYork)).toEqual([
    [null, 0],
    [null, 0],
    [240, 1],
    [240, 1],
    [180, 0.75],
    [null, 0],
  ])
  for (const [i, asset] of [berlin, newYork].entries()) {
    expect((await get(asset, 'daily?', '2026-02-05', '2026-02-10', versions[i])).status).toBe(200)
  }
  const { body } = await world.get(`/v1/partner/sensors?asset_id=${newYork.id}`, { key })
  expect(body.data).toMatchObject([{ serial: 'S', asset_id: newYork.id, installed_at: '2026-02-07T05:00:00Z' }])
  const { body: left } = await world.get(`/v1/partner/assets/${berlin.id}`, { key })
  expect(left).toMatchObject({ sensor_ids: [], measured_from: '2026-02-01', measured_to: '2026-02-07' })
})

test('the grains of a range are those of the hardware that was installed in it', async () => {
  await run('sensors', 'serial,vendor_id,asset_id,installed_at', `S,Quarter,${berlin.id},2026-02-20`)
  await run('impressions', 'sensor,start,impressions', 'S,2026-02-20T00:15,3')
  const quarters = (asset: MadeAsset, from: string, to: string) =>
    get(asset, 'timeseries?grain=quarter_hour&', from, to)
  expect((await quarters(berlin, '2026-02-20', '2026-02-21')).body.total).toBe(3)
  expect((await quarters(berlin, '2026-02-07', '2026-02-21')).body.error).toMatchObject({
    code: 'GRAIN_NOT_AVAILABLE',
    details: { grain: 'quarter_hour', finest_grain: 'hour' },
  })
  expect((await quarters(newYork, '2026-02-19', '2026-02-19')).body.error.code).toBe('GRAIN_NOT_AVAILABLE')
  expect((await get(berlin, 'timeseries?grain=hour&', '2026-02-05', '2026-02-21')).body.total).toBe(240 * 2 + 60 + 3)
  const { body } = await world.get(`/v1/partner/assets/${berlin.id}`, { key })
  expect(body.finest_grain).toBe('quarter_hour')
})

describe('a sensor that is taken away', () => {
  /** The rows that say so of the sensor R, which was installed on 1 February. */
  const REMOVALS = {
    removed_at: ['serial,removed_at', 'R,2026-02-10'],
    'removed_at in the row of its installation': [
      'serial,asset_id,installed_at,removed_at',
      () => `R,${asset.id},2026-02-01,2026-02-10`,
    ],
    'an empty asset_id': ['serial,asset_id,installed_at', 'R,,2026-02-10'],
    'a removed_at in the future': ['serial,removed_at', 'R,2100-01-01'],
  } as const
  let asset: MadeAsset
  let companyKey: string

  const read = async (path: string) => (await world.get(`/v1/partner/${path}`, { key: companyKey })).body
  const states = async () => {
    const record = await read(`assets/${asset.id}`)
    const sensors = await read(`sensors?asset_id=${asset.id}`)
    const legacy = await world.get(`/v1/metrics/assets/${asset.id}?start=2026-02-01&end=2026-02-01`, {
      key: companyKey,
    })
    return {
      serials: sensors.data.map(({ serial }: { serial: string }) => serial),
      ids: record.sensor_ids.length,
      finest_grain: record.finest_grain,
      device_ids: legacy.body.device_ids,
      sensor_status: legacy.body.sensor_status,
    }
  }
  const range = (grain: string, from: string) =>
    read(`assets/${asset.id}/impressions/timeseries?grain=${grain}&from_date=${from}&to_date=${from}`)

  beforeEach(async () => {
    const company = await world.make.company()
    companyKey = await world.make.key([company])
    asset = await world.make.asset({ company })
    const vendors = ['Minute,true,minute', 'Day,false,day']
    await importFile(world.owner, 'vendors', Readable.from([['name,own,finest_grain', ...vendors].join('\n')]))
    const installed = [`R,M,Day,${asset.id},2026-02-01`, `T,M,Minute,${asset.id},2026-03-01`]
    await world.owner.query(
      `DELETE FROM sensor_days d USING sensors s WHERE s.number = d.sensor AND s.serial IN ('R', 'T')`,
    )
    await world.owner.query(`DELETE FROM sensors WHERE serial IN ('R', 'T')`)
    await run('sensors', 'serial,model,vendor_id,asset_id,installed_at', ...installed)
    await run('impressions', 'sensor,start,impressions', 'R,2026-02-01,7')
    const health = ['sensor,checked_at,status', 'R,2026-02-09T00:00Z,offline', 'T,2026-03-09T00:00Z,healthy']
    await run('health', ...(health as [string, ...string[]]))
    await world.owner.query(`UPDATE sensors SET health_checked_at = now() WHERE serial = 'T'`)
  })

  test.each(Object.entries(REMOVALS))('by %s is in no record of its asset any more', async (_, [header, row]) => {
    expect(await states()).toEqual({
      ...{ serials: expect.arrayContaining(['R', 'T']), ids: 2, finest_grain: 'day' },
      ...{ device_ids: ['R', 'T'], sensor_status: 'offline' },
    })
    const before = await read(`assets/${asset.id}/impressions/daily?from_date=2026-01-30&to_date=2026-02-09`)
    const { pagination } = await read('changes?limit=500')
    const { updated_at: since } = await read(`assets/${asset.id}`)
    await run('sensors', header, typeof row === 'string' ? row : row())
    expect(await states()).toEqual({
      ...{ serials: ['T'], ids: 1, finest_grain: 'minute' },
      ...{ device_ids: ['T'], sensor_status: 'online' },
    })
    const { data: changes } = await read(`changes?cursor=${pagination.cursor}`)
    const kinds = changes.map(({ asset_id, kind }: Record<string, string>) => [asset_id, kind])
    expect(kinds).toEqual(
      expect.arrayContaining([
        [asset.id, 'asset'],
        [asset.id, 'sensors'],
      ]),
    )
    const updated = await read(`assets?updated_since=${encodeURIComponent(since)}`)
    expect(
      updated.data.map(({ id, updated_at }: Record<string, string>) => [id, (updated_at as string) > since]),
    ).toEqual([[asset.id, true]])
    // The counts of before are the same.
    expect(await read(`assets/${asset.id}/impressions/daily?from_date=2026-01-30&to_date=2026-02-09`)).toEqual(before)
    expect((await range('hour', '2026-02-05')).error.details).toEqual({ grain: 'hour', finest_grain: 'day' })
    expect((await verify(world.owner, async () => {})).found).toBe(0)
  })

  test('leaves ranges in which none was installed with the same grains, and the error says so', async () => {
    const readAll = async () => [await range('minute', '2026-01-05'), await range('quarter_hour', '2026-01-05')]
    const before = await readAll()
    expect(before).toMatchObject([
      {
        error: {
          message:
            'No sensor was installed on the asset in this range, for which there is nothing finer than quarter_hour.',
          details: { finest_grain: 'quarter_hour' },
        },
      },
      { total: 0 },
    ])
    await run('sensors', 'serial,removed_at', 'R,2026-02-10', 'T,2026-03-10')
    expect(await readAll()).toEqual(before)
    expect(await states()).toMatchObject({ serials: [], finest_grain: null, sensor_status: 'unknown' })
    expect((await range('minute', '2026-03-05')).total).toBe(0)
  })
})
