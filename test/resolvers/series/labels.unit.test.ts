import { readNodeRules } from '../../../db/calendar/zone-rules'
import { listLabels } from '../../../resolvers/series/labels'
import { buildSeries } from '../../../resolvers/series/series'
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

test('days are labelled by date or by their start', () => {
  const series = emptySeries('America/New_York', '2026-03-07', '2026-03-09', 'day')
  expect(listLabels(series, 'date')).toEqual(['2026-03-07', '2026-03-08', '2026-03-09'])
  expect(listLabels(series, 'start')).toEqual([
    '2026-03-07T00:00:00-05:00',
    '2026-03-08T00:00:00-05:00',
    '2026-03-09T00:00:00-04:00',
  ])
})

test.each([
  ['week', ['2025-12-31', '2026-01-05']],
  ['month', ['2025-12-31', '2026-01-01']],
  ['quarter', ['2025-12-31', '2026-01-01']],
] as const)('a %s is labelled by its first day in the range', (grain, dates) => {
  expect(listLabels(emptySeries('UTC', '2025-12-31', '2026-01-06', grain), 'date')).toEqual(dates)
})

test('a repeated hour has two labels', () => {
  const series = emptySeries('Europe/Berlin', '2026-10-25', '2026-10-25', 'hour')
  expect(listLabels(series, 'start').slice(2, 4)).toEqual(['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00'])
  expect(listLabels(series, 'time').slice(1, 5)).toEqual(['01:00', '02:00', '02:00', '03:00'])
})

test('a day that a time zone skipped has no label', () => {
  const series = emptySeries('Pacific/Apia', '2011-12-29', '2011-12-31', 'day')
  expect(listLabels(series, 'date')).toEqual(['2011-12-29', '2011-12-31'])
})
