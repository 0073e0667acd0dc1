import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import type { NativeGrain } from '../../schema/generated'
import { Counting } from '../support/counting'
import { scaledRuns } from '../support/fuzz'
import { stored } from '../support/outcomes'

/** Returns whether rows, in minutes of dates, fit a sensor: found by trying all lengths that a row may have. */
function fits(rows: readonly [date: string, minutes: number[]][], interval: number, sum: boolean): boolean {
  const longest = (minutes: readonly number[]): number => {
    const [first = 0] = minutes
    for (let length = 40_000; ; length--) if (minutes.every(each => (each - first) % length === 0)) return length
  }
  const isFitting = (minutes: readonly number[]) => {
    const length = longest(minutes)
    return sum ? interval % length === 0 && minutes.every(each => each % length === 0) : length <= interval
  }
  const all = rows.flatMap(([date, minutes]) => minutes.map(minute => minute + 1440 * dayOf(date)))
  if (all.length < 3) return true
  if (rows.some(([, minutes]) => minutes.length > 2 && !isFitting(minutes))) return false
  if (!rows.some(([, minutes]) => minutes.length > 1 && isFitting(minutes))) {
    return isFitting(all) && rows.some(([, minutes]) => minutes.length > 1)
  }
  const few = rows.filter(([, minutes]) => minutes.length < 3 && !(minutes.length > 1 && isFitting(minutes)))
  const pooled = few.flatMap(([date, minutes]) => minutes.map(minute => minute + 1440 * dayOf(date)))
  return pooled.length < 3 || longest(pooled) <= 8 * 60
}

const dayOf = (date: string): number => Date.parse(date) / 86_400_000

