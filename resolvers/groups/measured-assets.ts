/** The sums of assets over a range of days, with what is known of their completeness. */
import type { Dates } from '../../db/calendar/local-days'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import type { NetworkMoment } from '../../db/queries/as-of'
import { daysOver } from '../../db/queries/as-of'
import type { AssetFilter } from '../../db/queries/asset-filters'
import { type AssetSum, readAssetSums } from '../../db/queries/groups/asset-sums'
import { readInstalledSensors } from '../../db/queries/groups/installed-sensors'
import { ExpectedIntervals } from '../series/expected-intervals'
import { Turns } from '../turns'

export type MeasuredAsset = Pick<AssetSum, 'id' | 'impressions' | 'daysWithData' | 'observed'> & {
  /** Native intervals that sensors were expected to report. */
  expected: number
}

/** Returns the assets that match a filter, most impressions first, those without counts last; equal ones by id. */
export async function measureAssets(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  moment?: NetworkMoment,
): Promise<MeasuredAsset[]> {
  const [sums, installed] = await Promise.all([
    readAssetSums(reader, filter, moment ? daysOver(dates, moment) : dates, moment),
    readInstalledSensors(reader, filter, dates, 'asset'),
  ])
  const expected = new Map<number, number>()
  const intervals = new ExpectedIntervals(dates, () => 0, 1)
  const turns = new Turns()
  for (const { assets, ...sensor } of installed) {
    const [count] = intervals.count(sensor) as unknown as [number]
    for (const asset of assets) expected.set(asset, (expected.get(asset) ?? 0) + count)
    if (turns.isOver) await turns.next()
  }
  // Copying each with a spread operator would take ten times as long.
  return sums.map(({ asset, id, impressions, daysWithData, observed }) => {
    return { id, impressions, daysWithData, observed, expected: expected.get(asset) ?? 0 }
  })
}
