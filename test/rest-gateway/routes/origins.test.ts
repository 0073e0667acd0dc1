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
  world.read(`/v1/partner/assets/${asset.id}/impressions/${route}?from_date=${from}&to_date=${to}`, key)

describe('impressions by origin', () => {
  test('are listed by region and by city, in descending order', async () => {
    const asset = await world.make.asset({ company })
    const make = (date: string, origin: string[], impressions: number) =>
      world.make.origin(asset, date, origin, impressions)
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

  test('are averaged over the days with data, independent of the length of the range', async () => {
    const asset = await world.make.asset({ company })
    for (const date of ['2026-01-01', '2026-01-15', '2026-01-31', '2026-02-01']) {
      for (const city of ['Berlin', 'Spandau']) await world.make.origin(asset, date, ['DE', 'DE-BE', city], 10)
    }
    await world.make.origin(asset, '2026-01-15', ['DE', 'DE-BB', 'Potsdam'], 15)
    const averages = async (to: string) =>
      Promise.all(['by-region', 'by-city'].map(async by => (await read(asset, by, '2026-01-01', to)).average))
    expect(await averages('2026-01-01')).toEqual([20, 20])
    expect(await averages('2026-01-31')).toEqual([25, 25])
    expect(await averages('2026-02-01')).toEqual([23.75, 23.75])
    expect(await averages('2026-12-31')).toEqual([23.75, 23.75])
  })

  test('are empty without data', async () => {
    const empty = { data: [], total: 0, average: 0 }
    const asset = await world.make.asset({ company })
    expect(await read(asset, 'by-region', '2026-01-01')).toEqual(empty)
    expect(await read(asset, 'by-city', '2026-01-01')).toEqual(empty)
  })
})
