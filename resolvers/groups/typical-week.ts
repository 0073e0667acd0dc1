/** The impressions of groups by weekday, and by hour of the week. */
import { dayNumber, weekdayOf } from '../../db/calendar/local-days'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import type { AssetFilter } from '../../db/queries/asset-filters'
import { readAssetSums } from '../../db/queries/groups/asset-sums'
import { ApiError } from '../../schema/errors'
import type { GroupHour, GroupWeekday } from '../../schema/generated'
import { type DateRange, lengthOf } from '../limits/ranges'
import type { GroupSeries } from '../series/group-series'
import { readWeeks, SLOTS } from '../series/profile'
import { average } from '../series/ratios'

/** @param series of days */
export function weekdayRows({ starts, groups }: GroupSeries): Partial<GroupWeekday>[] {
  const weekdays = starts.map(start => weekdayOf(dayNumber(start)))
  const present = [...new Set(weekdays)].sort()
  return present.flatMap(weekday => {
    const daysOf = weekdays.flatMap((each, day) => (each === weekday ? day : []))
    return groups.map(({ attributes, sums, assets }) => {
      const days = daysOf.filter(day => assets[day]! > 0)
      const impressions = days.reduce((sum, day) => sum + sums[day]!, 0)
      const hasData = days.length > 0
      return {
        ...{ weekday, ...(attributes as object), daysWithData: days.length },
        impressions: hasData ? impressions : null,
        averageDailyImpressions: hasData ? average(impressions, days.length) : null,
      }
    })
  })
}

/** The most days of all assets together of which the hours are read. */
const MAX_ASSET_DAYS = 10_000

/** Adds up the typical weeks of the assets that match a filter and deliver hours. @throws ApiError RANGE_TOO_LARGE, INTERNAL */
export async function readHoursOfWeek(
  reader: ScopedReader,
  filter: AssetFilter,
  range: DateRange,
): Promise<GroupHour[]> {
  const assets = await readAssetSums(reader, filter, [range.fromDate, range.toDate])
  const ids = assets.flatMap(({ id, daysWithData }) => (daysWithData > 0 ? id : []))
  checkAssetDays(ids.length, lengthOf(range))
  const sums = new Float64Array(SLOTS)
  const hours = new Int32Array(SLOTS)
  for await (const [, week] of readWeeks(reader, ids, range)) {
    if (week instanceof ApiError) {
      if (week.code === 'GRAIN_NOT_AVAILABLE') continue
      throw week
    }
    for (let slot = 0; slot < SLOTS; slot++) {
      sums[slot]! += week.sumOf(slot)
      hours[slot]! += week.hoursOf(slot)
    }
  }
  return Array.from(hours, (hoursObserved, slot) => ({
    ...{ weekday: Math.floor(slot / 24) + 1, hour: slot % 24, hoursObserved },
    impressions: hoursObserved === 0 ? null : sums[slot]!,
    averageImpressions: hoursObserved === 0 ? null : average(sums[slot]!, hoursObserved),
  }))
}

/** @throws ApiError RANGE_TOO_LARGE */
function checkAssetDays(assets: number, days: number): void {
  if (assets * days <= MAX_ASSET_DAYS) return
  const maxDays = Math.floor(MAX_ASSET_DAYS / assets)
  const message = `${assets} assets have ${assets * days} days; ${MAX_ASSET_DAYS} are allowed. Choose fewer days or fewer assets.`
  throw new ApiError('RANGE_TOO_LARGE', { max_days: maxDays }, message)
}
