/** Ready queries that compare assets, weekdays, audiences and sensors. */
import { daysBefore } from './query-defaults'
import type { ReadyQuery } from './ready-query'

export const ANALYST_QUERIES: readonly ReadyQuery[] = [
  {
    title: 'Assets that changed most',
    description:
      'The assets whose impressions of the last four weeks fell most against the four weeks before; with descending: true, those that rose most.',
    query: `query AssetsThatChangedMost($from: Date!, $to: Date!, $before: Date!, $until: Date!) {
  assets(limit: 1) {
    impressions(fromDate: $from, toDate: $to) {
      top(
        limit: 20
        against: { fromDate: $before, toDate: $until }
        sort: { by: change_rate, descending: false }
      ) { name assetId impressions comparedWith change changeRate }
    }
  }
}
`,
    variables: ({ toDate }) => ({
      from: daysBefore(toDate, 27),
      to: toDate,
      before: daysBefore(toDate, 55),
      until: daysBefore(toDate, 28),
    }),
  },
  {
    title: 'Month to date',
    description:
      'The month of the last day with data, up to that day, against the same days of the month before: in all, and the 100 assets that rose most.',
    query: `query MonthToDate($from: Date!, $to: Date!, $before: Date!, $until: Date!) {
  assets(limit: 1) {
    impressions(fromDate: $from, toDate: $to) {
      compare(fromDate: $before, toDate: $until) { impressions comparedWith change changeRate }
      top(limit: 100, against: { fromDate: $before, toDate: $until }, sort: { by: change }) {
        name assetId impressions comparedWith change changeRate
      }
    }
  }
}
`,
    variables: ({ lastDay }) => monthToDate(lastDay),
  },
  {
    title: 'Weekdays by format',
    description: 'Average impressions per weekday and format of the assets, in the last twelve weeks.',
    query: `query WeekdaysByFormat($from: Date!, $to: Date!) {
  assets(limit: 1) {
    impressions(fromDate: $from, toDate: $to) {
      byWeekday(groupBy: format) { weekday format averageDailyImpressions impressions daysWithData }
    }
  }
}
`,
    variables: ({ toDate }) => ({ from: daysBefore(toDate, 83), to: toDate }),
  },
  {
    title: 'Typical week of a city',
    description: 'All assets of a city together, by hour of the week in the last four weeks: a heat map.',
    query: `query TypicalWeekOfCity($city: String!, $from: Date!, $to: Date!) {
  assets(limit: 1, filter: { city: [$city] }) {
    impressions(fromDate: $from, toDate: $to) {
      byHourOfWeek { weekday hour averageImpressions impressions hoursObserved }
    }
  }
}
`,
    variables: ({ cities: [city], toDate }) => ({ city, from: daysBefore(toDate, 27), to: toDate }),
  },
  {
    title: 'Gender by city',
    description:
      'The audience of the assets of each city by gender, in the last four weeks. Below 50 impressions it is withheld.',
    query: `query GenderByCity($from: Date!, $to: Date!) {
  assets(limit: 1) {
    demographics(fromDate: $from, toDate: $to) {
      groups(groupBy: city) { city country total suppressed assetCount gender { gender impressions share } }
    }
  }
}
`,
    variables: ({ toDate }) => ({ from: daysBefore(toDate, 27), to: toDate }),
  },
  {
    title: 'Silent sensors',
    description:
      'How many sensors of each vendor have not reported since a time, and which; beside it all sensors by health.',
    query: `query SilentSensors($since: DateTime!) {
  silent: sensors(limit: 200, silentSince: $since) {
    count
    nodes { serial vendor model assetId asset { name } health { status reason lastSeenAt } }
    counts { vendor status sensors }
  }
  all: sensors(limit: 1) { count counts { vendor status sensors } }
}
`,
    variables: ({ lastDay }) => ({ since: `${lastDay}T00:00:00Z` }),
  },
  {
    title: 'Counts that cannot be trusted',
    description:
      'The sensors and days that the doctor command found when it ran last, each with the figures that show it.',
    query: `query UntrustedCounts {
  sensorFaults(limit: 500) {
    ranAt
    nodes { assetId serial fault from to evidence remedy }
    hasMore
  }
}
`,
  },
]

/** Returns the days of a month up to a day, and the same days of the month before, as far as it has them. */
export function monthToDate(day: string): { from: string; to: string; before: string; until: string } {
  const from = `${day.slice(0, 7)}-01`
  const lastOfBefore = daysBefore(from, 1)
  const before = `${lastOfBefore.slice(0, 7)}-01`
  const same = `${before.slice(0, 8)}${day.slice(8)}`
  return { from, to: day, before, until: same < lastOfBefore ? same : lastOfBefore }
}
