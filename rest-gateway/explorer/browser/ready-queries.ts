/** The shelf: queries that are ready to run on whatever the key sees, each with a title and a sentence. */
import { daysBefore, type Sample } from './sample'

export interface ReadyQuery {
  title: string
  sentence: string
  query: string
  /** From an asset of the key and its last days with counts. */
  variables?(sample: Sample): Record<string, unknown>
}

const RANGE = `
  $id: ID!
  $from: Date!
  $to: Date!
`
const ARGUMENTS = `
    assetId: $id
    fromDate: $from
    toDate: $to
  `

const week = ({ assetId, fromDate, toDate }: Sample) => ({ id: assetId, from: fromDate, to: toDate })
const month = ({ assetId, toDate }: Sample) => ({ id: assetId, from: daysBefore(toDate, 27), to: toDate })
const day = ({ assetId, toDate }: Sample) => ({ id: assetId, from: toDate, to: toDate })

export const READY_QUERIES: readonly ReadyQuery[] = [
  {
    title: 'Whose data',
    sentence: 'The companies that your key reads.',
    query: `query WhoseData {
  meta {
    version
    companies { id name }
  }
}
`,
  },
  {
    title: 'Assets',
    sentence: 'Where they stand, what they are, and since when they are counted.',
    query: `query Assets {
  assets(limit: 500) {
    nodes {
      id
      name
      mediaType
      format
      status
      city
      region
      country
      finestGrain
      measuredFrom
      measuredTo
    }
    hasMore
  }
}
`,
  },
  {
    title: 'Sensors and their health',
    sentence: 'Which of them work, and what is known about those that do not.',
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
    title: 'Days of an asset',
    sentence: 'Four weeks of impressions, day by day.',
    query: `query Days(${RANGE}) {
  impressions(${ARGUMENTS}) {
    daily {
      total
      average
      rows { date impressions coverage }
    }
  }
}
`,
    variables: month,
  },
  {
    title: 'Hours of a week',
    sentence: 'When in the day the audience comes.',
    query: `query Hours(${RANGE}) {
  impressions(${ARGUMENTS}) {
    hourly {
      total
      rows { start impressions coverage }
    }
  }
}
`,
    variables: week,
  },
  {
    title: 'Quarter hours of a day',
    sentence: 'The finest grain that every vendor counts.',
    query: `query QuarterHours(${RANGE}) {
  impressions(${ARGUMENTS}) {
    timeseries(grain: quarter_hour) {
      total
      rows { start impressions coverage }
    }
  }
}
`,
    variables: day,
  },
  {
    title: 'Where the audience lives',
    sentence: 'Four weeks by home city, most impressions first.',
    query: `query HomeCities(${RANGE}) {
  impressions(${ARGUMENTS}) {
    byCity {
      total
      rows { country region city impressions share }
    }
  }
}
`,
    variables: month,
  },
  {
    title: 'Age and gender',
    sentence: 'Who the audience of an asset was.',
    query: `query AgeAndGender(${RANGE}) {
  demographics(${ARGUMENTS}) {
    total
    suppressed
    ageGender { ageBand gender impressions share }
  }
}
`,
    variables: month,
  },
  {
    title: 'Ages of a country',
    sentence: 'The audience of all assets in one country, counted together.',
    query: `query AgesOfCountry(
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
    title: 'The busiest assets',
    sentence: 'Ten assets with most impressions of four weeks, and what they change against the four weeks before.',
    query: `query Busiest(
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
    sentence: 'Whose assets, and where, the impressions of four weeks were counted.',
    query: `query CompaniesAndRegions(
  $from: Date!
  $to: Date!
) {
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
    title: 'Weeks of a country',
    sentence: 'All active assets of a country with a sensor of our own, summed by week.',
    query: `query WeeksOfCountry(
  $country: String!
  $from: Date!
  $to: Date!
) {
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
    title: 'Assets side by side',
    sentence: 'The last week of each asset in a country, with its sensors.',
    query: `query SideBySide(
  $country: String!
  $from: Date!
  $to: Date!
) {
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
