import fc from 'fast-check'
import { MISSING } from '../../../db/calendar/packed-counts'
import type { MadeAsset, MadeSensor } from '../../support/factories'
import { intervalStarts, type ModelRow, type ModelSensor, modelRows } from '../../support/impressions-model'
import { Service } from '../../support/service'

let service: Service
let key: string
let company: Awaited<ReturnType<Service['make']['company']>>

beforeAll(async () => {
  service = await Service.start()
  company = await service.make.company()
  key = await service.make.key([company])
})
afterAll(() => service.stop())

const read = (asset: MadeAsset, what: string, from: string, to = from) =>
  service.read(
    `/v1/partner/assets/${asset.id}/impressions/${what}${what.includes('?') ? '&' : '?'}from_date=${from}&to_date=${to}`,
    key,
  )

const assetIn = (time_zone: string) => service.make.asset({ company, time_zone })

const GRAINS = ['minute', 'quarter_hour', 'hour', 'day', 'week', 'month', 'quarter'] as const

const average = (total: number, count: number) => (count === 0 ? 0 : Math.round((total * 100) / count) / 100)

/** What the route has to answer for these rows. */
const answer = (model: ModelRow[], name: 'start' | 'date') => {
  const counts = model.flatMap(({ impressions }) => impressions ?? [])
  const total = counts.reduce((sum, count) => sum + count, 0)
  const data = model.map(row => ({ [name]: row[name], impressions: row.impressions, coverage: row.coverage }))
  return { data, total, average: average(total, counts.length) }
}

describe('impressions of any asset and range', () => {
  const DATES: Record<string, string[]> = {
    'Europe/Berlin': ['2026-03-27', '2026-10-23', '2026-12-30'],
    'America/New_York': ['2026-03-06', '2026-10-30'],
    'Australia/Lord_Howe': ['2026-04-03', '2026-10-02'],
    'Asia/Kathmandu': ['2026-01-30'],
    'Pacific/Apia': ['2011-12-28'],
    'America/Havana': ['2026-03-06', '2026-10-30'],
    'America/St_Johns': ['2026-03-06'],
    'Africa/Casablanca': ['2026-02-13'],
  }

  const shape = fc.record({
    zone: fc.constantFrom(...Object.keys(DATES)),
    date: fc.nat(),
    length: fc.integer({ min: 1, max: 5 }),
    sensors: fc.array(
      fc.record({
        grain: fc.constantFrom('minute', 'minute', 'quarter_hour', 'hour' as const),
        installedAfterHours: fc.constantFrom(-1000, -1000, 7.3, 30),
        removedAfterHours: fc.constantFrom(null, null, 41.1),
        largest: fc.constantFrom(9, 254, 300, 70_000, 2_147_483_647),
        missing: fc.constantFrom(0, 3, 10),
        seed: fc.nat(),
      }),
      { maxLength: 3 },
    ),
  })

  test('equal those worked out independently, at every grain, and add up to the same total', async () => {
    await fc.assert(
      fc.asyncProperty(shape, async ({ zone, date, length, sensors }) => {
        const dates = DATES[zone] as string[]
        const from = dates[date % dates.length] as string
        const to = new Date(Date.parse(from) + (length - 1) * 86_400_000).toISOString().slice(0, 10)
        const asset = await assetIn(zone)
        const models: ModelSensor[] = []
        for (const { grain, installedAfterHours, removedAfterHours, largest, missing, seed } of sensors) {
          const installed = Date.parse(from) + installedAfterHours * 3_600_000
          const removed = removedAfterHours && installed + removedAfterHours * 3_600_000
          const sensor = await service.make.sensor({
            asset,
            grain,
            installed_at: new Date(installed).toISOString(),
            removed_at: removed ? new Date(removed).toISOString() : null,
          })
          const model: ModelSensor = { minutes: sensor.nativeMinutes, from: installed, to: removed, counts: new Map() }
          for (let day = Date.parse(from); day <= Date.parse(to); day += 2 * 86_400_000) {
            await count(sensor, model, new Date(day).toISOString().slice(0, 10), i =>
              missing > 0 && (i * 7 + seed) % missing === 0 ? MISSING : (i * 7919 + seed) % (largest + 1),
            )
          }
          models.push(model)
        }
        const coarsest = Math.max(...models.map(({ minutes }) => minutes), models.length === 0 ? 15 : 0)
        let total: number | undefined
        for (const grain of GRAINS) {
          const path = `timeseries?grain=${grain}`
          if ((grain === 'minute' && coarsest > 1) || (grain === 'quarter_hour' && coarsest > 15)) {
            const address = `/v1/partner/assets/${asset.id}/impressions/${path}&from_date=${from}&to_date=${to}`
            const { body } = await service.get(address, { key })
            // A sensor whose days all lie elsewhere does not bind this range.
            if (body.error) {
              expect(body.error.code).toBe('GRAIN_NOT_AVAILABLE')
              continue
            }
          }
          const body = await read(asset, path, from, to)
          expect(body).toEqual(answer(modelRows(zone, from, to, grain, models), 'start'))
          total ??= body.total
          expect(body.total).toBe(total)
        }
        const daily = await read(asset, 'daily', from, to)
        expect(daily).toEqual({ ...answer(modelRows(zone, from, to, 'day', models), 'date') })
        expect(await read(asset, 'hourly', from, to)).toEqual(
          answer(modelRows(zone, from, to, 'hour', models), 'start'),
        )
        const summary = await read(asset, 'summary', from, to)
        expect([summary.total, summary.average]).toEqual([daily.total, daily.average])
        expect(summary.data[0].impressions).toBe(total)
      }),
      { numRuns: 25 },
    )
  }, 120_000)

  async function count(
    sensor: MadeSensor,
    model: ModelSensor,
    date: string,
    value: (i: number) => number,
  ): Promise<void> {
    const starts = intervalStarts((sensor.asset as MadeAsset).timeZone, date, sensor.nativeMinutes)
    const counts = starts.map((_, i) => value(i))
    if (starts.length === 0 || counts.every(each => each === MISSING)) return
    await service.make.counts(sensor, date, counts)
    starts.forEach((start, i) => {
      if (counts[i] !== MISSING) model.counts.set(start, counts[i] as number)
    })
  }
})

