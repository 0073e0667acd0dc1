/** Queries for common questions. They run without changes for any key. */
import { daysBefore, type QueryDefaults } from './query-defaults'

export interface ReadyQuery {
  title: string
  description: string
  query: string
  variables?(defaults: QueryDefaults): Record<string, unknown>
}

const VARIABLES = `
  $id: ID!
  $from: Date!
  $to: Date!
`
const ARGUMENTS = `
    assetId: $id
    fromDate: $from
    toDate: $to
  `

const lastWeek = ({ assetId, fromDate, toDate }: QueryDefaults) => ({ id: assetId, from: fromDate, to: toDate })
const lastFourWeeks = ({ assetId, toDate }: QueryDefaults) => ({
  id: assetId,
  from: daysBefore(toDate, 27),
  to: toDate,
})
const lastDay = ({ assetId, toDate }: QueryDefaults) => ({ id: assetId, from: toDate, to: toDate })

export const READY_QUERIES: readonly ReadyQuery[] = [
  {
    title: 'Companies',
    description: 'The companies whose data your key can read.',
    query: `query Companies {
  meta {
    version
    companies { id name }
  }
}
`,
  },
  {
    title: 'Assets',
    description: 'Location, format, finest grain and measured period of each asset.',
    query: `query Assets {
  assets(limit: 500) {
    nodes {
      id
      name
      city
      region
      country
      mediaType
      format
      status
      finestGrain
      measuredFrom measuredTo
    }
    hasMore
  }
}
`,
  },
  {
    title: 'Sensor health',
    description: 'The status of each sensor, with the reason if it is not healthy.',
    query: `query SensorHealth {
  sensors(limit: 500) {
    nodes {
      serial
      vendor
      model
      assetId
      billableState
      health { status reason checkedAt lastSeenAt }
    }
    hasMore
  }
}
`,
  },
  {
    title: 'Impressions by day',
    description: 'The last four weeks of one asset.',
    query: `query ImpressionsByDay(${VARIABLES}) {
  impressions(${ARGUMENTS}) {
    daily {
      total
      average
      rows { date impressions coverage }
    }
  }
}
`,
    variables: lastFourWeeks,
  },
  {
    title: 'Impressions by hour',
    description: 'The last week of one asset.',
    query: `query ImpressionsByHour(${VARIABLES}) {
  impressions(${ARGUMENTS}) {
    hourly {
      total
      rows { start impressions coverage }
    }
  }
}
`,
    variables: lastWeek,
  },
  {
    title: 'Impressions by quarter hour',
    description: 'The last day of one asset.',
    query: `query ImpressionsByQuarterHour(${VARIABLES}) {
  impressions(${ARGUMENTS}) {
    timeseries(grain: quarter_hour) {
      total
      rows { start impressions coverage }
    }
  }
}
`,
    variables: lastDay,
  },
  {
    title: 'Home cities of the audience',
    description: 'The last four weeks of one asset, most impressions first.',
    query: `query HomeCities(${VARIABLES}) {
  impressions(${ARGUMENTS}) {
    byCity {
      total
      rows { country region city impressions share }
    }
  }
}
`,
    variables: lastFourWeeks,
  },
  {
    title: 'Age and gender',
    description: 'The audience of one asset in the last four weeks.',
    query: `query AgeAndGender(${VARIABLES}) {
  demographics(${ARGUMENTS}) {
    total
    suppressed
    ageGender { ageBand gender impressions share }
  }
}
`,
    variables: lastFourWeeks,
  },
  {
    title: 'Age by country',
    description: 'The combined audience of all assets in one country in the last four weeks.',
    query: `query AgeByCountry(
  $country: String
  $from: Date!
  $to: Date!
) {
  demographicsAggregate(
    country: $country
    fromDate: $from
    toDate: $to
  ) {
    assetCount
    total
    suppressed
    age { ageBand impressions share }
  }
}
`,
    variables: ({ country, toDate }) => ({ country, from: daysBefore(toDate, 27), to: toDate }),
  },
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
      top(limit: 10) { asset { name city } impressions share }
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
    title: 'Impressions by week in a country',
    description: "The sum over all active assets with a sensor of the service's own vendor, for the last twelve weeks.",
    query: `query ImpressionsByWeek($country: String!, $from: Date!, $to: Date!) {
  assets(limit: 1, filter: { country: [$country], status: [active], hasOwnSensor: true }) {
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
    title: 'Assets compared',
    description: 'The last week of each asset in one country, with its sensors.',
    query: `query AssetsCompared($country: String!, $from: Date!, $to: Date!) {
  assets(limit: 50, filter: { country: [$country] }, sort: { by: name }) {
    nodes {
      name
      city
      sensors { serial health { status } }
      impressions(fromDate: $from, toDate: $to) {
        summary { rows { impressions averageDailyImpressions busiestDate coverage } }
      }
    }
  }
}
`,
    variables: ({ country, fromDate, toDate }) => ({ country, from: fromDate, to: toDate }),
  },
]
