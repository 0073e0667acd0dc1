/** Local times in the labels of series, compared with Temporal. */
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { listDays, listStarts } from '../../db/calendar/local-days'
import { readNodeRules } from '../../db/calendar/zone-rules'
import { buildSeries } from '../../resolvers/series/series'
import { listLabels } from '../../resolvers/series/series-result'
import { listTimestamps, timestamps } from '../../resolvers/series/timestamps'

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
      for (const minutes of [15, 60]) {
        expect(listTimestamps(day, minutes)).toEqual(timestamps(day, listStarts(day, minutes)))
      }
    }),
  )
})

test('a day that a time zone skipped has no label', () => {
  const none = { installations: [], days: [], totals: { impressions: new Float64Array(), observed: new Int32Array() } }
  const measurement = { ...none, rules: readNodeRules('Pacific/Apia'), detail: 'totals' as const }
  const series = buildSeries(measurement, { fromDate: '2011-12-29', toDate: '2011-12-31' }, 'day')
  expect(listLabels(series, 'date')).toEqual(['2011-12-29', '2011-12-31'])
})
