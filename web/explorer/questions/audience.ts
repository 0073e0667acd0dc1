/** Questions on who the audience is. */
import type { Question } from './question'

const FOUR_WEEKS = { kind: 'range', first: 'Last 4 whole weeks' } as const

export const AUDIENCE_QUESTIONS: readonly Question[] = [
  {
    id: 'age-by-city',
    title: 'Age by city',
    text: 'The audience of the assets of each city by age. Below 50 impressions it is withheld.',
    query: `query AgeByCity($from: Date!, $to: Date!) {
  assets(limit: 1) {
    demographics(fromDate: $from, toDate: $to) {
      total
      groups(groupBy: city) { city country total suppressed age { ageBand share impressions } }
    }
  }
}
`,
    fields: [FOUR_WEEKS],
    show: {
      kind: 'heat',
      rows: 'assets.demographics.groups.age',
      x: 'ageBand',
      y: 'city',
      color: 'share',
      unit: 'Share of the audience of the city',
    },
  },
  {
    id: 'gender-by-city',
    title: 'Gender by city',
    text: 'The audience of the assets of each city by gender. Below 50 impressions it is withheld.',
    query: `query GenderByCity($from: Date!, $to: Date!) {
  assets(limit: 1) {
    demographics(fromDate: $from, toDate: $to) {
      total
      groups(groupBy: city) { city country total suppressed gender { gender share impressions } }
    }
  }
}
`,
    fields: [FOUR_WEEKS],
    show: {
      kind: 'heat',
      rows: 'assets.demographics.groups.gender',
      x: 'gender',
      y: 'city',
      color: 'share',
      unit: 'Share of the audience of the city',
    },
  },
  {
    id: 'age-and-gender',
    title: 'Age and gender of an asset',
    text: 'The audience of one asset. Below 50 impressions it is withheld.',
    query: `query AgeAndGender($asset: ID!, $from: Date!, $to: Date!) {
  asset(id: $asset) {
    name
    city
    timeZone
    demographics(fromDate: $from, toDate: $to) { total suppressed ageGender { ageBand gender impressions share } }
  }
}
`,
    fields: [{ kind: 'asset', variable: 'asset' }, FOUR_WEEKS],
    show: {
      kind: 'bars',
      rows: 'asset.demographics.ageGender',
      x: 'ageBand',
      y: 'impressions',
      color: 'gender',
      unit: 'Impressions',
    },
  },
  {
    id: 'age',
    title: 'Age in a country',
    text: 'The audience of all its assets together.',
    query: `query AgeInCountry($country: String, $from: Date!, $to: Date!) {
  demographicsAggregate(country: $country, fromDate: $from, toDate: $to) {
    total
    assetCount
    suppressed
    age { ageBand impressions share }
  }
}
`,
    fields: [{ kind: 'country', variable: 'country' }, FOUR_WEEKS],
    show: { kind: 'bars', rows: 'demographicsAggregate.age', x: 'ageBand', y: 'share', unit: 'Share of the audience' },
  },
  {
    id: 'home-cities',
    title: 'Home cities of the audience',
    text: 'Where the audience of one asset lives, most impressions first.',
    query: `query HomeCities($asset: ID!, $from: Date!, $to: Date!) {
  asset(id: $asset) {
    name
    city
    timeZone
    impressions(fromDate: $from, toDate: $to) { byCity { rows { city region country impressions share } total } }
  }
}
`,
    fields: [{ kind: 'asset', variable: 'asset' }, FOUR_WEEKS],
    show: {
      kind: 'bars',
      rows: 'asset.impressions.byCity.rows',
      x: 'city',
      y: 'impressions',
      unit: 'Impressions',
      empty: 'The origin of this audience is not known.',
    },
  },
]
