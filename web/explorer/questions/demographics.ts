/** Questions on who passes. */
import { FOUR_WEEKS, type Question, queryAsset } from './question'

const AGE_AND_GENDER = { kind: 'bars', x: 'age', y: 'impressions', color: 'gender', unit: 'Impressions' } as const

/** All impressions of an asset, from which those with origins or demographics differ. */
const ALL_IMPRESSIONS =
  'all: impressions(fromDate: $from, toDate: $to) { summary { impressionsOfAllDaysAndSensors: total } }'

export const DEMOGRAPHIC_QUESTIONS: readonly Question[] = [
  {
    id: 'age-and-gender-of-all',
    title: 'Age and gender of all assets',
    text: 'The impressions of all assets together, or of those of a filter, by age and gender. Below 50 they are withheld.',
    query: `query AgeAndGenderOfAll($from: Date!, $to: Date!, $filter: AssetFilter) {
  demographicsAggregate(fromDate: $from, toDate: $to, filter: $filter) {
    impressionsWithDemographics: total
    assetsWithDemographics: assetCount
    withheldAsTooFew: suppressed
    ageGender { age: ageBand gender impressions share }
  }
  assets(limit: 1, filter: $filter) { impressions(fromDate: $from, toDate: $to) { impressionsOfAllDaysAndSensors: total } }
}
`,
    fields: [FOUR_WEEKS],
    show: { ...AGE_AND_GENDER, rows: 'demographicsAggregate.ageGender' },
  },
  {
    id: 'age-and-gender',
    title: 'Age and gender of an asset',
    text: 'The impressions of one asset by age and gender. Below 50 they are withheld.',
    query: queryAsset(
      'AgeAndGender',
      `demographics(fromDate: $from, toDate: $to) {
      impressionsWithDemographics: total daysWithDemographics: daysWithData withheldAsTooFew: suppressed ageGender { age: ageBand gender impressions share }
    }
    ${ALL_IMPRESSIONS}`,
    ),
    fields: ['asset', FOUR_WEEKS],
    show: { ...AGE_AND_GENDER, rows: 'asset.demographics.ageGender' },
  },
  {
    id: 'home-cities',
    title: 'Home cities',
    text: 'Where the people live who pass one asset, most impressions first.',
    query: queryAsset(
      'HomeCities',
      `impressions(fromDate: $from, toDate: $to) {
      byCity { rows { city region country impressions share } impressionsWithHomeCities: total daysWithHomeCities: daysWithData }
    }
    ${ALL_IMPRESSIONS}`,
    ),
    fields: ['asset', FOUR_WEEKS],
    show: {
      ...{ kind: 'bars', rows: 'asset.impressions.byCity.rows', x: 'city', y: 'impressions', unit: 'Impressions' },
      empty: 'Where these people live is not known.',
    },
  },
]
