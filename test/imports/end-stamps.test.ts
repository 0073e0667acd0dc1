import { Temporal } from 'temporal-polyfill'
import { Counting } from '../support/counting'
import { stored, unchanged } from '../support/outcomes'
import { Calendar, dayOf, type Grain } from '../world/calendar'

/** The instants of a local day that begin and end the intervals of a grain. */
function bounds(zone: string, date: string, grain: Grain): Temporal.ZonedDateTime[] {
  const [calendar, day] = [Calendar.of(zone), dayOf(date)]
  return [...calendar.starts(day, grain), calendar.end(day)].map(at =>
    Temporal.Instant.fromEpochMilliseconds(at * 1000).toZonedDateTimeISO(zone),
  )
}

const local = (at: Temporal.ZonedDateTime) => at.toPlainDateTime().toString({ smallestUnit: 'minute' })

/** The ways to write the end of an interval: as the clock shows it then, or as it did just before; or with an offset. */
const STAMPS: Record<string, (end: Temporal.ZonedDateTime) => string> = {
  'after a change': local,
  'before a change': end =>
    end.subtract({ minutes: 1 }).toPlainDateTime().add({ minutes: 1 }).toString({ smallestUnit: 'minute' }),
  'with an offset': end => end.toString({ smallestUnit: 'minute', timeZoneName: 'never' }),
}

describe('stamps that name the end of an interval', () => {
  let counting: Counting
  beforeAll(async () => {
    counting = await Counting.open()
  })
  afterAll(() => counting.world.stop())

  const give = (rows: readonly string[], options = {}) => counting.give(rows, { stamps: 'end', ...options })

  const DAYS = [
    ['Europe/Berlin', '2026-03-28'],
    ['Europe/Berlin', '2026-03-29'],
    ['Europe/Berlin', '2025-10-26'],
    ['America/Havana', '2025-03-09'],
    ['America/Havana', '2025-11-02'],
    ['America/Sao_Paulo', '2018-02-17'],
    ['America/Sao_Paulo', '2018-11-04'],
  ] as const
  const cases = DAYS.flatMap(([zone, date]) =>
    (['hour', 'quarter_hour'] as const).map(grain => [zone, date, grain] as const),
  )

  test.each(cases)('in %s on %s by the %s belong to the interval before', async (zone, date, grain) => {
    await counting.sensorIn(zone, grain)
    const ends = bounds(zone, date, grain)
    const [first = [], ...others] = Object.values(STAMPS).map(stamp => ends.map((end, i) => `${stamp(end)},${i}`))
    expect([first, await give(first)]).toEqual([first, stored(ends.length)])
    const [before, day] = await counting.counts()
    expect(Object.values(before?.[1] ?? {})).toEqual([0])
    expect(day).toEqual([date, Object.fromEntries(ends.slice(1).map((_, i) => [i, i + 1]))])
    for (const rows of [...others, first.toReversed()])
      expect([rows, await give(rows)]).toEqual([rows, unchanged(ends.length)])
  })

  test('of an hour that the file has once belong to the pass that is named', async () => {
    await counting.sensorIn('Europe/Berlin', 'hour')
    const rows = ['2025-10-26T01:00,1', '2025-10-26T02:00,2', '2025-10-26T03:00,3', '2025-10-26T04:00,4']
    expect((await give(rows)).errors).toEqual([
      expect.stringMatching(/^3: .*once/),
      expect.stringMatching(/^4: .*once/),
    ])
    expect(await give(rows, { repeatedHour: 'first' })).toEqual(stored(4))
    expect(await counting.counts()).toEqual([['2025-10-26', { 0: 1, 1: 2, 2: 3, 4: 4 }]])
    await counting.sensorIn('Europe/Berlin', 'hour')
    expect(await give(rows, { repeatedHour: 'second' })).toEqual(stored(4))
    expect(await counting.counts()).toEqual([['2025-10-26', { 0: 1, 1: 2, 3: 3, 4: 4 }]])
  })

  test('of the skipped hour are errors, or left out', async () => {
    await counting.sensorIn('Europe/Berlin', 'hour')
    const rows = ['2026-03-29T01:00,1', '2026-03-29T02:00,2', '2026-03-29T03:00,2', '2026-03-29T04:00,4']
    expect((await give(rows)).errors).toEqual([expect.stringMatching(/^4: .*skips: --skipped-hour drop/)])
    expect(await give(rows, { skippedHour: 'drop' })).toMatchObject({ stored: 3, dropped: 1 })
    expect(await counting.counts()).toEqual([['2026-03-29', { 0: 1, 1: 2, 2: 4 }]])
  })

  test('of parts add up to the interval in which they end', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const rows = ['23:50,9', '23:55,9', '24:00,9', '00:05,1', '00:10,2', '00:15,4', '00:20,8'].map(
      row => `2026-02-10T${row}`,
    )
    expect(await give(rows, { sumToGrain: true })).toEqual({ ...stored(6), read: 7, dropped: 1 })
    expect(await counting.counts()).toEqual([['2026-02-10', { 0: 7, 95: 27 }]])
  })
})
