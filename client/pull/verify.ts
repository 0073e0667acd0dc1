/** Compares a copy with the service. */
import type { Metrics } from '../index'
import { dataOf } from '../metrics-error'
import { addDays } from './days'
import type { SqlStore } from './sql-store'
import { GRAINS, type Grain, MAX_DAYS } from './tables'

/** Returns a line for each asset whose impressions differ. Assets that do not have the grain have no rows. */
export async function findDifferences(
  metrics: Metrics,
  store: SqlStore,
  grain: Grain,
  from: string | undefined,
): Promise<string[]> {
  const copied = await store.sumImpressions()
  const finest = new Map<string, Grain | null>()
  let last = ''
  for await (const { id, finest_grain, measured_to } of metrics.entries('/v1/partner/assets', {})) {
    finest.set(id, finest_grain)
    if (measured_to && measured_to > last) last = measured_to
  }
  if (last === '') return []
  const query = {
    ...{ from_date: from ?? addDays(last, 1 - MAX_DAYS.day), to_date: last },
    group_by: 'asset' as const,
  }
  const { data } = dataOf(await metrics.GET('/v1/partner/impressions/aggregate', { params: { query } }))
  const has = (id: string) => GRAINS.indexOf(finest.get(id) ?? 'quarter_hour') <= GRAINS.indexOf(grain)
  return data.flatMap(({ asset_id, impressions }) => {
    if (asset_id == null) return []
    const sum = copied.get(asset_id) ?? 0
    if (!has(asset_id) || sum === (impressions ?? 0)) return []
    return [`${asset_id} has ${sum} impressions in the copy and ${impressions ?? 0} in the service`]
  })
}
