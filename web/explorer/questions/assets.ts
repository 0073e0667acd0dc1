/** Questions on the impressions of single assets. */
import { chooseGrain, FOUR_WEEKS, type Question, queryAsset, queryNetwork } from './question'

const LINE = { kind: 'line', x: 'start', y: 'impressions', unit: 'Impressions' } as const

export const ASSET_QUESTIONS: readonly Question[] = [
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
    show: { ...LINE, rows: 'asset.impressions.timeseries.rows' },
  },
  {
    id: 'typical-week',
    title: 'Typical week of an asset',
    text: 'Averages by hour of the week.',
    query: queryAsset(
      'TypicalWeek',
      `impressions(fromDate: $from, toDate: $to) {
      profile { rows { weekday hour averagePerHour: averageImpressions hoursWithData: hoursObserved share } total average }
    }`,
    ),
    fields: ['asset', FOUR_WEEKS],
    show: {
      ...{ kind: 'heat', rows: 'asset.impressions.profile.rows', x: 'weekday', y: 'hour', color: 'averagePerHour' },
      unit: 'Average impressions per hour',
    },
  },
  {
    id: 'changed-most',
    title: 'Assets that changed most',
    text: 'The twenty that lost or gained most of their average per day with data, of the assets with data in both ranges.',
    query: queryNetwork(
      'AssetsThatChangedMost',
      `top(limit: 20, against: { fromDate: $before, toDate: $until }, sort: { by: $by, descending: $gained }) {
        name relativeChangePerDay: changeRate changePerDay: change impressions daysWithData coverage
        impressionsBefore: comparedWith daysWithDataBefore: comparedDaysWithData coverageBefore: comparedCoverage assetId
      }`,
      ', $before: Date!, $until: Date!, $by: SumOrder!, $gained: Boolean!',
    ),
    fields: [
      { variable: 'gained', label: 'Assets that', values: { 'lost most': false, 'gained most': true } },
      { variable: 'by', label: 'By', values: { fraction: 'change_rate', 'impressions per day': 'change' } },
      { range: 'Last whole week' },
      'before',
    ],
    show: {
      ...{ kind: 'bars', rows: 'assets.impressions.top', x: 'name', y: 'relativeChangePerDay' },
      ...{ leadsTo: 'beside-before', unit: 'Change of the average per day with data' },
    },
  },
  {
    id: 'beside-before',
    title: 'An asset beside the days before',
    text: 'The impressions of one asset beside those of the range before.',
    query: queryAsset(
      'BesideTheDaysBefore',
      `impressions(fromDate: $from, toDate: $to) {
      timeseries(grain: $grain) { rows { start impressions coverage } total }
    }
    before: impressions(fromDate: $before, toDate: $until) {
      timeseries(grain: $grain) { rows { start impressions coverage } totalBefore: total }
    }`,
      ', $before: Date!, $until: Date!, $grain: Grain!',
    ),
    fields: ['asset', { range: 'Last whole week' }, 'before', chooseGrain('hour', 'day', 'quarter_hour')],
    show: {
      ...{ ...LINE, rows: 'asset.impressions.timeseries.rows' },
      ...{ color: 'range', beside: 'asset.before.timeseries.rows' },
    },
  },
]
