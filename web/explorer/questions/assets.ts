/** Questions on the impressions of single assets. */
import { chooseGrain, FOUR_WEEKS, HOURS_OF_WEEK, type Question, queryAsset, queryNetwork } from './question'

export const ASSET_QUESTIONS: readonly Question[] = [
  {
    id: 'typical-week',
    title: 'Typical week of an asset',
    text: 'Averages by hour of the week.',
    query: queryAsset(
      'TypicalWeek',
      `impressions(fromDate: $from, toDate: $to) {
      profile { rows { weekday hour averageImpressions hoursObserved share } total average }
    }`,
    ),
    fields: ['asset', FOUR_WEEKS],
    show: { ...HOURS_OF_WEEK, rows: 'asset.impressions.profile.rows' },
  },
  {
    id: 'changed-most',
    title: 'Assets that changed most',
    text: 'Those that lost or gained most against the days before, of the assets with data in both.',
    query: queryNetwork(
      'AssetsThatChangedMost',
      `compare(fromDate: $before, toDate: $until) { impressions comparedWith change changeRate }
      top(limit: 20, against: { fromDate: $before, toDate: $until }, sort: { by: $by, descending: $gained }) {
        name changeRate change impressions comparedWith assetId
      }`,
      ', $before: Date!, $until: Date!, $by: SumOrder!, $gained: Boolean!',
    ),
    fields: [
      { variable: 'gained', label: 'Assets that', values: { 'lost most': false, 'gained most': true } },
      { variable: 'by', label: 'By', values: { 'fraction of impressions': 'change_rate', impressions: 'change' } },
      { range: 'Last whole week' },
      'before',
    ],
    show: { kind: 'bars', rows: 'assets.impressions.top', x: 'name', y: 'changeRate', unit: 'Change of impressions' },
  },
  {
    id: 'over-time',
    title: 'Impressions of an asset',
    text: 'Impressions over time, with the notes on the data.',
    query: queryAsset(
      'ImpressionsOfAsset',
      `company { finalThrough }
    impressions(fromDate: $from, toDate: $to) {
      timeseries(grain: $grain) { rows { start impressions coverage } total average }
    }`,
      ', $grain: Grain!',
      '\n  notes(limit: 200, fromDate: $from, toDate: $to, filter: { id: [$asset] }) { nodes { from to kind text } }',
    ),
    fields: ['asset', FOUR_WEEKS, chooseGrain('day', 'week', 'month', 'hour', 'quarter_hour', 'minute')],
    show: {
      kind: 'line',
      rows: 'asset.impressions.timeseries.rows',
      x: 'start',
      y: 'impressions',
      unit: 'Impressions',
    },
  },
]
