/** Questions on counts that are missing. */
import { FOUR_WEEKS, type Question } from './question'

/** Returns a query on the first assets of a filter. */
const queryAssets = (name: string, limit: number, fields: string) =>
  `query ${name}($from: Date!, $to: Date!, $filter: AssetFilter) {
  assets(limit: ${limit}, filter: $filter) {
    count
    hasMore
    ${fields}
  }
}
`

export const GAP_QUESTIONS: readonly Question[] = [
  {
    id: 'missing-counts',
    title: 'Why counts are missing',
    text: 'The stretches without counts, with the reason of each, of the first five hundred assets.',
    query: queryAssets(
      'WhyCountsAreMissing',
      500,
      'gaps(fromDate: $from, toDate: $to) { assetId reason from to missingIntervals: missing sensorId }',
    ),
    fields: [FOUR_WEEKS],
    show: {
      kind: 'table',
      rows: 'assets.gaps',
      empty: 'No counts of these assets are missing in these days.',
    },
  },
  {
    id: 'days-without-data',
    title: 'Days without data',
    text: 'The part of each day that was not measured, of the first hundred assets.',
    query: queryAssets(
      'DaysWithoutData',
      100,
      'nodes { assetId: id name city impressions(fromDate: $from, toDate: $to) { daily { rows { date impressions coverage } } } }',
    ),
    fields: [{ range: 'Last 2 whole weeks' }],
    firstFilter: { status: ['active'] },
    show: {
      ...{ kind: 'heat', rows: 'assets.nodes.impressions.daily.rows', x: 'date', y: 'name', color: 'coverage' },
      ...{ isMissing: true, leadsTo: 'missing-counts', unit: 'Part of the expected measurements that is missing' },
    },
  },
]
