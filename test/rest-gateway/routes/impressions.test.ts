import { MISSING } from '../../../db/calendar/packed-counts'
import type { Made, MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let key: string
let company: Made

beforeAll(async () => {
  world = await World.open()
  company = await world.make.company()
  key = await world.make.key([company])
})
afterAll(() => world.stop())

const read = (asset: MadeAsset, route: string, from: string, to = from) =>
  world.read(
    `/v1/partner/assets/${asset.id}/impressions/${route}${route.includes('?') ? '&' : '?'}from_date=${from}&to_date=${to}`,
    key,
  )

const assetIn = (time_zone: string) => world.make.asset({ company, time_zone })

describe('on the day of a clock change', () => {
  test('Berlin has two passes of the repeated hour, each with its own UTC offset', async () => {
    const asset = await assetIn('Europe/Berlin')
    const sensor = await world.make.sensor({ asset, grain: 'quarter_hour' })
    await world.make.counts(sensor, '2026-10-25', i => i)
    const { data } = await read(asset, 'timeseries?grain=quarter_hour', '2026-10-25')
    expect(data).toHaveLength(100)
    expect(data[9]).toEqual({ start: '2026-10-25T02:15:00+02:00', impressions: 9, coverage: 1 })
    expect(data[13]).toEqual({ start: '2026-10-25T02:15:00+01:00', impressions: 13, coverage: 1 })
    const hourly = await read(asset, 'hourly', '2026-10-25')
    expect(hourly.data.slice(1, 4).map(({ start }: { start: string }) => start)).toEqual([
      '2026-10-25T01:00:00+02:00',
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:00:00+01:00',
    ])
  })

  test('Lord Howe Island has an hour of 30 minutes from its half-hour change', async () => {
    const asset = await assetIn('Australia/Lord_Howe')
    const sensor = await world.make.sensor({ asset, grain: 'minute' })
    await world.make.counts(sensor, '2026-04-05', () => 1)
    const { data, total } = await read(asset, 'hourly', '2026-04-05')
    expect(total).toBe(1470)
    expect(data).toHaveLength(25)
    expect(data.slice(1, 4)).toEqual([
      { start: '2026-04-05T01:00:00+11:00', impressions: 60, coverage: 1 },
      { start: '2026-04-05T01:30:00+10:30', impressions: 30, coverage: 1 },
      { start: '2026-04-05T02:00:00+10:30', impressions: 60, coverage: 1 },
    ])
  })
})

describe('the rows of a series', () => {
  test('of the first and last week, month or quarter are cut off at the limits of the range', async () => {
    const asset = await assetIn('Europe/Berlin')
    const sensor = await world.make.sensor({ asset, grain: 'hour' })
    for (const date of ['2026-03-31', '2026-04-01', '2026-04-06']) await world.make.counts(sensor, date, () => 1)
    const starts = async (grain: string) => {
      const { data } = await read(asset, `timeseries?grain=${grain}`, '2026-03-31', '2026-04-12')
      return data.map((row: { start: string; impressions: number }) => [row.start.slice(0, 10), row.impressions])
    }
    expect(await starts('week')).toEqual([
      ['2026-03-31', 48],
      ['2026-04-06', 24],
    ])
    expect(await starts('month')).toEqual([
      ['2026-03-31', 24],
      ['2026-04-01', 48],
    ])
    expect(await starts('quarter')).toEqual([
      ['2026-03-31', 24],
      ['2026-04-01', 48],
    ])
  })

  test('distinguish missing data from zero, and include future days', async () => {
    const asset = await assetIn('Asia/Kathmandu')
    const sensor = await world.make.sensor({ asset, grain: 'hour' })
    await world.make.counts(sensor, '2026-01-01', i => (i === 0 ? 0 : MISSING))
    const { data, total, average } = await read(asset, 'hourly', '2026-01-01')
    expect(data[0]).toEqual({ start: '2026-01-01T00:00:00+05:45', impressions: 0, coverage: 1 })
    expect(data[1]).toEqual({ start: '2026-01-01T01:00:00+05:45', impressions: null, coverage: 0 })
    expect([total, average]).toEqual([0, 0])
    const future = await read(asset, 'daily', '2199-12-31', '2200-01-01')
    expect(future.data).toEqual([
      { date: '2199-12-31', impressions: null, coverage: 0 },
      { date: '2200-01-01', impressions: null, coverage: 0 },
    ])
  })
})

describe('the summary', () => {
  test('names the busiest day, or the earliest of several', async () => {
    const asset = await assetIn('Europe/Berlin')
    const sensor = await world.make.sensor({ asset, grain: 'hour' })
    for (const [date, count] of [
      ['2026-01-02', 1],
      ['2026-01-03', 2],
      ['2026-01-05', 2],
    ] as const) {
      await world.make.counts(sensor, date, () => count)
    }
    expect(await read(asset, 'summary', '2026-01-01', '2026-01-10')).toEqual({
      data: [
        {
          from_date: '2026-01-01',
          to_date: '2026-01-10',
          days: 10,
          days_with_data: 3,
          impressions: 120,
          average_daily_impressions: 40,
          busiest_date: '2026-01-03',
          busiest_date_impressions: 48,
          coverage: 0.3,
        },
      ],
      total: 120,
      average: 40,
    })
  })

  test('of an asset without data has a count of 0 and no busiest day', async () => {
    const asset = await assetIn('Europe/Berlin')
    const { data, total, average } = await read(asset, 'summary', '2026-01-01')
    expect(data).toEqual([
      {
        from_date: '2026-01-01',
        to_date: '2026-01-01',
        days: 1,
        days_with_data: 0,
        impressions: 0,
        average_daily_impressions: 0,
        busiest_date: null,
        busiest_date_impressions: null,
        coverage: 0,
      },
    ])
    expect([total, average]).toEqual([0, 0])
  })
})

describe('the finest grain', () => {
  const readGrain = async (asset: MadeAsset, grain: string, from: string, to = from) => {
    const path = `/v1/partner/assets/${asset.id}/impressions/timeseries?grain=${grain}&from_date=${from}&to_date=${to}`
    const { status, body } = await world.get(path, { key })
    return status === 200 ? 'accepted' : [body.error.code, body.error.details.finest_grain]
  }

  test('is a minute if all sensors that are installed in the range count minutes', async () => {
    const asset = await assetIn('Europe/Berlin')
    await world.make.sensor({ asset, grain: 'minute' })
    expect(await readGrain(asset, 'minute', '2026-01-01')).toBe('accepted')
    await world.make.sensor({
      asset,
      grain: 'quarter_hour',
      installed_at: '2026-02-01T00:00:00+01:00',
      removed_at: '2026-03-01T00:00:00+01:00',
    })
    expect(await readGrain(asset, 'minute', '2026-01-31')).toBe('accepted')
    expect(await readGrain(asset, 'minute', '2026-01-31', '2026-02-01')).toEqual([
      'GRAIN_NOT_AVAILABLE',
      'quarter_hour',
    ])
    expect(await readGrain(asset, 'minute', '2026-02-28')).toEqual(['GRAIN_NOT_AVAILABLE', 'quarter_hour'])
    expect(await readGrain(asset, 'minute', '2026-03-01')).toBe('accepted')
    expect(await readGrain(asset, 'quarter_hour', '2026-02-01')).toBe('accepted')
  })

  test('is an hour if a sensor counts hours, and a quarter hour without sensors', async () => {
    const asset = await assetIn('Europe/Berlin')
    expect(await readGrain(asset, 'minute', '2026-01-01')).toEqual(['GRAIN_NOT_AVAILABLE', 'quarter_hour'])
    expect(await readGrain(asset, 'quarter_hour', '2026-01-01')).toBe('accepted')
    await world.make.sensor({ asset, grain: 'hour' })
    expect(await readGrain(asset, 'quarter_hour', '2026-01-01')).toEqual(['GRAIN_NOT_AVAILABLE', 'hour'])
    expect(await readGrain(asset, 'hour', '2026-01-01')).toBe('accepted')
  })
})

test('a bucket with impressions has a coverage above 0, even if only one minute of it was observed', async () => {
  const asset = await assetIn('Europe/Berlin')
  const sensor = await world.make.sensor({ asset, grain: 'minute' })
  await world.make.counts(sensor, '2026-02-10', minute => (minute === 720 ? 5 : MISSING))
  const QUARTER = ['2026-01-01', '2026-03-31'] as const
  for (const route of ['timeseries?grain=quarter', 'timeseries?grain=month', 'summary']) {
    const { data } = await read(asset, route, ...QUARTER)
    const observed = data.filter(({ impressions }: { impressions: number | null }) => impressions === 5)
    expect([route, observed]).toEqual([route, [expect.objectContaining({ coverage: 0.0001 })]])
  }
  const range = `asset_ids=${asset.id}&from_date=${QUARTER[0]}&to_date=${QUARTER[1]}`
  for (const query of ['grain=quarter', 'group_by=asset']) {
    const { data } = await world.read(`/v1/partner/impressions/aggregate?${range}&${query}`, key)
    expect([query, data[0].coverage]).toEqual([query, 0.0001])
  }
})

test('the counts of a sensor that moved stay with the asset where they were measured', async () => {
  const [before, after] = [await assetIn('Europe/Berlin'), await assetIn('America/New_York')]
  const sensor = await world.make.sensor({ asset: before, grain: 'hour', installed_at: '2026-01-01T00:00:00+01:00' })
  await world.make.counts(sensor, '2026-01-01', () => 2)
  await world.owner.query(`UPDATE installations SET removed_at = '2026-01-03T00:00:00+01:00' WHERE sensor = $1`, [
    sensor.number,
  ])
  await world.make.installation(sensor, after, '2026-01-03T00:00:00+01:00', null)
  await world.owner.query(`UPDATE sensors SET asset = $2, installed_at = '2026-01-03T00:00:00+01:00' WHERE id = $1`, [
    sensor.id,
    after.number,
  ])
  await world.make.counts({ ...sensor, asset: after }, '2026-01-03', () => 3)
  const coverage = async (asset: MadeAsset) =>
    (await read(asset, 'daily', '2026-01-01', '2026-01-04')).data.map(
      (row: { impressions: number; coverage: number }) => [row.impressions, row.coverage],
    )
  expect(await coverage(before)).toEqual([
    [48, 1],
    [null, 0],
    [null, 0],
    [null, 0],
  ])
  expect(await coverage(after)).toEqual([
    [null, 0],
    [null, 0],
    [72, 1],
    [null, 0],
  ])
  expect(await read(before, 'summary', '2026-01-01', '2026-01-04')).toMatchObject({ data: [{ coverage: 0.5 }] })
  const path = `/v1/partner/assets/${before.id}/impressions/timeseries?grain=quarter_hour&from_date=`
  const measured = await world.get(`${path}2026-01-01&to_date=2026-01-01`, { key })
  expect(measured.body.error.details.finest_grain).toBe('hour')
  expect((await world.get(`${path}2026-02-01&to_date=2026-02-01`, { key })).status).toBe(200)
})
