import { Counting } from '../../support/counting'
import { refused, stored } from '../../support/importing'

describe('the interval that a row covers', () => {
  let counting: Counting
  beforeAll(async () => {
    counting = await Counting.open()
  })
  afterAll(() => counting.imports.close())
  beforeEach(() => counting.imports.clear())

  const hours = ['00', '01', '02', '03', '04'].map(hour => `2026-03-01T${hour}:00,7`)
  const coarse = (rows: string, sensor: string) =>
    new RegExp(
      `^file: the rows of sensor "S1" are never closer than one ${rows}, but the sensor counts by the ${sensor}: .*--interval`,
    )

  test.each([1, 2, 1000])(
    'is asked for where hourly rows are given for quarter hours, in any order and with a buffer of %d counts',
    async maxBufferedCounts => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      for (const rows of [hours, hours.toReversed(), [2, 0, 4, 1, 3].map(i => hours[i] as string)]) {
        for (const options of [{}, { skipFaulty: true }, { sumToGrain: true }]) {
          const { errors, stored } = await counting.give(rows, { maxBufferedCounts, ...options })
          expect([errors, stored]).toEqual([[expect.stringMatching(coarse('hour', 'quarter hour'))], 0])
        }
      }
      expect(await counting.counts()).toEqual([])
    },
  )

  test.each([
    ['minute', 'quarter hour', ['10:00', '10:15', '10:45']],
    ['quarter_hour', 'hour', ['10:15', '11:30', '14:00']],
  ] as const)(
    'is asked for where rows for sensors of grain %s are never closer than one %s',
    async (grain, rows, times) => {
      await counting.sensorIn('Europe/Berlin', grain)
      const given = times.map(time => `2026-03-01T${time},1`)
      expect((await counting.give(given)).errors).toEqual([
        expect.stringMatching(coarse(rows, grain.replace('_', ' '))),
      ])
      expect(await counting.give(given.slice(0, 2))).toEqual(stored(2))
    },
  )

  test('is asked for where daily rows are given for hours, over days of any length', async () => {
    await counting.sensorIn('Europe/Berlin', 'hour')
    const days = ['28', '29', '30', '31'].map(day => `2026-03-${day}T00:00,900`)
    expect((await counting.give(days)).errors).toEqual([expect.stringMatching(coarse('day', 'hour'))])
  })

  test('shows where some rows are as close as the intervals of the sensor, wherever they are in the file', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const days = Array.from({ length: 60 }, (_, i) => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10))
    const hourly = days.flatMap(day => hours.map(row => row.replace('2026-03-01', day)))
    expect(await counting.give([...hourly, '2026-05-01T23:45,1', '2026-05-02T00:00,1'])).toEqual(stored(302))
    await counting.imports.clear()
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    // By time of day: the rows of the same hour come one after the other.
    const pivoted = ['00:00', '00:15'].flatMap(time => days.map(day => `${day}T${time},1`))
    for (const maxBufferedCounts of [1, 1000]) {
      expect(await counting.give(pivoted, { maxBufferedCounts })).toMatchObject({ errors: [], rejected: 0 })
    }
  })

  test('says nothing about rows without a value', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const blanks = hours.flatMap(row => [row, row.replace(':00,7', ':15,')])
    expect((await counting.give(blanks)).errors).toEqual([expect.stringMatching(coarse('hour', 'quarter hour'))])
  })

  test('lets sparse rows be stored when it is that of the sensor', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    expect(await counting.give(hours, { interval: 'quarter_hour' })).toEqual(stored(5))
    expect(await counting.counts()).toEqual([['2026-03-01', { 0: 7, 4: 7, 8: 7, 12: 7, 16: 7 }]])
  })

  test('has to be added up when it is finer than that of the sensor', async () => {
    await counting.sensorIn('Europe/Berlin', 'hour')
    const quarters = ['00', '15', '30', '45'].map(minute => `2026-03-01T00:${minute},1`)
    const reason = /^2: a row covers one quarter hour \(--interval\), but the sensor counts by the hour: --sum-to-grain/
    expect(await counting.give(quarters.slice(0, 1), { interval: 'quarter_hour' })).toEqual(refused(1, [reason]))
    expect(await counting.give(quarters, { interval: 'quarter_hour', sumToGrain: true })).toEqual(stored(4))
    expect(await counting.counts()).toEqual([['2026-03-01', { 0: 4 }]])
  })

  test('is an error when it is coarser than that of the sensor', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const reason = (line: number) =>
      new RegExp(
        `^${line}: a row covers one hour \\(--interval\\), but .* give the sensor that grain: .* finest_grain hour$`,
      )
    const { errors } = await counting.give(hours, { interval: 'hour' })
    expect(errors).toEqual([2, 3, 4, 5, 6].map(line => expect.stringMatching(reason(line))))
  })
})
