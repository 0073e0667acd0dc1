/** Local times in the labels of series, compared with Temporal and Intl. */
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { countIntervals, listDays, listStarts } from '../../db/calendar/local-days'
import { packHours } from '../../db/calendar/packed-counts'
import { readNodeRules } from '../../db/calendar/zone-rules'
import { TypicalWeek } from '../../resolvers/series/profile'
import { buildSeries } from '../../resolvers/series/series'
import { listLabels } from '../../resolvers/series/series-result'
import { timestamps } from '../../resolvers/series/timestamps'

test('timestamps equal those of Temporal, also on days with clock changes', () => {
  const days = (
    [
      ['Europe/Berlin', '2026-03-28', '2026-03-30'],
      ['Europe/Berlin', '2026-10-24', '2026-10-26'],
      ['Australia/Lord_Howe', '2026-04-05', '2026-04-05'],
      ['America/Havana', '2026-11-01', '2026-11-01'],
      ['America/St_Johns', '2026-03-08', '2026-03-08'],
      ['Asia/Kathmandu', '1985-12-31', '1986-01-01'],
    ] as const
  ).flatMap(([zone, from, to]) => listDays(readNodeRules(zone), from, to).map(day => ({ zone, day })))
  fc.assert(
    fc.property(fc.constantFrom(...days), fc.array(fc.nat({ max: 86_399 })), ({ day, zone }, seconds) => {
      const inDay = seconds.filter(second => day.start + second < day.end).sort((a, b) => a - b)
      const expected = inDay.map(second =>
        Temporal.Instant.fromEpochMilliseconds((day.start + second) * 1000)
          .toZonedDateTimeISO(zone)
          .toString({ timeZoneName: 'never', smallestUnit: 'second' }),
      )
      expect(timestamps(day, inDay)).toEqual(expected)
    }),
  )
})

test('a day that a time zone skipped has no label', () => {
  const none = { installations: [], days: [], totals: { impressions: new Float64Array(), observed: new Int32Array() } }
  const measurement = { ...none, rules: readNodeRules('Pacific/Apia'), detail: 'totals' as const }
  const series = buildSeries(measurement, { fromDate: '2011-12-29', toDate: '2011-12-31' }, 'day')
  expect(listLabels(series, 'date')).toEqual(['2011-12-29', '2011-12-31'])
})

test.each(['Europe/Berlin', 'America/Havana', 'Pacific/Apia', 'America/St_Johns'])(
  'each hour of a year in %s is in the slot that its local time names',
  zone => {
    const days = listDays(readNodeRules(zone), '2011-02-01', '2012-01-31')
    const hours = days.map(day => ({ day, count: countIntervals(day, 60) }))
    const packed = hours.flatMap(({ count }, day) =>
      count === 0
        ? []
        : { day, nativeMinutes: 60, packed: packHours(Array(count).fill(10), new Uint8Array(count).fill(1)) },
    )
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'short', hour: '2-digit' })
    const nameOf = (instant: number) => format.format(instant * 1000)
    const expected = new Map<string, number>()
    for (const { day } of hours)
      for (const start of listStarts(day, 60)) {
        const name = nameOf(day.start + start)
        expected.set(name, (expected.get(name) ?? 0) + 1)
      }
    const rows = new TypicalWeek(days, packed).rowsWith(null)
    const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
    const found = rows.map(row => [
      `${names[row.weekday! - 1]} ${String(row.hour).padStart(2, '0')}`,
      row.hoursObserved,
    ])
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries([...expected].map(([name, count]) => [name.replace(',', ''), count])),
    )
  },
)
