/** Folds the days of a series of groups into weekdays. */
import { dayNumber } from '../../db/calendar/local-days'
import type { GroupWeekday } from '../../schema/generated'
import { average } from '../ratios'
import type { GroupSeries } from '../series/group-series'
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