describe('a day on which the clock changes', () => {
  test('repeats an hour in Berlin, each pass with its own offset', async () => {
    const asset = await assetIn('Europe/Berlin')
    const sensor = await service.make.sensor({ asset, grain: 'quarter_hour' })
    await service.make.counts(sensor, '2026-10-25', i => i)
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

  test('begins an hour at the half-hour change of Lord Howe Island', async () => {
    const asset = await assetIn('Australia/Lord_Howe')
    const sensor = await service.make.sensor({ asset, grain: 'minute' })
    await service.make.counts(sensor, '2026-04-05', () => 1)
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

describe('rows', () => {
  test('of weeks, months and quarters are cut at the ends of the range', async () => {
    const asset = await assetIn('Europe/Berlin')
    const sensor = await service.make.sensor({ asset, grain: 'hour' })
    for (const date of ['2026-03-31', '2026-04-01', '2026-04-06']) await service.make.counts(sensor, date, () => 1)
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

  test('tell missing from zero, and reach into the future', async () => {
    const asset = await assetIn('Asia/Kathmandu')
    const sensor = await service.make.sensor({ asset, grain: 'hour' })
    await service.make.counts(sensor, '2026-01-01', i => (i === 0 ? 0 : MISSING))
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
  test('names the busiest day, the earliest of several', async () => {
    const asset = await assetIn('Europe/Berlin')
    const sensor = await service.make.sensor({ asset, grain: 'hour' })
    for (const [date, count] of [
      ['2026-01-02', 1],
      ['2026-01-03', 2],
      ['2026-01-05', 2],
    ] as const) {
      await service.make.counts(sensor, date, () => count)
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

  test('of an asset without data is one row of nothing', async () => {
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

describe('the grain', () => {
  const grainOf = async (asset: MadeAsset, grain: string, from: string, to = from) => {
    const path = `/v1/partner/assets/${asset.id}/impressions/timeseries?grain=${grain}&from_date=${from}&to_date=${to}`
    const { status, body } = await service.get(path, { key })
    return status === 200 ? 'fine' : [body.error.code, body.error.details.finest_grain]
  }

  test('of minutes is there where every sensor of the range is the own vendor’s', async () => {
    const asset = await assetIn('Europe/Berlin')
    await service.make.sensor({ asset, grain: 'minute' })
    expect(await grainOf(asset, 'minute', '2026-01-01')).toBe('fine')
    await service.make.sensor({
      asset,
      grain: 'quarter_hour',
      installed_at: '2026-02-01T00:00:00+01:00',
      removed_at: '2026-03-01T00:00:00+01:00',
    })
    expect(await grainOf(asset, 'minute', '2026-01-31')).toBe('fine')
    expect(await grainOf(asset, 'minute', '2026-01-31', '2026-02-01')).toEqual(['GRAIN_NOT_AVAILABLE', 'quarter_hour'])
    expect(await grainOf(asset, 'minute', '2026-02-28')).toEqual(['GRAIN_NOT_AVAILABLE', 'quarter_hour'])
    expect(await grainOf(asset, 'minute', '2026-03-01')).toBe('fine')
    expect(await grainOf(asset, 'quarter_hour', '2026-02-01')).toBe('fine')
  })

  test('is an hour at the finest where the hardware counts hours, a quarter hour without sensors', async () => {
    const asset = await assetIn('Europe/Berlin')
    expect(await grainOf(asset, 'minute', '2026-01-01')).toEqual(['GRAIN_NOT_AVAILABLE', 'quarter_hour'])
    expect(await grainOf(asset, 'quarter_hour', '2026-01-01')).toBe('fine')
    await service.make.sensor({ asset, grain: 'hour' })
    expect(await grainOf(asset, 'quarter_hour', '2026-01-01')).toEqual(['GRAIN_NOT_AVAILABLE', 'hour'])
    expect(await grainOf(asset, 'hour', '2026-01-01')).toBe('fine')
  })
})

test('a sensor covers nothing while it is not installed, though what it counts then is counted', async () => {
  const asset = await assetIn('Europe/Berlin')
  const late = await service.make.sensor({ asset, grain: 'hour', installed_at: '2026-02-01T12:00:00+01:00' })
  await service.make.counts(late, '2026-01-31', () => 1)
  await service.make.counts(late, '2026-02-01', () => 1)
  const { data } = await read(asset, 'daily', '2026-01-31', '2026-02-01')
  expect(data).toEqual([
    { date: '2026-01-31', impressions: 24, coverage: 0 },
    { date: '2026-02-01', impressions: 24, coverage: 1 },
  ])
  await service.make.sensor({ asset, grain: 'hour', installed_at: '2026-01-01T00:00:00+01:00' })
  const again = await read(asset, 'daily', '2026-01-31', '2026-02-01')
  expect(again.data.map(({ coverage }: { coverage: number }) => coverage)).toEqual([0, 0.3333])
})

test('a sensor that moved leaves its past days where they were counted', async () => {
  const [before, after] = [await assetIn('Europe/Berlin'), await assetIn('America/New_York')]
  const sensor = await service.make.sensor({ asset: before, grain: 'hour', installed_at: '2026-01-01T00:00:00+01:00' })
  await service.make.counts(sensor, '2026-01-01', () => 2)
  await service.owner.query(
    `INSERT INTO former_installations SELECT number, asset, company, native_minutes, installed_at, '2026-01-03T00:00:00+01:00'
     FROM sensors WHERE id = $1`,
    [sensor.id],
  )
  await service.owner.query(`UPDATE sensors SET asset = $2, installed_at = '2026-01-02T00:00:00-05:00' WHERE id = $1`, [
    sensor.id,
    after.number,
  ])
  await service.make.counts({ ...sensor, asset: after }, '2026-01-03', () => 3)
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
  const then = await service.get(`${path}2026-01-01&to_date=2026-01-01`, { key })
  expect(then.body.error.details.finest_grain).toBe('hour')
  expect((await service.get(`${path}2026-02-01&to_date=2026-02-01`, { key })).status).toBe(200)
})

describe('where the audience lives', () => {
  test('is told by region and by city, most impressions first', async () => {
    const asset = await assetIn('Europe/Berlin')
    const make = (date: string, place: string[], impressions: number) =>
      service.make.origin(asset, date, place, impressions)
    await make('2026-01-01', ['DE', 'DE-BE', 'Berlin'], 10)
    await make('2026-01-02', ['DE', 'DE-BE', 'Berlin'], 10)
    await make('2026-01-02', ['DE', 'DE-BB', 'Potsdam'], 15)
    await make('2026-01-02', ['DE', 'DE-BB', 'Cottbus'], 5)
    await make('2026-01-02', ['AT', 'AT-9', 'Wien'], 20)
    await make('2026-02-02', ['AT', 'AT-9', 'Wien'], 1000)
    expect(await read(asset, 'by-region', '2026-01-01', '2026-01-31')).toEqual({
      data: [
        { country: 'AT', region: 'AT-9', impressions: 20, share: 0.3333 },
        { country: 'DE', region: 'DE-BB', impressions: 20, share: 0.3333 },
        { country: 'DE', region: 'DE-BE', impressions: 20, share: 0.3333 },
      ],
      total: 60,
      average: 30,
    })
    const { data, total, average } = await read(asset, 'by-city', '2026-01-01', '2026-01-31')
    expect(data.map(({ city, impressions, share }: Record<string, unknown>) => [city, impressions, share])).toEqual([
      ['Wien', 20, 0.3333],
      ['Berlin', 20, 0.3333],
      ['Potsdam', 15, 0.25],
      ['Cottbus', 5, 0.0833],
    ])
    expect([total, average]).toEqual([60, 30])
  })

  test('is averaged over the days that have data, each counted once, however long the range is', async () => {
    const asset = await assetIn('Europe/Berlin')
    for (const date of ['2026-01-01', '2026-01-15', '2026-01-31', '2026-02-01']) {
      for (const city of ['Berlin', 'Spandau']) await service.make.origin(asset, date, ['DE', 'DE-BE', city], 10)
    }
    await service.make.origin(asset, '2026-01-15', ['DE', 'DE-BB', 'Potsdam'], 15)
    const averages = async (to: string) =>
      Promise.all(['by-region', 'by-city'].map(async by => (await read(asset, by, '2026-01-01', to)).average))
    expect(await averages('2026-01-01')).toEqual([20, 20])
    expect(await averages('2026-01-31')).toEqual([25, 25])
    expect(await averages('2026-02-01')).toEqual([23.75, 23.75])
    expect(await averages('2026-12-31')).toEqual([23.75, 23.75])
  })

  test('is nothing without data', async () => {
    const nothing = { data: [], total: 0, average: 0 }
    const asset = await assetIn('Europe/Berlin')
    expect(await read(asset, 'by-region', '2026-01-01')).toEqual(nothing)
    expect(await read(asset, 'by-city', '2026-01-01')).toEqual(nothing)
  })
})
