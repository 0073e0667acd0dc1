/** The partner interface: one record a route. Everything else about a route follows from its record and the vocabulary. */

import { FEWEST } from '../../resolvers/demographics'
import { MAX_DAYS, MAX_DAYS_OTHERWISE } from '../../resolvers/limits/ranges'
import { at, page } from './envelopes'
import { ASSET, DEMOGRAPHICS, SENSOR } from './fragments'
import * as params from './params'
import type { RouteRecord } from './route'

const GRAINS = ['minute', 'quarter_hour', 'hour', 'day', 'week', 'month', 'quarter'] as const

const range = [params.fromDate, params.toDate]

const rangeErrors = ['INVALID_DATE_RANGE', 'RANGE_TOO_LARGE'] as const

const atMost = (days = MAX_DAYS_OTHERWISE): string => `A range of at most ${days.toLocaleString('en')} days.`

const GRAINS_AT_MOST = `At most ${Object.entries(MAX_DAYS)
  .map(([grain, days]) => `${days} days at \`${grain}\``)
  .join(', ')}, ${MAX_DAYS_OTHERWISE.toLocaleString('en')} at anything coarser.`

/** An impressions route of one asset: what it selects of the asset's impressions, as `result`. */
const impressions = (
  path: string,
  operation: string,
  summary: string,
  description: string,
  result: string,
  more: Partial<RouteRecord> = {},
): RouteRecord => {
  const parameters = [params.assetId, ...range, ...(more.parameters ?? [])]
  const variables = parameters.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  return {
    path: `/v1/partner/assets/{id}/impressions/${path}`,
    operation,
    tag: 'Impressions',
    summary,
    description,
    query: `query ${operation}(${variables}) {
      impressions(assetId: $id, fromDate: $from_date, toDate: $to_date) { result: ${result} }
    }`,
    envelope: at('impressions', 'result'),
    versioned: true,
    ...more,
    parameters,
    errors: [...rangeErrors, ...(more.errors ?? [])],
  }
}

export const partnerRoutes: RouteRecord[] = [
  {
    path: '/v1/partner/meta',
    operation: 'ReadMeta',
    tag: 'Key',
    summary: 'The companies that the key reads',
    description: 'A good first call: it shows that the key works, and whose data it reads.',
    parameters: [],
    query: 'query ReadMeta { meta { version companies { id name } } }',
    envelope: at('meta'),
  },
  {
    path: '/v1/partner/assets',
    operation: 'ListAssets',
    tag: 'Assets',
    summary: 'Assets, page by page',
    description:
      'Every asset in full, by ascending id. Follow `pagination.cursor` until `has_more` is false: no row is met twice or skipped, even while others come.',
    parameters: [params.limit, params.cursor],
    query: `query ListAssets($limit: Int!, $cursor: ID) {
      assets(limit: $limit, after: $cursor) { data: nodes { ...Asset } has_more: hasMore last }
    } ${ASSET}`,
    envelope: page('assets'),
  },
  {
    path: '/v1/partner/assets/{id}',
    operation: 'ReadAsset',
    tag: 'Assets',
    summary: 'One asset',
    description: 'An asset that is unknown and one of somebody else get the same answer: 404.',
    parameters: [params.assetId],
    query: `query ReadAsset($id: ID!) { asset(id: $id) { ...Asset } } ${ASSET}`,
    envelope: at('asset'),
  },
  impressions(
    'summary',
    'ReadImpressionsSummary',
    'Impressions of a range in one row',
    `The total, the days with data, the average and the busiest day. ${atMost()}`,
    `summary {
      data: rows {
        from_date: fromDate to_date: toDate days days_with_data: daysWithData impressions
        average_daily_impressions: averageDailyImpressions busiest_date: busiestDate
        busiest_date_impressions: busiestDateImpressions coverage
      }
      total average
    }`,
  ),
  impressions(
    'daily',
    'ReadImpressionsDaily',
    'Impressions by day',
    `One row a local day of the asset; a day on which no sensor reported has \`null\`. ${atMost()}`,
    'daily { data: rows { date impressions coverage } total average }',
  ),
  impressions(
    'hourly',
    'ReadImpressionsHourly',
    'Impressions by clock hour',
    `One row a clock hour. The day on which clocks change has an hour more or less. ${atMost(MAX_DAYS.hour)}`,
    'hourly { data: rows { start impressions coverage } total average }',
  ),
  impressions(
    'timeseries',
    'ReadImpressionsTimeseries',
    'Impressions by buckets of a grain',
    `One row a bucket, future ones too. Weeks begin on Monday; weeks, months and quarters are cut at the ends of the range. No grain finer than the asset's sensors count (\`finest_grain\` of the asset). ${GRAINS_AT_MOST}`,
    'timeseries(grain: $grain) { data: rows { start impressions coverage } total average }',
    {
      parameters: [params.choice('grain', 'Grain!', GRAINS, 'How long a bucket is.', 'hour')],
      errors: ['GRAIN_NOT_AVAILABLE'],
    },
  ),
  impressions(
    'by-region',
    'ReadImpressionsByRegion',
    "Impressions by the audience's home region",
    `Where the audience lives, most impressions first, with each region's share. ${atMost()}`,
    'byRegion { data: rows { country region impressions share } total average }',
  ),
  impressions(
    'by-city',
    'ReadImpressionsByCity',
    "Impressions by the audience's home city",
    `Where the audience lives, most impressions first, with each city's share. ${atMost()}`,
    'byCity { data: rows { country region city impressions share } total average }',
  ),
  {
    path: '/v1/partner/sensors',
    operation: 'ListSensors',
    tag: 'Sensors',
    summary: 'Sensors with their health, page by page',
    description:
      'By ascending id, in pages as assets are; `asset_id` narrows to one asset. A sensor is checked every 15 minutes; one whose check is overdue counts as degraded, later as offline.',
    parameters: [params.limit, params.cursor, params.assetIdFilter],
    query: `query ListSensors($limit: Int!, $cursor: ID, $asset_id: ID) {
      sensors(limit: $limit, after: $cursor, assetId: $asset_id) { data: nodes { ...Sensor } has_more: hasMore last }
    } ${SENSOR}`,
    envelope: page('sensors'),
  },
  {
    path: '/v1/partner/assets/{id}/demographics',
    operation: 'ReadDemographics',
    tag: 'Demographics',
    summary: 'Who the audience of an asset was',
    description: `Below ${FEWEST} impressions nothing is told apart: \`suppressed\` is true and the lists are empty. ${atMost()}`,
    parameters: [params.assetId, ...range],
    query: `query ReadDemographics($id: ID!, $from_date: Date!, $to_date: Date!) {
      demographics(assetId: $id, fromDate: $from_date, toDate: $to_date) { asset_id: assetId ...Demographics }
    } ${DEMOGRAPHICS}`,
    envelope: at('demographics'),
    versioned: true,
    errors: [...rangeErrors],
  },
  {
    path: '/v1/partner/demographics/aggregate',
    operation: 'ReadAggregateDemographics',
    tag: 'Demographics',
    summary: 'Who the audience of several assets was, counted together',
    description: `All assets in scope, or those that the parameters leave; each asset's days are its own. Counts are summed first and divided last. ${atMost()}`,
    parameters: [...range, params.assetIds, params.country, params.region, params.city],
    query: `query ReadAggregateDemographics(
      $from_date: Date!, $to_date: Date!, $asset_ids: [ID!], $country: String, $region: String, $city: String
    ) {
      demographicsAggregate(
        fromDate: $from_date, toDate: $to_date, assetIds: $asset_ids, country: $country, region: $region, city: $city
      ) { asset_count: assetCount ...Demographics }
    } ${DEMOGRAPHICS}`,
    envelope: at('demographicsAggregate'),
    errors: [...rangeErrors],
  },
]
