import type { MadeSensor } from '../support/factories'
import { refused, stored, unchanged } from '../support/outcomes'
import { World } from '../support/world'

const EXPECTED_FORMS = ' like 2026-03-01T08:00:00+01:00 or 2026-03-01 08:00'

describe('impressions', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(() => world.clear())

  const HEADER = 'sensor,start,impressions'
  const sensorIn = async (zone: string, grain: 'minute' | 'quarter_hour' | 'hour' = 'minute'): Promise<MadeSensor> => {
    return world.make.together(async make =>
      make.sensor({ asset: await make.asset({ name: zone, time_zone: zone }), grain, serial: 'S1' }),
    )
  }
  const give = (rows: string[], options = {}) => world.import('impressions', [HEADER, ...rows], options)
  /** The counts of each stored day by interval, without missing ones. */
  const counts = async () =>
    (await world.days()).map(day => [
      day.date,
      Object.fromEntries([...day.counts.entries()].filter(([, count]) => count >= 0)),
    ])

  test('are stored by sensor and local day, with totals, hours and the number of observed intervals', async () => {
    await sensorIn('Europe/Berlin')
    const rows = [
      'S1,2026-03-01T00:00,5',
      'S1,2026-03-01T00:59,0',
      'S1,2026-03-01 23:59:00.000,2147483647',
      'S1,2026-03-02T12:00,7',
    ]
    expect(await give(rows, { interval: 'minute' })).toEqual(stored(4))
    const [first, second] = await world.days()
    expect(await counts()).toEqual([
      ['2026-03-01', { 0: 5, 59: 0, 1439: 2147483647 }],
      ['2026-03-02', { 720: 7 }],
    ])
    expect(first).toMatchObject({ impressions: 2147483652, observed: 3 })
    expect(first?.sums).toEqual([5, ...Array(22).fill(-1), 2147483647])
    expect(first?.observedIn).toEqual([2, ...Array(22).fill(0), 1])
    expect(second).toMatchObject({ impressions: 7, observed: 1 })
    expect(await world.rows('SELECT measured_from, measured_to FROM asset_versions')).toEqual([
      { measured_from: '2026-03-01', measured_to: '2026-03-02' },
    ])
    const [before] = await world.rows('SELECT updated_at FROM assets')
    expect(await give(rows, { interval: 'minute' })).toEqual(unchanged(4))
    expect(await world.rows('SELECT updated_at FROM assets')).toEqual([before])
  })

  test('may refer to the sensor by serial or id, and have a start with an offset', async () => {
    const sensor = await sensorIn('Europe/Berlin')
    const rows = [
      'S1,2026-03-01T00:30:00Z,1',
      `${sensor.id},2026-03-01T02:31:00+01:00,2`,
      'S1,2026-02-28T20:32:00-0500,3',
    ]
    expect(await give(rows)).toEqual(stored(3))
    expect(await counts()).toEqual([['2026-03-01', { 90: 1, 151: 2, 152: 3 }]])
  })

  test('that are empty conflict with a count of the same interval with --erase', async () => {
    await sensorIn('Europe/Berlin', 'hour')
    const rows = ['S1,2026-03-01T00:00,5', 'S1,2026-03-01T00:00,', 'S1,2026-03-01T00:00,']
    const reason =
      'impressions is empty, but line 2 has 5 for the same interval: without --erase an empty value changes nothing'
    expect(await give(rows, { erase: true })).toEqual(refused(3, [`3: ${reason}`, `4: ${reason}`]))
  })

  test('are rejected with the reason', async () => {
    const reasons: [row: string, reason: string][] = [
      ['nobody,2026-03-01T00:00,5', 'sensor "nobody" is unknown'],
      [
        ',2026-03-01T00:00,5',
        'sensor is required: --set sensor=SERIAL gives all rows one, --footer-lines N leaves out the last lines, --skip-faulty any such row',
      ],
      ['S1,,5', 'start is required'],
      [
        'S1,2026-03-01,5',
        'start "2026-03-01" is a day, but the sensor counts by the quarter hour: its rows need a time; a sensor that counts days is of a vendor of finest_grain day',
      ],
      ['stored,2026-03-01,5', 'sensor "stored" was never installed on an asset'],
      ['S1,2026-02-29T00:00,5', `start "2026-02-29T00:00" is not a timestamp${EXPECTED_FORMS}`],
      [
        'S1,2026-03-01T24:00,5',
        'start "2026-03-01T24:00" is the end of a day: give --stamps end if it names the end of its interval; if hours are numbered from 1 to 24, --interval-number hour --first-interval 1',
      ],
      ['S1,2026-03-01T00:00+25:00,5', `start "2026-03-01T00:00+25:00" is not a timestamp${EXPECTED_FORMS}`],
      ['S1,2026-03-01T00:00 CET,5', `start "2026-03-01T00:00 CET" is not a timestamp${EXPECTED_FORMS}`],
      ['S1,1969-12-31T00:00,5', 'start "1969-12-31T00:00" is not between 1970 and 2100'],
      ['S1,9999-12-31T00:00Z,5', 'start "9999-12-31T00:00Z" is not between 1970 and 2100'],
      ['S1,2026-03-01T00:10,5', 'start is not the start of a quarter hour, the finest grain of the sensor'],
      [
        'S1,2026-03-01T00:15:01,5',
        'start is not the start of a quarter hour, the finest grain of the sensor: --sum-to-grain adds up finer counts',
      ],
      ['S1,2026-03-01T00:15:00.5Z,5', 'start is not the start of a quarter hour, the finest grain of the sensor'],
      ['S1,2026-03-01T00:15,-1', 'impressions is not a whole number from 0 to 2147483647: "-1"'],
      [
        'S1,2026-03-01T00:15,1.5',
        'impressions is not a whole number from 0 to 2147483647: "1.5" (--thousands, --decimal and --missing say how numbers are written)',
      ],
      ['S1,2026-03-01T00:15,2147483648', 'impressions is not a whole number from 0 to 2147483647: "2147483648"'],
      [
        'S1,2026-03-01T00:15,5 6',
        'impressions is not a whole number from 0 to 2147483647: "5 6" (--thousands, --decimal and --missing say how numbers are written)',
      ],
      ['stored,2026-03-01T00:15,5', 'sensor "stored" was never installed on an asset'],
    ]
    await sensorIn('Europe/Berlin', 'quarter_hour')
    await world.make.sensor({ asset: null, serial: 'stored' })
    for (const [row, reason] of reasons) {
      const errors = [`3: ${reason}`]
      expect(await give(['S1,2026-03-01T00:00,1', row])).toEqual(refused(2, errors))
    }
    expect(await world.days()).toEqual([])
    const all = ['S1,2026-03-01T00:00,1', ...reasons.map(([row]) => row)]
    const skipped = await give(all, { skipFaulty: true, interval: 'quarter_hour' })
    expect(skipped).toMatchObject({ stored: 1, rejected: reasons.length, not_stored: 0 })
  })

  test('of files that are imported concurrently are all stored', async () => {
    await sensorIn('Europe/Berlin')
    const file = (hour: number) =>
      Array.from({ length: 60 }, (_, i) => `S1,2026-03-01T${10 + hour}:${String(i).padStart(2, '0')},${hour}`)
    const outcomes = await Promise.all([0, 1, 2, 3].map(hour => give(file(hour))))
    expect(outcomes).toEqual(Array(4).fill(stored(60)))
    expect(await world.days()).toMatchObject([{ observed: 240, impressions: 360 }])
  })
})
