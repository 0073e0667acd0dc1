import { Counting } from '../support/counting'
import { refused, stored, unchanged } from '../support/outcomes'

describe('daily counts', () => {
  let counting: Counting
  beforeAll(async () => {
    counting = await Counting.open()
  })
  afterAll(() => counting.world.stop())

  const OFF_GRID =
    'start is not the start of a day, the finest grain of the sensor: --sum-to-grain adds up finer counts'

  test.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'])(
    'start at their date or at the start of their day in %s, on days of clock changes too',
    async zone => {
      await counting.sensorIn(zone, 'day')
      const dates = ['2025-03-30', '2025-10-26', '2025-04-06', '2025-10-05', '2025-03-09', '2025-11-02', '2026-01-01']
      const sparse = { interval: 'day' } as const
      expect(
        await counting.give(
          dates.map((date, i) => `${date},${i}`),
          sparse,
        ),
      ).toEqual(stored(7))
      expect(
        await counting.give(
          dates.map((date, i) => `${date}T00:00,${i}`),
          sparse,
        ),
      ).toEqual(unchanged(7))
      expect(await counting.give(dates.map(date => `${date} 06:00,1`))).toEqual(
        refused(
          7,
          dates.map((_, i) => `${i + 2}: ${OFF_GRID}`),
        ),
      )
      expect(await counting.counts()).toEqual(
        dates.map((date, i) => [date, { 0: i }]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      )
    },
  )

  test('start with their day where the clock change skips or repeats midnight', async () => {
    await counting.sensorIn('America/Havana', 'day')
    const spring = ['2025-03-09T00:00,1', '2025-03-09T01:00,1', '2025-03-09,1', '2025-03-09T01:00-04:00,1']
    const autumn = ['2025-11-02T00:00,2', '2025-11-02,2', '2025-11-02T00:00-04:00,2']
    expect(await counting.give([...spring, ...autumn])).toEqual({ ...stored(2), read: 7, unchanged: 5 })
    expect(await counting.counts()).toEqual([
      ['2025-03-09', { 0: 1 }],
      ['2025-11-02', { 0: 2 }],
    ])
    expect(await counting.give(['2025-11-02T00:00-05:00,3'])).toEqual(refused(1, [`2: ${OFF_GRID}`]))
  })

  test('of a day that a zone skipped are errors', async () => {
    await counting.sensorIn('Pacific/Apia', 'day', { installed_at: '2010-01-01' })
    expect(await counting.give(['2011-12-30,1'])).toMatchObject({
      errors: [expect.stringMatching(/clock change skips/)],
    })
    expect(await counting.give(['2011-12-29,1', '2011-12-31,2'])).toEqual(stored(2))
  })

  test('of a day that began before the sensor was installed extend its installation', async () => {
    await counting.sensorIn('Europe/Berlin', 'day', { installed_at: '2026-01-10T09:00:00Z' })
    expect(await counting.give(['2026-01-10,1'])).toMatchObject({ rejected: 1 })
    expect(await counting.give(['2026-01-10,1'], { extendInstallations: true })).toEqual(stored(1))
    const [installation] = await counting.world.rows('SELECT installed_at FROM sensors')
    expect(new Date(installation?.installed_at as string)).toEqual(new Date('2026-01-09T23:00:00Z'))
  })

  test('are not the grain of a date alone for other sensors', async () => {
    await counting.sensorIn('Europe/Berlin', 'hour')
    const reason = (date: string) =>
      `2: start "${date}" is a day, but the sensor counts by the hour: its rows need a time; a sensor that counts days is of a vendor of finest_grain day`
    expect(await counting.give(['2026-01-01,1'])).toEqual(refused(1, [reason('2026-01-01')]))
    // A message shows a value as the file has it.
    expect(await counting.give(['02.03.2026,1'], { timeFormat: ['dd.MM.yyyy'] })).toEqual(
      refused(1, [reason('02.03.2026')]),
    )
  })
})
