/** The response bodies of the hand-written peers, built from the rows of their statements. */

import type { HealthStatus } from '../../db/queries/sensors'
import { HEALTH_RANKING } from '../../db/queries/sensors'
import { assessHealth } from '../../resolvers/sensors'
import { average, coverage, share } from '../../resolvers/series/ratios'
import type { Cursors } from '../../rest-gateway/read/cursors'
import { AGE_BANDS, GENDERS } from '../../schema/demographic-groups'
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

interface SensorRow {
  id: string
  health_status: HealthStatus | null
  health_checked_at: string | null
  health_last_seen_at: string | null
  health_reason: string | null
  installed_at: string
  removed_at: string | null
  updated_at: string
}

export function buildSensor(row: SensorRow & Record<string, unknown>) {
  const health = assessHealth(
    {
      healthStatus: row.health_status,
      healthCheckedAt: row.health_checked_at,
      healthLastSeenAt: row.health_last_seen_at,
      healthReason: row.health_reason,
    },
    Date.now(),
  )
  const { id, serial, model, vendor, vendor_type, finest_grain, asset_id, billable_state, installed_at, removed_at } =
    row

  return {
    ...{ id, serial, model, vendor, vendor_type, finest_grain, asset_id, billable_state },
    health: {
      status: health.status,
      checked_at: health.checkedAt,
      last_seen_at: health.lastSeenAt,
      reason: health.reason,
      cadence_minutes: health.cadenceMinutes,
    },
    installed_at,
    removed_at,
    updated_at: row.updated_at,
  }
}

export function buildSummary(rows: MeasurementRow[], { from, to }: Range) {
  const buckets = fillBuckets(rows, from, to, 'day', true)
  let busiest = -1
  let [observed, expected] = [0, 0]
  for (let i = 0; i < buckets.names.length; i++) {
    observed += buckets.observed[i]!
    expected += buckets.expected[i]!
    if (buckets.observed[i] !== 0 && (busiest < 0 || buckets.sums[i]! > buckets.sums[busiest]!)) busiest = i
  }
  const mean = average(buckets.total, buckets.withData)
  const row = {
    from_date: from,
    to_date: to,
    days: buckets.names.length,
    days_with_data: buckets.withData,
    impressions: buckets.total,
    average_daily_impressions: mean,
    busiest_date: buckets.names[busiest] ?? null,
    busiest_date_impressions: buckets.sums[busiest] ?? null,
    coverage: coverage(observed, expected),
  }
  return { data: [row], total: buckets.total, average: mean }
}

export function buildDaily(rows: MeasurementRow[], { from, to }: Range) {
  const buckets = fillBuckets(rows, from, to, 'day', true)
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

interface State {
  name: string
  latitude: number
  longitude: number
  sensors: { serial: string; health_status: HealthStatus | null; health_checked_at: string | null }[]
}

/** The asset's state, which the legacy interface returns beside the counts. */
export function buildState(state: unknown) {
  const { name, latitude, longitude, sensors } = state as State
  const ranks = sensors.map(({ health_status, health_checked_at }) => {
    const row = {
      healthStatus: health_status,
      healthCheckedAt: health_checked_at,
      healthLastSeenAt: null,
      healthReason: null,
    }
    return HEALTH_RANKING.indexOf(assessHealth(row, Date.now()).status)
  })
  const worst = HEALTH_RANKING[Math.max(-1, ...ranks)] ?? 'unknown'
  return {
    asset_name: name,
    center: { lat: latitude, lng: longitude },
    device_ids: sensors.map(({ serial }) => serial),
    sensor_status: worst === 'healthy' ? 'online' : worst,
  }
}
