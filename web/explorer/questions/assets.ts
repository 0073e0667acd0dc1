/** Questions on the impressions of single assets. */
import type { Question } from './question'

export const ASSET_QUESTIONS: readonly Question[] = [
  {
    id: 'typical-week',
    title: 'Typical week of an asset',
    text: 'Averages by hour of the week.',
    query: `query TypicalWeek($asset: ID!, $from: Date!, $to: Date!) {
  asset(id: $asset) {
    name
    city
    timeZone
    impressions(fromDate: $from, toDate: $to) {
      profile { rows { weekday hour averageImpressions hoursObserved share } total average }
    }
  }
}
`,
    fields: [
      { kind: 'asset', variable: 'asset' },
      { kind: 'range', first: 'Last 4 whole weeks' },
    ],
    show: {
      kind: 'heat',
      rows: 'asset.impressions.profile.rows',
      x: 'weekday',
      y: 'hour',
      color: 'averageImpressions',
      unit: 'Average impressions per hour',
    },
  },
  {
    id: 'changed-most',
    title: 'Assets that changed most',
    text: 'Those that lost or gained most against the days before, of the assets with data in both.',
    query: `query AssetsThatChangedMost(
  $from: Date!
  $to: Date!
  $before: Date!
  $until: Date!
  $by: SumOrder!
  $gained: Boolean!
) {
  assets(limit: 1) {
    impressions(fromDate: $from, toDate: $to) {
      compare(fromDate: $before, toDate: $until) { impressions comparedWith change changeRate }
      top(limit: 20, against: { fromDate: $before, toDate: $until }, sort: { by: $by, descending: $gained }) {
        name
        changeRate
        change
        impressions
        comparedWith
        assetId
      }
    }
  }
}
`,
    fields: [
      { kind: 'choice', variable: 'gained', label: 'Assets that', values: { false: 'lost most', true: 'gained most' } },
      {
        kind: 'choice',
        variable: 'by',
        label: 'By',
        values: { change_rate: 'fraction of impressions', change: 'impressions' },
      },
      { kind: 'range', first: 'Last whole week' },
      { kind: 'before' },
    ],
    show: {
      kind: 'bars',
      rows: 'assets.impressions.top',
      x: 'name',
      y: 'changeRate',
      unit: 'Change of impressions',
      empty: 'No asset has impressions in these days.',
    },
  },
  {
    id: 'over-time',
    title: 'Impressions of an asset',
    text: 'Impressions over time, with the notes on the data.',
    query: `query ImpressionsOfAsset($asset: ID!, $from: Date!, $to: Date!, $grain: Grain!) {
  asset(id: $asset) {
    name
    city
    timeZone
    company { finalThrough }
    notes(fromDate: $from, toDate: $to) { from to kind text }
    impressions(fromDate: $from, toDate: $to) {
      timeseries(grain: $grain) { rows { start impressions coverage } total average }
    }
  }
}
`,
    fields: [
      { kind: 'asset', variable: 'asset' },
      { kind: 'range', first: 'Last 4 whole weeks' },
      {
        kind: 'choice',
        variable: 'grain',
        label: 'By',
        values: {
          day: 'day',
          week: 'week',
          month: 'month',
          hour: 'hour',
          quarter_hour: 'quarter hour',
          minute: 'minute',
        },
      },
    ],
    show: {
      kind: 'line',
      rows: 'asset.impressions.timeseries.rows',
      x: 'start',
      y: 'impressions',
      unit: 'Impressions',
    },
  },
  {
    id: 'several-assets',
    title: 'Several assets compared',
    text: 'Impressions of up to ten assets by day.',
    query: `query SeveralAssets($assets: [ID!]!, $from: Date!, $to: Date!) {
  assets(limit: 10, filter: { id: $assets }) {
    nodes { name impressions(fromDate: $from, toDate: $to) { daily { rows { date impressions coverage } } } }
  }
}
`,
    fields: [
      { kind: 'assets', variable: 'assets' },
      { kind: 'range', first: 'Last 4 whole weeks' },
    ],
    show: {
      kind: 'line',
      rows: 'assets.nodes.impressions.daily.rows',
      x: 'date',
      y: 'impressions',
      color: 'name',
      unit: 'Impressions per day',
    },
  },
  {
    id: 'all-assets',
    title: 'All assets',
    text: 'Location, format, finest grain and measured days of each asset.',
    query: `query AllAssets($country: [String!]) {
  assets(limit: 500, filter: { country: $country }, sort: { by: name }) {
    count
    hasMore
    nodes { name city region country mediaType format status finestGrain measuredFrom measuredTo id }
  }
}
`,
    fields: [{ kind: 'country', variable: 'country' }],
    show: { kind: 'table', rows: 'assets.nodes' },
  },
]
