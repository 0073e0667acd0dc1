/** Questions on the impressions of all assets together. */
import { COMPARED, chooseGrain, FOUR_WEEKS, type Question, queryNetwork, TWELVE_WEEKS } from './question'

/** Returns a query on the impressions over time of the assets of a filter, or of each group of them. */
const queryOverTime = (name: string, group?: string) =>
  `query ${name}($from: Date!, $to: Date!, $grain: GroupGrain!, $filter: AssetFilter) {
  impressionsAggregate(fromDate: $from, toDate: $to, grain: $grain, filter: $filter${group ? `, groupBy: ${group}` : ''}) {
    rows { start ${group ? `${group} ` : ''}impressions assetsWithData coverage }
    total
    assets: assetCount
  }
}
`

const OVER_TIME = {
  fields: [TWELVE_WEEKS, chooseGrain('week', 'day', 'month', 'quarter')],
  show: { kind: 'line', rows: 'impressionsAggregate.rows', x: 'start', y: 'impressions', unit: 'Impressions' },
} satisfies Partial<Question>

export const NETWORK_QUESTIONS: readonly Question[] = [
  {
    id: 'busiest-assets',
    title: 'Busiest assets',
    text: 'The twenty assets with the most impressions, and all of them against the days before.',
    query: queryNetwork(
      'BusiestAssets',
      `total
      compare(fromDate: $before, toDate: $until) { ${COMPARED} }
      top(limit: 20) { name impressions share daysWithData coverage assetId }`,
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
  ...['Formats', 'Cities', 'Regions'].map((groups, i): Question => {
    const group = ['format', 'city', 'region'][i]!
    return {
      id: `over-time-${groups.toLowerCase()}`,
      title: `${groups} over time`,
      text: `All assets by ${group}.`,
      query: queryOverTime(`${groups}OverTime`, group),
      ...{ ...OVER_TIME, show: { ...OVER_TIME.show, color: group } },
    }
  }),
]
