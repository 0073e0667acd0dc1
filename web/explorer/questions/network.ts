/** Questions on the impressions of all assets together. */
import type { Question } from './question'

const FOUR_WEEKS = { kind: 'range', first: 'Last 4 whole weeks' } as const

const GRAIN = {
  kind: 'choice',
  variable: 'grain',
  label: 'By',
  values: { week: 'week', day: 'day', month: 'month', quarter: 'quarter' },
} as const

export const NETWORK_QUESTIONS: readonly Question[] = [
  {
    id: 'busiest-assets',
    title: 'Busiest assets',
    text: 'The assets with the most impressions, and the total against the days before.',
    query: `query BusiestAssets($from: Date!, $to: Date!, $before: Date!, $until: Date!) {
  assets(limit: 1) {
    impressions(fromDate: $from, toDate: $to) {
      total
      compare(fromDate: $before, toDate: $until) { comparedWith change changeRate }
      top(limit: 20) { name impressions share assetId }
    }
  }
}
`,
    fields: [FOUR_WEEKS, { kind: 'before' }],
    show: { kind: 'bars', rows: 'assets.impressions.top', x: 'name', y: 'impressions', unit: 'Impressions' },
  },
  {
    id: 'network-over-time',
    title: 'The network over time',
    text: 'All active assets together.',
    query: `query NetworkOverTime($from: Date!, $to: Date!, $grain: GroupGrain!, $country: [String!]) {
  impressionsAggregate(
    fromDate: $from
    toDate: $to
    grain: $grain
    filter: { country: $country, status: [active] }
  ) {
    rows { start impressions assetsWithData coverage }
    total
    assetCount
  }
}
`,
    fields: [{ kind: 'range', first: 'Last 12 whole weeks' }, GRAIN, { kind: 'country', variable: 'country' }],
    show: { kind: 'line', rows: 'impressionsAggregate.rows', x: 'start', y: 'impressions', unit: 'Impressions' },
  },
  {
    id: 'formats-over-time',
    title: 'Formats over time',
    text: 'All assets by format.',
    query: `query FormatsOverTime($from: Date!, $to: Date!, $grain: GroupGrain!) {
  impressionsAggregate(fromDate: $from, toDate: $to, grain: $grain, groupBy: format) {
    rows { start format impressions assetsWithData coverage }
    total
    assetCount
  }
}
`,
    fields: [{ kind: 'range', first: 'Last 12 whole weeks' }, GRAIN],
    show: {
      kind: 'line',
      rows: 'impressionsAggregate.rows',
      x: 'start',
      y: 'impressions',
      color: 'format',
      unit: 'Impressions',
    },
  },
  {
    id: 'cities-over-time',
    title: 'Two cities compared',
    text: 'All assets of each city.',
    query: `query TwoCities($city: String!, $other: String!, $from: Date!, $to: Date!, $grain: GroupGrain!) {
  impressionsAggregate(
    fromDate: $from
    toDate: $to
    grain: $grain
    groupBy: city
    filter: { city: [$city, $other] }
  ) {
    rows { start city impressions assetsWithData coverage }
    total
    assetCount
  }
}
`,
    fields: [
      { kind: 'city', variable: 'city' },
      { kind: 'city', variable: 'other' },
      { kind: 'range', first: 'Last 12 whole weeks' },
      GRAIN,
    ],
    show: {
      kind: 'line',
      rows: 'impressionsAggregate.rows',
      x: 'start',
      y: 'impressions',
      color: 'city',
      unit: 'Impressions',
    },
  },
  {
    id: 'regions',
    title: 'Regions',
    text: 'Impressions by region of the assets.',
    query: `query Regions($from: Date!, $to: Date!) {
  assets(limit: 1) {
    impressions(fromDate: $from, toDate: $to) { total byRegion { region country impressions share assetCount } }
  }
}
`,
    fields: [FOUR_WEEKS],
    show: { kind: 'bars', rows: 'assets.impressions.byRegion', x: 'region', y: 'impressions', unit: 'Impressions' },
  },
  {
    id: 'companies',
    title: 'Companies',
    text: 'Impressions by company of the assets.',
    query: `query Companies($from: Date!, $to: Date!) {
  assets(limit: 1) {
    impressions(fromDate: $from, toDate: $to) { total byCompany { company { name } impressions share assetCount } }
  }
}
`,
    fields: [FOUR_WEEKS],
    show: {
      kind: 'bars',
      rows: 'assets.impressions.byCompany',
      x: 'company.name',
      y: 'impressions',
      unit: 'Impressions',
    },
  },
  {
    id: 'weekdays',
    title: 'Weekdays by format',
    text: 'Averages of a day by weekday and format of the assets.',
    query: `query WeekdaysByFormat($from: Date!, $to: Date!) {
  assets(limit: 1) {
    impressions(fromDate: $from, toDate: $to) {
      byWeekday(groupBy: format) { weekday format averageDailyImpressions impressions daysWithData }
    }
  }
}
`,
    fields: [{ kind: 'range', first: 'Last 12 whole weeks' }],
    show: {
      kind: 'heat',
      rows: 'assets.impressions.byWeekday',
      x: 'weekday',
      y: 'format',
      color: 'averageDailyImpressions',
      unit: 'Average impressions per day',
    },
  },
  {
    id: 'typical-week-of-city',
    title: 'Typical week of a city',
    text: 'Averages of all its assets together, by hour of the week.',
    query: `query TypicalWeekOfCity($city: String!, $from: Date!, $to: Date!) {
  assets(limit: 1, filter: { city: [$city] }) {
    impressions(fromDate: $from, toDate: $to) {
      byHourOfWeek { weekday hour averageImpressions impressions hoursObserved }
    }
  }
}
`,
    fields: [{ kind: 'city', variable: 'city' }, FOUR_WEEKS],
    show: {
      kind: 'heat',
      rows: 'assets.impressions.byHourOfWeek',
      x: 'weekday',
      y: 'hour',
      color: 'averageImpressions',
      unit: 'Average impressions per hour',
    },
  },
]
