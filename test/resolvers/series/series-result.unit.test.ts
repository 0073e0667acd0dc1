import { readNodeRules } from '../../../db/calendar/zone-rules'
import { buildSeries } from '../../../resolvers/series/series'
import { listLabels } from '../../../resolvers/series/series-result'
import type { Grain } from '../../../schema/generated'

const emptySeries = (timeZone: string, fromDate: string, toDate: string, grain: Grain) =>
  buildSeries(
    {
      rules: readNodeRules(timeZone),
      detail: 'totals',
      installations: [],
      totals: { impressions: new Float64Array(), observed: new Int32Array() },
      days: [],
    },
    { fromDate, toDate },
    grain,
  )

test('a repeated hour has two labels', () => {
  const series = emptySeries('Europe/Berlin', '2026-10-25', '2026-10-25', 'hour')
  expect(listLabels(series, 'start').slice(2, 4)).toEqual(['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00'])
  expect(listLabels(series, 'time').slice(1, 5)).toEqual(['01:00', '02:00', '02:00', '03:00'])
})

test('a day that a time zone skipped has no label', () => {
  const series = emptySeries('Pacific/Apia', '2011-12-29', '2011-12-31', 'day')
  expect(listLabels(series, 'date')).toEqual(['2011-12-29', '2011-12-31'])
})
