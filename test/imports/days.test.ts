/** Whole local days of generated rows: stamps that name ends, and parts that are added up. */
import { Temporal } from 'temporal-polyfill'
import type { IncompleteIntervals } from '../../imports/counts/count-options'
import { Counting } from '../support/counting'
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
