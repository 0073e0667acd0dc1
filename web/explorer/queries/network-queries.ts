/** Ready queries on all assets together. */
import { daysBefore } from './query-defaults'
import type { ReadyQuery } from './ready-query'

export const NETWORK_QUERIES: readonly ReadyQuery[] = [
  {
    title: 'Busiest assets',
    description:
      'The ten assets with the most impressions in the last four weeks, and the change of the total from the four weeks before.',
    query: `query BusiestAssets(
  $from: Date!
  $to: Date!
  $before: Date!
  $until: Date!
) {
  assets(limit: 1) {
    impressions(fromDate: $from, toDate: $to) {
      total
      compare(fromDate: $before, toDate: $until) { comparedWith change changeRate }
      top(limit: 10) { asset { id name city } impressions share }
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
    title: 'Companies and regions',
    description: 'Impressions of the last four weeks by company and by region of the assets.',
    query: `query CompaniesAndRegions($from: Date!, $to: Date!) {
  assets(limit: 1) {
    impressions(fromDate: $from, toDate: $to) {
      total
      byRegion { country region impressions share assetCount }
      byCompany { company { name } impressions share assetCount }
    }
  }
}
`,
    variables: ({ toDate }) => ({ from: daysBefore(toDate, 27), to: toDate }),
  },
  {
    title: 'Two cities',
    description: 'Impressions of the last twelve weeks by week, in two cities.',
    query: `query TwoCities($first: String!, $second: String!, $from: Date!, $to: Date!) {
  impressionsAggregate(
    fromDate: $from
    toDate: $to
    grain: week
    groupBy: city
    filter: { city: [$first, $second] }
  ) {
    rows { start city impressions assetsWithData coverage }
    total
    assetCount
  }
}
`,
    variables: ({ cities: [first, second], toDate }) => ({ first, second, from: daysBefore(toDate, 83), to: toDate }),
  },
  {
    title: 'Several assets',
    description: 'The last four weeks of several assets by day, as lines.',
    query: `query SeveralAssets($ids: [ID!]!, $from: Date!, $to: Date!) {
  assets(limit: 10, filter: { id: $ids }) {
    nodes {
      name
      timeZone
      impressions(fromDate: $from, toDate: $to) {
        daily { rows { date impressions coverage } }
      }
    }
  }
}
`,
    variables: ({ assetIds, toDate }) => ({ ids: assetIds, from: daysBefore(toDate, 27), to: toDate }),
  },
  {
    title: 'Gaps',
    description:
      'On which of the last fourteen days the active assets of a country lacked data: the matrix begins with the most.',
    query: `query Gaps($country: String!, $from: Date!, $to: Date!) {
  assets(limit: 100, filter: { country: [$country], status: [active] }, sort: { by: name }) {
    hasMore
    nodes {
      name
      city
      impressions(fromDate: $from, toDate: $to) {
        daily { rows { date impressions coverage } }
      }
    }
  }
}
`,
    variables: ({ country, toDate }) => ({ country, from: daysBefore(toDate, 13), to: toDate }),
  },
  {
    title: 'Impressions by week in a country',
    description: 'The sum over all active assets of a country, for the last twelve weeks.',
    query: `query ImpressionsByWeek($country: String!, $from: Date!, $to: Date!) {
  assets(limit: 1, filter: { country: [$country], status: [active] }) {
    count
    impressions(fromDate: $from, toDate: $to) {
      total
      series(grain: week) { date impressions }
    }
  }
}
`,
    variables: ({ country, toDate }) => ({ country, from: daysBefore(toDate, 83), to: toDate }),
  },
  {
    title: 'The network by week',
    description: 'All assets together: the last year by week.',
    query: `query NetworkByWeek($from: Date!, $to: Date!) {
  assets(limit: 1) {
    count
    impressions(fromDate: $from, toDate: $to) {
      total
      assetCount
      series(grain: week) { date impressions assetsWithData }
    }
  }
}
`,
    variables: ({ toDate }) => ({ from: daysBefore(toDate, 363), to: toDate }),
  },
  {
    title: 'The network by month and format',
    description: 'All assets together: the last year by month and format.',
    query: `query NetworkByFormat($from: Date!, $to: Date!) {
  impressionsAggregate(fromDate: $from, toDate: $to, grain: month, groupBy: format) {
    rows { start format impressions assetsWithData coverage }
    total
    assetCount
  }
}
`,
    variables: ({ toDate }) => ({ from: daysBefore(toDate, 363), to: toDate }),
  },
]
