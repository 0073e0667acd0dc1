/** Questions on who passes. */
import { FOUR_WEEKS, type Question, queryAsset } from './question'

export const DEMOGRAPHIC_QUESTIONS: readonly Question[] = [
  {
    id: 'age-by-city',
    title: 'Age by city',
    text: 'The impressions of the assets of each city by age. Below 50 they are withheld.',
    query: `query AgeByCity($from: Date!, $to: Date!) {
  demographicsAggregate(fromDate: $from, toDate: $to) {
    total
    groups(groupBy: city) { city country total suppressed age { ageBand share impressions } }
  }
}
`,
    fields: [FOUR_WEEKS],
    show: {
      kind: 'heat',
      rows: 'demographicsAggregate.groups.age',
      x: 'ageBand',
      y: 'city',
      color: 'share',
      unit: 'Share of the impressions of the city',
    },
  },
  {
    id: 'age-and-gender',
    title: 'Age and gender of an asset',
    text: 'The impressions of one asset by age and gender. Below 50 they are withheld.',
    query: queryAsset(
      'AgeAndGender',
      'demographics(fromDate: $from, toDate: $to) { total suppressed ageGender { ageBand gender impressions share } }',
    ),
    fields: ['asset', FOUR_WEEKS],
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
    id: 'home-cities',
    title: 'Home cities',
    text: 'Where the people live who pass one asset, most impressions first.',
    query: queryAsset(
      'HomeCities',
      'impressions(fromDate: $from, toDate: $to) { byCity { rows { city region country impressions share } total } }',
    ),
    fields: ['asset', FOUR_WEEKS],
    show: {
      kind: 'bars',
      rows: 'asset.impressions.byCity.rows',
      x: 'city',
      y: 'impressions',
      unit: 'Impressions',
      empty: 'Where these people live is not known.',
    },
  },
]
