import { Readable } from 'node:stream'
import { importFile } from '../../../imports/import-file'
import type { Kind } from '../../../imports/kind-names'
import { World } from '../../support/world'

describe('an asset with daily counts', () => {
  let world: World
  let key: string
  let asset: string

  beforeAll(async () => {
    world = await World.open()
    const company = await world.make.company()
    key = await world.make.key([company])
    const made = await world.make.asset({ company, time_zone: 'Europe/Berlin' })
    asset = made.id
    await run('vendors', 'name,own,finest_grain', 'Days,false,day')
    await run('sensors', 'serial,model,vendor_id,asset_id,installed_at', `D1,M,Days,${asset},2025-10-24T10:00`)
    await run('impressions', 'sensor,start,impressions', 'D1,2025-10-25,30', 'D1,2025-10-26,50')
  })
  afterAll(() => world.stop())

  async function run(kind: Kind, ...lines: string[]): Promise<void> {
    const figures = await importFile(world.owner, kind, Readable.from([lines.join('\n')]))
    expect(figures).toMatchObject({ rejected: 0, unchanged: 0 })
  }

  const range = 'from_date=2025-10-24&to_date=2025-10-27'
  const impressions = async (path: string) =>
    (await world.get(`/v1/partner/assets/${asset}/impressions/${path}${range}`, { key })).body

  test('has one expected interval for each day that begins while the sensor is installed', async () => {
    expect(await impressions('daily?')).toEqual({
      data: [
        { date: '2025-10-24', impressions: null, coverage: 0 },
        { date: '2025-10-25', impressions: 30, coverage: 1 },
        { date: '2025-10-26', impressions: 50, coverage: 1 },
        { date: '2025-10-27', impressions: null, coverage: 0 },
      ],
      total: 80,
      average: 40,
    })
    expect((await impressions('timeseries?grain=month&')).data).toMatchObject([{ impressions: 80, coverage: 0.6667 }])
    expect((await impressions('timeseries?grain=day&')).data).toHaveLength(4)
    expect(await impressions('summary?')).toMatchObject({ total: 80 })
  })

  test.each(['hourly?', 'timeseries?grain=hour&', 'timeseries?grain=minute&'])(
    'has no grain finer than a day: %s',
    async path => {
      const { error } = await impressions(path)
      expect(error).toMatchObject({ code: 'GRAIN_NOT_AVAILABLE', details: { finest_grain: 'day' } })
    },
  )

  test('names its grain, and so does its sensor', async () => {
    const { body } = await world.get(`/v1/partner/assets/${asset}`, { key })
    expect(body.finest_grain).toBe('day')
    const sensors = await world.get(`/v1/partner/sensors?asset_id=${asset}`, { key })
    expect(sensors.body.data).toMatchObject([{ finest_grain: 'day' }])
  })

  test('has one row at midnight in the minutes of the legacy interface', async () => {
    const { body } = await world.get(`/v1/metrics/assets/${asset}/per-minute?date=2025-10-26`, { key })
    expect(body.analytics).toEqual({ total: 50, average: 50, data: [{ time: '00:00', impressions: 50 }] })
  })
})
