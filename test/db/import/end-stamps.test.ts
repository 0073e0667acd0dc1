import { Temporal } from 'temporal-polyfill'
import { Counting } from '../../support/counting'
import { stored } from '../../support/importing'

const MINUTES = { minute: 1, quarter_hour: 15, hour: 60 } as const

/** The instants of a local day that begin and end the intervals of a grain, by Temporal: clock hours, or elapsed minutes. */
function bounds(zone: string, date: string, grain: keyof typeof MINUTES): Temporal.ZonedDateTime[] {
  const start = Temporal.PlainDate.from(date).toZonedDateTime(zone)
  const end = Temporal.PlainDate.from(date).add({ days: 1 }).toZonedDateTime(zone)
  const instants: Temporal.ZonedDateTime[] = []
  for (let at = start; at.epochMilliseconds < end.epochMilliseconds; at = at.add({ minutes: 1 })) {
    const elapsed = (at.epochMilliseconds - start.epochMilliseconds) / 60_000
    const last = instants.at(-1)
    const isBound =
      grain === 'hour' ? !last || at.hour !== last.hour || at.offset !== last.offset : elapsed % MINUTES[grain] === 0
    if (isBound) instants.push(at)
  }
  return [...instants, end]
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
  afterAll(() => counting.imports.close())
  beforeEach(() => counting.imports.clear())

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
    (['hour', 'quarter_hour'] as const).flatMap(grain =>
      Object.keys(STAMPS).map(stamp => [zone, date, grain, stamp] as const),
    ),
  )

  test.each(cases)(
    'in %s on %s by the %s, written %s, belong to the interval before',
    async (zone, date, grain, stamp) => {
      await counting.sensorIn(zone, grain, { installed_at: '2010-01-01T00:00:00Z' })
      const [, ...ends] = bounds(zone, date, grain)
      const rows = ends.map((end, i) => `${STAMPS[stamp]!(end)},${i + 1}`)
      expect([rows, await give(rows)]).toEqual([rows, stored(rows.length)])
      expect(await counting.counts()).toEqual([[date, Object.fromEntries(ends.map((_, i) => [i, i + 1]))]])
      await counting.imports.clear()
      await counting.sensorIn(zone, grain, { installed_at: '2010-01-01T00:00:00Z' })
      expect(await give([...rows].reverse())).toEqual(stored(rows.length))
      expect(await counting.counts()).toEqual([[date, Object.fromEntries(ends.map((_, i) => [i, i + 1]))]])
    },
  )
})
