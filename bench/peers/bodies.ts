/** The response bodies of the hand-written peers, built from the rows of their statements. */

import { AGE_BANDS, GENDERS } from '../../db/queries/demographics'
import { average, share } from '../../resolvers/series/ratios'
import type { Cursors } from '../../rest-gateway/read/cursors'
import { type Buckets, coverageOf, fillBuckets, type Grain, type MeasurementRow } from './buckets'

export interface Range {
  from: string
  to: string
}

export function buildPage<Row extends { id: string }>(rows: Row[], limit: number, cursors: Cursors, list: string) {
  const data = rows.slice(0, limit)
  const more = rows.length > limit
  const cursor = more ? cursors.issue(list, data[limit - 1]!.id) : null
  return { data, pagination: { cursor, has_more: more, limit } }
}

export function buildDaily(rows: MeasurementRow[], { from, to }: Range) {
  const buckets = fillBuckets(rows, from, to, 1440)
  const data = buckets.names.map((date, i) => ({ date, ...rowOf(buckets, i) }))
  return { data, total: buckets.total, average: average(buckets.total, buckets.withData) }
}

export function buildSeries(rows: MeasurementRow[], { from, to }: Range, grain: Grain) {
  const buckets = fillBuckets(rows, from, to, grain)
  const data = buckets.names.map((start, i) => ({ start, ...rowOf(buckets, i) }))
  return { data, total: buckets.total, average: average(buckets.total, buckets.withData) }
}

const rowOf = (buckets: Buckets, i: number) => ({
  impressions: buckets.observed[i] === 0 ? null : buckets.sums[i]!,
  coverage: coverageOf(buckets, i),
})

interface RegionRow {
  country: string
  region: string
  impressions: number
}

export function buildRegions({ days_with_data, regions }: { days_with_data: number; regions: RegionRow[] }) {
  const total = regions.reduce((sum, { impressions }) => sum + impressions, 0)
  const data = regions.map(region => ({ ...region, share: share(region.impressions, total) }))
  return { data, total, average: average(total, days_with_data) }
}

export function buildDemographics(cells: number[], { from, to }: Range) {
  const total = cells.reduce((sum, count) => sum + count, 0)
  const base = { from_date: from, to_date: to, total }
  if (total < 50) return { ...base, suppressed: true, gender: [], age: [], age_gender: [] }
  const cell = (age: number, gender: number) => cells[age * GENDERS.length + gender]!
  const group = (impressions: number) => ({ impressions, share: share(impressions, total) })
  const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0)
  return {
    ...base,
    suppressed: false,
    gender: GENDERS.map((gender, g) => ({ gender, ...group(sum(AGE_BANDS.map((_, a) => cell(a, g)))) })),
    age: AGE_BANDS.map((age_band, a) => ({ age_band, ...group(sum(GENDERS.map((_, g) => cell(a, g)))) })),
    age_gender: AGE_BANDS.flatMap((age_band, a) =>
      GENDERS.map((gender, g) => ({ age_band, gender, ...group(cell(a, g)) })),
    ),
  }
}
