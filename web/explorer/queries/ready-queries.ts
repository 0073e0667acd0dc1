/** Queries for common questions. They run without changes for any key. */
import { ANALYST_QUERIES } from './analyst-queries'
import { GAPS_QUERY } from './gaps-query'
import { NETWORK_QUERIES } from './network-queries'
import { daysBefore, type QueryDefaults } from './query-defaults'
import type { ReadyQuery } from './ready-query'

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
const lastDay = ({ assetId, lastDay }: QueryDefaults) => ({ id: assetId, from: lastDay, to: lastDay })

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
  GAPS_QUERY,
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
    title: 'Typical week',
    description: 'One asset, averages of the last four weeks by hour of the week: a heat map.',
    query: `query TypicalWeek(${VARIABLES}) {
  impressions(${ARGUMENTS}) {
    profile { rows { weekday hour averageImpressions hoursObserved share } total average }
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
  ...NETWORK_QUERIES,
  ...ANALYST_QUERIES,
  {
    title: 'Assets compared',
    description: 'The last week of each asset in one country, with its sensors.',
    query: `query AssetsCompared($country: String!, $from: Date!, $to: Date!) {
  assets(limit: 50, filter: { country: [$country] }, sort: { by: name }) {
    nodes {
      id
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
