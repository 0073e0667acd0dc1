import fc from 'fast-check'
import { readNodeRules } from '../../../db/calendar/zone-rules'
import { type RowKeys, seriesJson } from '../../../resolvers/json/series-json'
import type { Label } from '../../../resolvers/series/labels'
import { buildSeries } from '../../../resolvers/series/series'
import { SeriesResult } from '../../../resolvers/series/series-result'
import type { Grain } from '../../../schema/generated'

interface Request {
  range: readonly [timeZone: string, fromDate: string, toDate: string]
  grain: Grain
  label: Label
}

/** Days with and without clock changes. */
const withinDays: fc.Arbitrary<Request> = fc.record({
  range: fc.constantFrom(
    ['UTC', '2026-01-01', '2026-01-02'] as const,
    ['Europe/Berlin', '2026-03-29', '2026-03-29'] as const,
    ['Europe/Berlin', '2026-10-25', '2026-10-26'] as const,
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-05'] as const,
  ),
  grain: fc.constantFrom('minute', 'quarter_hour', 'hour'),
  label: fc.constantFrom('start', 'time'),
})

/** One of the ranges contains a day that the time zone skipped. */
const ofDays: fc.Arbitrary<Request> = fc.record({
  range: fc.constantFrom(
    ['Pacific/Apia', '2011-12-29', '2011-12-31'] as const,
    ['Europe/Berlin', '2025-12-20', '2026-04-02'] as const,
  ),
  grain: fc.constantFrom('day', 'week', 'month', 'quarter'),
  label: fc.constantFrom('date', 'start'),
})

const number = fc.oneof(fc.constantFrom(0, 9, 10, 999_999_999, 1_000_000_000), fc.nat(), fc.maxSafeNat())

const buckets = fc.array(fc.tuple(number, fc.nat({ max: 60 }), fc.nat({ max: 60 })), {
  minLength: 1,
  maxLength: 20,
})

test('the JSON of a series equals that of its rows', () => {
  fc.assert(
    fc.property(
      fc.oneof(withinDays, ofDays),
      fc.record({ label: fc.constantFrom('date', 'the "start"'), coverage: fc.constantFrom('coverage', undefined) }),
      buckets,
      ({ range: [timeZone, fromDate, toDate], grain, label }, names, values) => {
        const series = buildSeries(
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
        series.sums.forEach((_, i) => {
          const [sum, observed, expected] = values[i % values.length] as [number, number, number]
          series.sums[i] = sum
          series.observed[i] = Math.min(observed, expected)
          series.expected[i] = expected
        })
        const keys: RowKeys = { ...names, impressions: 'impressions' }
        const rows = new SeriesResult(series, label).rows.map(row => ({
          [keys.label]: row[label],
          [keys.impressions]: row.impressions,
          ...(keys.coverage && { [keys.coverage]: row.coverage }),
        }))
        expect(String(seriesJson(series, label, keys))).toBe(JSON.stringify(rows))
      },
    ),
  )
})
