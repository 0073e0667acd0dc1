/** Questions on the impressions of all assets together. */
import { chooseGrain, FOUR_WEEKS, type Question, queryNetwork } from './question'

export const NETWORK_QUESTIONS: readonly Question[] = [
  {
    id: 'busiest-assets',
    title: 'Busiest assets',
    text: 'The twenty assets with the most impressions.',
    query: queryNetwork(
      'BusiestAssets',
      'total top(limit: 20) { name impressions share daysWithData coverage assetId }',
    ),
    fields: [FOUR_WEEKS],
    show: { kind: 'bars', rows: 'assets.impressions.top', x: 'name', y: 'impressions', unit: 'Impressions' },
  },
  ...[undefined, 'city'].map(
    (group): Question => ({
      id: group ? 'over-time-cities' : 'over-time-all',
      title: group ? 'Cities over time' : 'The network over time',
      text: group ? 'All assets by city.' : 'All assets together.',
      query: `query NetworkOverTime($from: Date!, $to: Date!, $grain: GroupGrain!, $filter: AssetFilter) {
  impressionsAggregate(fromDate: $from, toDate: $to, grain: $grain, filter: $filter${group ? `, groupBy: ${group}` : ''}) {
    rows { start ${group ? `${group} ` : ''}impressions assetsWithData coverage }
    total
    assets: assetCount
  }
}
`,
      fields: [{ range: 'Last 12 whole weeks' }, chooseGrain('week', 'day', 'month', 'quarter')],
      show: {
        ...{ kind: 'line', rows: 'impressionsAggregate.rows', x: 'start', y: 'impressions', unit: 'Impressions' },
        ...(group && { color: group }),
      },
    }),
  ),
]
