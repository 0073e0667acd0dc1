import type { MadeAsset } from '../support/factories'
import { refused, stored, unchanged } from '../support/outcomes'
import { World } from '../support/world'

describe('counts of a sensor on the date of its move', () => {
  let world: World
  let from: MadeAsset
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(() => world.clear())

  const give = (rows: readonly string[], options = {}) =>
    world.import('impressions', ['sensor,start,impressions', ...rows.map(row => `S1,${row}`)], options)
  /** Installs a sensor at an asset in one time zone, and moves it to one in another. */
  const move = async (grain: 'day' | 'hour', zones: readonly [string, string], at: string, removed?: string) => {
    from = await world.make.asset({ name: 'from', time_zone: zones[0] })
    const to = await world.make.asset({ name: 'to', time_zone: zones[1], company: { number: from.company, id: '' } })
    await world.make.sensor({ asset: from, grain, serial: 'S1', installed_at: '2020-01-01T00:00:00Z' })
    if (removed) await world.import('sensors', ['serial,asset_id,installed_at', `S1,,${removed}`])
    await world.import('sensors', ['serial,asset_id,installed_at', `S1,${to.id},${at}`])
  }
  const counts = async () =>
    (await world.days()).map(({ asset, date, counts: all }) => `${asset} ${date} ${all.filter(count => count >= 0)}`)

  const WEST = ['America/Toronto', 'America/Vancouver'] as const
  const TWO_ASSETS =
    /^\d+: (sensor "S1": )?start is on a date on which the sensor was at two assets \(it was moved 2025-04-06T\S+\): give the start of the day with an offset, which says at which$/

  test.each([
    ['at the midnight of its new asset', WEST, '2025-04-06T07:00Z', undefined],
    ['in the middle of the day', ['Europe/Berlin', 'Europe/Berlin'], '2025-04-06T10:00Z', undefined],
    ['after a gap', ['Europe/Berlin', 'Europe/Berlin'], '2025-04-06T15:00Z', '2025-04-06T10:00Z'],
    ['to another zone in the middle of the day', WEST, '2025-04-06T15:00Z', undefined],
  ] as const)('need an offset if they are daily: moved %s', async (_, zones, at, removed) => {
    await move('day', zones, at, removed)
    for (const options of [{}, { repeatedHour: 'first' }, { sumToGrain: true }] as const) {
      for (const start of ['2025-04-06', '2025-04-06T00:00']) {
        expect(await give(['2025-04-05,1', `${start},2`, '2025-04-07,3'], options)).toEqual(refused(3, [TWO_ASSETS]))
      }
    }
    const wide = { wide: true, timeZone: 'Asia/Tokyo' }
    expect(await world.import('impressions', ['start,S1', '2025-04-06,2'], wide)).toEqual(refused(1, [TWO_ASSETS]))
    expect(await give(['2025-04-06,'])).toEqual(unchanged(1))
    const offset = zones[0] === 'Europe/Berlin' ? '+02:00' : '-04:00'
    expect(await give(['2025-04-05,1', `2025-04-06T00:00${offset},2`, '2025-04-07,3'])).toEqual(stored(3))
    expect((await counts()).sort()).toEqual(['from 2025-04-05 1', 'from 2025-04-06 2', 'to 2025-04-07 3'])
  })

  test('belong to either asset by their offset', async () => {
    await move('day', WEST, '2025-04-06T07:00Z')
    expect(await give(['2025-04-06T00:00-04:00,206', '2025-04-06T00:00-07:00,306'])).toEqual(stored(2))
    expect(await counts()).toEqual(['from 2025-04-06 206', 'to 2025-04-06 306'])
  })

  test('are daily at one asset alone if the sensor moves at the midnight of both', async () => {
    await move('day', ['Europe/Berlin', 'Europe/Paris'], '2025-04-05T22:00Z')
    expect(await give(['2025-04-05,1', '2025-04-06,2'])).toEqual(stored(2))
    expect(await counts()).toEqual(['from 2025-04-05 1', 'to 2025-04-06 2'])
  })

  test('need an offset where the clocks of both assets show their time, or neither does', async () => {
    await move('hour', WEST, '2025-04-06T07:00Z')
    const twice = /local time at each of two assets, because the sensor was moved: give it an offset/
    for (const options of [{}, { repeatedHour: 'second' }] as const) {
      const rows = ['2025-04-06T00:00,1', '2025-04-06T01:00,2', '2025-04-06T00:00,3', '2025-04-06T04:00,4']
      expect(await give(rows, options)).toEqual(refused(4, [twice, twice, twice]))
    }
    expect(await give(['2025-04-06T00:00-04:00,1', '2025-04-06T01:00-04:00,2', '2025-04-06T00:00-07:00,4'])).toEqual(
      stored(3),
    )
    expect(await counts()).toEqual(['from 2025-04-06 1,2', 'to 2025-04-06 4'])
    await world.clear()
    await move('hour', [WEST[1], WEST[0]], '2025-04-06T07:00Z')
    const never = /none of its assets had while the sensor was there, because it was moved: give it an offset/
    expect(await give(['2025-04-06T01:00,1', '2025-04-06T01:00,'], { skippedHour: 'drop' })).toMatchObject({
      ...refused(2, [never]),
    })
  })

  test('add up to the days that have all hours', async () => {
    await move('day', WEST, '2025-04-06T07:00Z')
    const hour = (i: number) => `${new Date(Date.UTC(2025, 3, 6, 4 + i)).toISOString()},1`
    const hours = Array.from({ length: 27 }, (_, i) => hour(i))
    // Toronto had three hours of its day.
    expect(await give(hours, { sumToGrain: true })).toEqual({ ...stored(24), read: 27, dropped: 3 })
    expect(await counts()).toEqual(['to 2025-04-06 24'])
    await world.clear()
    await move('day', WEST, '2025-04-06T15:00Z')
    const begun = /part of an interval that began before the sensor was moved to this asset$/
    expect(await give(hours, { sumToGrain: true })).toEqual(refused(27, [begun, begun, begun]))
    expect(await give(hours.slice(0, 24), { sumToGrain: true })).toEqual(stored(24))
    expect(await counts()).toEqual(['from 2025-04-06 24'])
  })
})
