/** Compares a copy with the service. */

import { GRAINS } from '../../db/calendar/grains'
import type { Grain } from '../../schema/generated'
import { type Metrics, MetricsError } from '../index'
import type { Store } from './store'

const GRAIN_NAMES = Object.keys(GRAINS)

/** The longest range of the service. */
const MAX_DAYS = GRAINS.day.maxDays

/** Returns a line for each asset whose impressions differ. Assets that do not have the grain have no rows. */
export async function findDifferences(
  metrics: Metrics,
  store: Store,
  grain: Grain,
  from: string | undefined,
): Promise<string[]> {
  const copied = await store.sumImpressions()
  const finest = new Map<string, string | null>()
  let last = ''
  for await (const { id, finest_grain, measured_to } of metrics.entries('/v1/partner/assets', {})) {
    finest.set(id, finest_grain)
    if (measured_to && measured_to > last) last = measured_to
  }
  if (last === '') return []
  const earliest = new Date(Date.parse(last) - (MAX_DAYS - 1) * 86_400_000).toISOString().slice(0, 10)
  const query = { from_date: from ?? earliest, to_date: last, group_by: 'asset' as const }
  const { data, error, response } = await metrics.GET('/v1/partner/impressions/aggregate', { params: { query } })
  if (error) throw MetricsError.from(response.status, error)
  const has = (id: string) => GRAIN_NAMES.indexOf(finest.get(id) ?? 'quarter_hour') <= GRAIN_NAMES.indexOf(grain)
  return data.data.flatMap(({ asset_id, impressions }) => {
    if (asset_id == null) return []
    const sum = copied.get(asset_id) ?? 0
    if (!has(asset_id) || sum === (impressions ?? 0)) return []
    return [`${asset_id} has ${sum} impressions in the copy and ${impressions ?? 0} in the service`]
  })
}
