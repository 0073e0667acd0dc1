/** The impressions of groups by weekday, and by hour of the week. */
import { GRAINS } from '../../db/calendar/grains'
import { type Dates, dayNumber } from '../../db/calendar/local-days'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import type { AssetFilter } from '../../db/queries/asset-filters'
import { readAssetSums } from '../../db/queries/groups/asset-sums'
import { readMeasurements } from '../../db/queries/impressions'
import type { GroupHour, GroupWeekday } from '../../schema/generated'
import { finestMinutes } from '../limits/grains'
import { average } from '../ratios'
import type { GroupSeries } from '../series/group-series'
import { buildWeek, SLOTS } from '../series/profile'
import { Turns } from '../turns'
import { checkRows, MAX_ROWS, NO_ATTRIBUTES } from './aggregates'

/** ISO 8601: 1 is Monday. 1970-01-01 was a Thursday. */
const weekdayOf = (date: string): number => ((((dayNumber(date) + 3) % 7) + 7) % 7) + 1

/** @param series of days @throws ApiError RANGE_TOO_LARGE */
export function weekdayRows({ starts, groups }: GroupSeries): GroupWeekday[] {
  const weekdays = starts.map(weekdayOf)
  const present = [...new Set(weekdays)].sort()
  checkRows(present.length * groups.length, MAX_ROWS)
  return present.flatMap(weekday =>
    groups.map(({ attributes, sums, assets }) => {
      const days = weekdays.flatMap((each, day) => (each === weekday && assets[day]! > 0 ? day : []))
      const impressions = days.reduce((sum, day) => sum + sums[day]!, 0)
      const hasData = days.length > 0
      return {
        ...{ weekday, ...NO_ATTRIBUTES, ...(attributes as object), daysWithData: days.length },
        impressions: hasData ? impressions : null,
        averageDailyImpressions: hasData ? average(impressions, days.length) : null,
      }
    }),
  )
}

/** Assets whose hours are read at once. */
const BATCH = 100

/** Reads the hours of the assets that match a filter and have data. */
export async function readHoursOfWeek(reader: ScopedReader, filter: AssetFilter, dates: Dates): Promise<GroupHour[]> {
  const [fromDate, toDate] = dates
  const range = { fromDate, toDate }
  const assets = await readAssetSums(reader, filter, dates)
  const ids = assets.flatMap(({ id, daysWithData }) => (daysWithData > 0 ? id : []))
  const sums = new Float64Array(SLOTS)
  const hours = new Int32Array(SLOTS)
  const turns = new Turns()
  for (let i = 0; i < ids.length; i += BATCH) {
    for (const measurement of (await readMeasurements(reader, ids.slice(i, i + BATCH), dates, 'hours')).values()) {
      if (finestMinutes(measurement, range) > GRAINS.hour.minutes) continue
      const week = buildWeek(measurement, range)
      for (let slot = 0; slot < SLOTS; slot++) {
        sums[slot]! += week.sumOf(slot)
        hours[slot]! += week.hoursOf(slot)
      }
      if (turns.isOver) await turns.next()
    }
  }
  return Array.from(hours, (hoursObserved, slot) => ({
    ...{ weekday: Math.floor(slot / 24) + 1, hour: slot % 24, hoursObserved },
    impressions: hoursObserved === 0 ? null : sums[slot]!,
    averageImpressions: hoursObserved === 0 ? null : average(sums[slot]!, hoursObserved),
  }))
}
