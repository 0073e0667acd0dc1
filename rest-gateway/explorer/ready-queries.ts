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
]
