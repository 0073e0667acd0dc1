/** Questions on the impressions of all assets together. */
import { chooseGrain, FOUR_WEEKS, HOURS_OF_WEEK, type Question, queryNetwork, TWELVE_WEEKS } from './question'

/** Returns a query on the impressions over time of all assets of a country, or of each group of them. */
const queryOverTime = (name: string, group?: string) =>
  `query ${name}($from: Date!, $to: Date!, $grain: GroupGrain!, $country: [String!]) {
  impressionsAggregate(
    fromDate: $from
    toDate: $to
    grain: $grain
    filter: { country: $country }${group ? `\n    groupBy: ${group}` : ''}
  ) {
    rows { start ${group ? `${group} ` : ''}impressions assetsWithData coverage }
    total
    assetCount
  }
}
`

const OVER_TIME = {
  fields: [TWELVE_WEEKS, chooseGrain('week', 'day', 'month', 'quarter'), 'country'],
  show: { kind: 'line', rows: 'impressionsAggregate.rows', x: 'start', y: 'impressions', unit: 'Impressions' },
} satisfies Partial<Question>

export const NETWORK_QUESTIONS: readonly Question[] = [
  {
    id: 'busiest-assets',
    title: 'Busiest assets',
    text: 'The assets with the most impressions, and the total against the days before.',
    query: queryNetwork(
      'BusiestAssets',
      `total
      compare(fromDate: $before, toDate: $until) { comparedWith change changeRate }
      top(limit: 20) { name impressions share assetId }`,
      ', $before: Date!, $until: Date!',
    ),
    fields: [FOUR_WEEKS, 'before'],
    show: { kind: 'bars', rows: 'assets.impressions.top', x: 'name', y: 'impressions', unit: 'Impressions' },
  },
  {
    id: 'over-time-all',
    title: 'The network over time',
    text: 'All assets together.',
    query: queryOverTime('NetworkOverTime'),
    ...OVER_TIME,
  },
  {
    id: 'over-time-formats',
    title: 'Formats over time',
    text: 'All assets by format.',
    query: queryOverTime('FormatsOverTime', 'format'),
    ...OVER_TIME,
    show: { ...OVER_TIME.show, color: 'format' },
  },
  {
    id: 'over-time-cities',
    title: 'Cities over time',
    text: 'All assets by city.',
    query: queryOverTime('CitiesOverTime', 'city'),
    ...OVER_TIME,
    show: { ...OVER_TIME.show, color: 'city' },
  },
  {
    id: 'weekdays',
    title: 'Weekdays by format',
    text: 'Averages of a day by weekday and format of the assets.',
    query: queryNetwork(
      'WeekdaysByFormat',
      'byWeekday(groupBy: format) { weekday format averageDailyImpressions impressions daysWithData }',
    ),
    fields: [TWELVE_WEEKS],
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
    query: queryNetwork(
      'TypicalWeekOfCity',
      'byHourOfWeek { weekday hour averageImpressions impressions hoursObserved }',
      ', $city: String!',
      ', filter: { city: [$city] }',
    ),
    fields: ['city', FOUR_WEEKS],
    show: { ...HOURS_OF_WEEK, rows: 'assets.impressions.byHourOfWeek' },
  },
]
