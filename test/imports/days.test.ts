/** Whole local days of generated rows: stamps that name ends, parts that are added up, and the length that the gaps of rows show. */
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import type { IncompleteIntervals } from '../../imports/counts/count-options'
import type { NativeGrain } from '../../schema/generated'
import { Counting } from '../support/counting'
import { scaledRuns } from '../support/fuzz'
import { stored, unchanged } from '../support/outcomes'
import { Calendar, dayOf } from '../world/calendar'

let counting: Counting
beforeAll(async () => {
  counting = await Counting.open()
})
afterAll(() => counting.world.stop())

type Zoned = Temporal.ZonedDateTime

const local = (at: Zoned) => at.toPlainDateTime().toString({ smallestUnit: 'minute' })
const withOffset = (at: Zoned) => at.toString({ smallestUnit: 'minute', timeZoneName: 'never' })

/** The ways to write the end of an interval: as the clock shows it then, or as it did just before; or with an offset. */
const STAMPS = [
  local,
  (end: Zoned) =>
    local(end.subtract({ minutes: 1 })).replace(
      /.*/,
      text => `${Temporal.PlainDateTime.from(text).add({ minutes: 1 })}`,
    ),
  withOffset,
]

test.each(
  (
    [
      ['Europe/Berlin', '2026-03-29'],
      ['Europe/Berlin', '2025-10-26'],
      ['America/Havana', '2025-03-09'],
      ['America/Sao_Paulo', '2018-02-17'],
      ['America/Sao_Paulo', '2018-11-04'],
    ] as const
  ).flatMap(([zone, date]) => (['hour', 'quarter_hour'] as const).map(grain => [zone, date, grain] as const)),
)('ends of intervals in %s on %s by the %s belong to the interval before', async (zone, date, grain) => {
  await counting.sensorIn(zone, grain)
  const [calendar, day] = [Calendar.of(zone), dayOf(date)]
  const ends = [...calendar.starts(day, grain), calendar.end(day)].map(at =>
    Temporal.Instant.fromEpochMilliseconds(at * 1000).toZonedDateTimeISO(zone),
  )
  const [first = [], ...others] = STAMPS.map(stamp => ends.map((end, i) => `${stamp(end)},${i}`))
  expect([first, await counting.give(first, { stamps: 'end' })]).toEqual([first, stored(ends.length)])
  const [before, counted] = await counting.counts()
  expect(Object.values(before?.[1] ?? {})).toEqual([0])
  expect(counted).toEqual([date, Object.fromEntries(ends.slice(1).map((_, i) => [i, i + 1]))])
  for (const rows of [...others, first.toReversed()])
    expect([rows, await counting.give(rows, { stamps: 'end' })]).toEqual([rows, unchanged(ends.length)])
})

test.each([
  ['Europe/Berlin', '2025-10-26', 'day', 30, 50],
  ['Europe/Berlin', '2026-03-30', 'day', 120, 12],
  ['Europe/Berlin', '2026-03-29', 'hour', 15, 92],
  ['Australia/Lord_Howe', '2025-04-06', 'hour', 15, 98],
  ['Australia/Lord_Howe', '2025-10-05', 'hour', 10, 141],
  ['America/New_York', '2025-11-02', 'quarter_hour', 1, 1500],
] as const)(
  'the parts of %s on %s add up by the %s, of %d minutes: %d, and none may be missing',
  async (zone, date, grain, minutes, length) => {
    await counting.sensorIn(zone, grain)
    const start = Temporal.PlainDate.from(date).toZonedDateTime(zone)
    const end = start.add({ days: 1 })
    const starts = Array.from({ length }, (_, i) => start.add({ minutes: i * minutes }))
    const give = (times: readonly Zoned[], options = {}) =>
      counting.give(
        times.map(at => `${withOffset(at)},1`),
        { sumToGrain: true, maxBufferedCounts: 1, ...options },
      )
    expect(await give(starts)).toEqual(stored(length))
    expect(await counting.sum()).toBe(length)
    await counting.forget()
    expect(await give([...starts.slice(1), end], { stamps: 'end' })).toEqual(stored(length))
    expect(await counting.sum()).toBe(length)
    await counting.forget()
    // The last part before the clock change, if there is one.
    const without = starts.toSpliced(Math.floor(120 / minutes), 1)
    let incomplete = 0
    const onIncomplete = ({ total }: IncompleteIntervals) => {
      incomplete = total
    }
    const { dropped } = await give(without, { onIncomplete })
    expect([incomplete, dropped > 0]).toEqual([1, true])
    expect(await counting.sum()).toBe(without.length - dropped)
  },
)

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

test('a row is never shorter than the gaps that rows have, whatever they are', async () => {
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
        for (const minute of picks.map(pick => phase + step * pick)) {
          if (minute >= 1440 || (!sumToGrain && minute % interval !== 0)) continue
          times.set(date, (times.get(date) ?? new Set()).add(minute))
        }
      }
      const rows = [...times].flatMap(([date, minutes]) =>
        [...minutes].map(minute => `${Temporal.PlainDateTime.from(date).add({ minutes: minute })},1`),
      )
      const shuffled = rows
        .map((row, i) => [(Math.imul(i + 1, seed | 1) >>> 0) % 1009, row] as const)
        .sort(([a], [b]) => a - b)
        .map(([, row]) => row)
      const { errors, stored, dropped } = await counting.give(shuffled, { sumToGrain, maxBufferedCounts })
      const days = [...times].map(([date, minutes]): [string, number[]] => [date, [...minutes]])
      const isRefused = !fits(days, interval, sumToGrain)
      expect([errors.length, stored + dropped]).toEqual(isRefused ? [1, 0] : [0, rows.length])
    }),
    { ...scaledRuns(40), endOnFailure: true },
  )
})