describe('the interval that a row covers', () => {
  let counting: Counting
  beforeAll(async () => {
    counting = await Counting.open()
  })
  afterAll(() => counting.world.stop())

  const hours = ['00', '01', '02', '03', '04'].map(hour => `2026-03-01T${hour}:00,7`)
  const days = (from: string, count: number, step = 1) =>
    Array.from({ length: count }, (_, i) =>
      Temporal.PlainDate.from(from)
        .add({ days: i * step })
        .toString(),
    )
  const every = (date: string, minutes: number, from = 0) =>
    Array.from({ length: Math.ceil((1440 - from) / minutes) }, (_, i) => {
      const at = from + i * minutes
      return `${date}T${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')},1`
    })
  /** Returns the message about rows that do not fit: the days, the length of a row, the grain that holds them. */
  const coarse = (period: string, length: string, sensor: NativeGrain, grain: NativeGrain | undefined) => {
    const advice = grain
      ? `if a row covers ${length}, .*finest_grain ${grain}, and give --sum-to-grain`
      : 'no grain holds'
    const name = sensor.replace('_', ' ')
    return expect.stringMatching(
      new RegExp(
        `^file: the rows of sensor "S1" ${period} are multiples of ${length} apart, but the sensor counts by the ${name}: ` +
          `${advice}.*; if the rows are only sparse, and each covers one ${name}, give --interval ${sensor}$`,
      ),
    )
  }

  const weekdays = days('2026-03-02', 3)
  test.each<[string, NativeGrain, string[], string, string, NativeGrain | undefined]>([
    ['half hours from 00:15 on', 'quarter_hour', every('2026-03-02', 30, 15), 'on 2026-03-02', '30 minutes', undefined],
    ['four hours on the day of a clock change', 'hour', every('2026-03-29', 240), 'on 2026-03-29', '4 hours', 'day'],
    ['half days', 'hour', weekdays.flatMap(day => every(day, 720)), 'from 2026-03-02 to 2026-03-04', '12 hours', 'day'],
    [
      'days over a clock change',
      'hour',
      days('2026-03-28', 4).map(day => `${day}T00:00,9`),
      'from 2026-03-28 to 2026-03-31',
      '1 day',
      'day',
    ],
    [
      'half days of UTC',
      'hour',
      days('2026-03-27', 5).flatMap(day => [`${day}T00:00Z,1`, `${day}T12:00Z,1`]),
      'from 2026-03-27 to 2026-03-31',
      '12 hours',
      undefined,
    ],
  ])('is longer than that of the sensor in rows of %s (%s)', async (_, grain, rows, period, length, holding) => {
    await counting.sensorIn('Europe/Berlin', grain)
    const { errors } = await counting.give(rows, { skipFaulty: true })
    expect(errors).toEqual([coarse(period, length, grain, holding)])
    expect(await counting.give(rows, { interval: grain })).toEqual(stored(rows.length))
    if (!holding) return
    await counting.sensorIn('Europe/Berlin', holding)
    expect(await counting.give(rows, { sumToGrain: true })).toEqual(stored(rows.length))
    expect(await counting.sum()).toBe(rows.reduce((sum, row) => sum + Number(row.split(',')[1]), 0))
  })

  test.each([1, 1000])(
    'is that of each local day: some may be coarser, with a buffer of %d counts',
    async maxBufferedCounts => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const quarters = days('2026-06-04', 3).flatMap(day => every(day, 15))
      for (const [rows, period, length] of [
        [days('2026-06-01', 3).flatMap(day => every(day, 60)), 'from 2026-06-01 to 2026-06-03', '1 hour'],
        [days('2026-06-01', 3).map(day => `${day}T00:00,99`), 'from 2026-06-01 to 2026-06-03', '1 day'],
      ] as const) {
        const { errors } = await counting.give([...quarters, ...rows], { maxBufferedCounts })
        expect(errors).toEqual([coarse(period, length, 'quarter_hour', length === '1 day' ? 'day' : 'hour')])
      }
      // A day or two with the last rows of an export say nothing.
      const few = ['2026-06-08T00:00,1', '2026-06-09T00:00,1', '2026-06-09T04:00,1']
      expect(await counting.give([...quarters, ...few], { maxBufferedCounts })).toEqual(stored(quarters.length + 3))
    },
  )

  test('is that of the sensor if two rows of the day are as close as its intervals, wherever they are in the file', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const dates = days('2026-01-01', 60)
    // By time of day: the rows of the same hour come one after the other.
    const pivoted = ['00:00', '06:00', '00:15'].flatMap(time => dates.map(day => `${day}T${time},1`))
    for (const maxBufferedCounts of [1, 1000]) {
      expect(await counting.give(pivoted, { maxBufferedCounts })).toMatchObject({ errors: [], rejected: 0 })
    }
  })

  test('counts the sensors whose rows do not fit, and lets others be', async () => {
    const { asset } = await counting.sensorIn('Europe/Berlin', 'quarter_hour', {})
    for (const serial of ['S2', 'S3']) await counting.world.make.sensor({ asset, grain: 'quarter_hour', serial })
    const of = (serial: string, minutes: number) => every('2026-03-02', minutes).map(row => `${serial},${row}`)
    const rows = ['sensor,start,impressions', ...of('S2', 15), ...of('S3', 30), ...of('S1', 45)]
    expect((await counting.world.import('impressions', rows)).errors).toEqual([
      expect.stringMatching(
        /^file: the rows of sensor "S1" \(and of 1 more\) on 2026-03-02 are multiples of 45 minutes/,
      ),
    ])
  })

  test('is never shorter than the gaps that rows have, whatever they are', async () => {
    /** A file of one sensor: on some dates, some of the rows that a grid has. */
    const given = fc.record({
      grain: fc.constantFrom<NativeGrain>('minute', 'quarter_hour', 'hour'),
      sumToGrain: fc.boolean(),
      grids: fc.array(
        fc.record({
          date: fc.constantFrom('2026-03-02', '2026-03-03', '2026-03-04', '2026-03-10', '2026-03-17'),
          step: fc.constantFrom(1, 5, 10, 15, 20, 30, 60, 90, 120, 360, 720, 1440),
          phase: fc.constantFrom(0, 0, 0, 5, 15, 60),
          picks: fc.array(fc.nat(30), { minLength: 1, maxLength: 6 }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      seed: fc.nat(),
      maxBufferedCounts: fc.constantFrom(1, 3, 1000),
    })
    await fc.assert(
      fc.asyncProperty(given, async ({ grain, sumToGrain, grids, seed, maxBufferedCounts }) => {
        await counting.sensorIn('Europe/Berlin', grain)
        const interval = { minute: 1, quarter_hour: 15, hour: 60, day: 1440 }[grain]
        const times = new Map<string, Set<number>>()
        for (const { date, step, phase, picks } of grids) {
          for (const pick of picks) {
            const minute = phase + step * pick
            if (minute >= 1440 || (!sumToGrain && minute % interval !== 0)) continue
            times.set(date, (times.get(date) ?? new Set()).add(minute))
          }
        }
        const rows = [...times].flatMap(([date, minutes]) =>
          [...minutes].map(minute => every(date, 1440, minute)[0] as string),
        )
        const shuffled = rows
          .map((row, i) => [(Math.imul(i + 1, seed | 1) >>> 0) % 1009, row] as const)
          .sort(([a], [b]) => a - b)
        const outcome = await counting.give(
          shuffled.map(([, row]) => row),
          { sumToGrain, maxBufferedCounts },
        )
        const isRefused = !fits(
          [...times].map(([date, minutes]) => [date, [...minutes]]),
          interval,
          sumToGrain,
        )
        expect([outcome.errors.length, outcome.stored + outcome.dropped]).toEqual(isRefused ? [1, 0] : [0, rows.length])
      }),
      { ...scaledRuns(40), endOnFailure: true },
    )
  })

  test('says nothing about rows without a value', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const blanks = hours.flatMap(row => [row, row.replace(':00,7', ':15,')])
    expect((await counting.give(blanks)).errors).toEqual([coarse('on 2026-03-01', '1 hour', 'quarter_hour', 'hour')])
  })
})
