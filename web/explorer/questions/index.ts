/** The questions by group. The first one is answered when the page opens. */
import { chooseGrain, FOUR_WEEKS, type Question, queryAsset, queryNetwork } from './question'

const LINE = { kind: 'line', x: 'start', y: 'impressions', unit: 'Impressions' } as const

const ASSET_QUESTIONS: readonly Question[] = [
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

const AGE_AND_GENDER = { kind: 'bars', x: 'age', y: 'impressions', color: 'gender', unit: 'Impressions' } as const

/** All impressions of an asset, from which those with origins or demographics differ. */
const ALL_IMPRESSIONS =
  'all: impressions(fromDate: $from, toDate: $to) { summary { impressionsOfAllDaysAndSensors: total } }'

const DEMOGRAPHIC_QUESTIONS: readonly Question[] = [
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

const queryAssets = (name: string, limit: number, fields: string) =>
  `query ${name}($from: Date!, $to: Date!, $filter: AssetFilter) {
  assets(limit: ${limit}, filter: $filter) {
    count
    hasMore
    ${fields}
  }
}
`

const GAP_QUESTIONS: readonly Question[] = [
  {
    id: 'missing-counts',
    title: 'Why counts are missing',
    text: 'The stretches without counts, with the reason of each, of the first five hundred assets.',
    query: queryAssets(
      'WhyCountsAreMissing',
      500,
      'gaps(fromDate: $from, toDate: $to) { assetId reason from to missingIntervals: missing sensorId }',
    ),
    fields: [FOUR_WEEKS],
    show: {
      kind: 'table',
      rows: 'assets.gaps',
      empty: 'No counts of these assets are missing in these days.',
    },
  },
  {
    id: 'days-without-data',
    title: 'Days without data',
    text: 'The part of each day that was not measured, of the first hundred assets.',
    query: queryAssets(
      'DaysWithoutData',
      100,
      'nodes { assetId: id name city impressions(fromDate: $from, toDate: $to) { daily { rows { date impressions coverage } } } }',
    ),
    fields: [{ range: 'Last 2 whole weeks' }],
    firstFilter: { status: ['active'] },
    show: {
      ...{ kind: 'heat', rows: 'assets.nodes.impressions.daily.rows', x: 'date', y: 'name', color: 'coverage' },
      ...{ isMissing: true, leadsTo: 'missing-counts', unit: 'Part of the expected measurements that is missing' },
    },
  },
]

const NETWORK_QUESTIONS: readonly Question[] = [
  {
    id: 'busiest-assets',
    title: 'Busiest assets',
    text: 'The twenty assets with the most impressions.',
    query: queryNetwork(
      'BusiestAssets',
      'total top(limit: 20) { name impressions share daysWithData coverage assetId }',
    ),
    fields: [FOUR_WEEKS],
    show: { kind: 'bars', rows: 'assets.impressions.top', x: 'name', y: 'impressions', unit: 'Impressions' },
  },
  ...[undefined, 'city'].map(
    (group): Question => ({
      id: group ? 'over-time-cities' : 'over-time-all',
      title: group ? 'Cities over time' : 'The network over time',
      text: group ? 'All assets by city.' : 'All assets together.',
      query: `query NetworkOverTime($from: Date!, $to: Date!, $grain: GroupGrain!, $filter: AssetFilter) {
  impressionsAggregate(fromDate: $from, toDate: $to, grain: $grain, filter: $filter${group ? `, groupBy: ${group}` : ''}) {
    rows { start ${group ? `${group} ` : ''}impressions assetsWithData coverage }
    total
    assets: assetCount
  }
}
`,
      fields: [{ range: 'Last 12 whole weeks' }, chooseGrain('week', 'day', 'month', 'quarter')],
      show: {
        ...{ kind: 'line', rows: 'impressionsAggregate.rows', x: 'start', y: 'impressions', unit: 'Impressions' },
        ...(group && { color: group }),
      },
    }),
  ),
]

export const GROUPS: Readonly<Record<string, readonly Question[]>> = {
  Assets: ASSET_QUESTIONS,
  Network: NETWORK_QUESTIONS,
  Demographics: DEMOGRAPHIC_QUESTIONS,
  Gaps: GAP_QUESTIONS,
}

export const QUESTIONS: readonly Question[] = Object.values(GROUPS).flat()

export const findQuestion = (id: string | undefined): Question | undefined =>
  QUESTIONS.find(question => question.id === id)
