/** The partner interface: one record a route. Everything else about a route follows from its record and the vocabulary. */
import { at, page } from '../envelopes'
import * as params from '../params'
import type { RouteRecord } from '../route'
import { ASSET, DEMOGRAPHICS, SENSOR } from './fragments'

const GRAINS = ['minute', 'quarter_hour', 'hour', 'day', 'week', 'month', 'quarter'] as const

const range = [params.fromDate, params.toDate]

const rangeErrors = ['INVALID_DATE_RANGE', 'RANGE_TOO_LARGE'] as const

/** An impressions route of one asset: what it selects of the asset's impressions, as `result`. */
const impressions = (
  path: string,
  operation: string,
  summary: string,
  result: string,
  more: Partial<RouteRecord> = {},
): RouteRecord => {
  const parameters = [params.assetId, ...range, ...(more.parameters ?? [])]
  const variables = parameters.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  return {
    path: `/v1/partner/assets/{id}/impressions/${path}`,
    operation,
    summary,
    query: `query ${operation}(${variables}) {
      impressions(assetId: $id, fromDate: $from_date, toDate: $to_date) { result: ${result} }
    }`,
    envelope: at('impressions', 'result'),
    ...more,
    parameters,
    errors: [...rangeErrors, ...(more.errors ?? [])],
  }
}

export const partnerRoutes: RouteRecord[] = [
  {
    path: '/v1/partner/meta',
    operation: 'ReadMeta',
    summary: 'The version of the interface and the companies that the key reads',
    parameters: [],
    query: 'query ReadMeta { meta { version companies { id name } } }',
    envelope: at('meta'),
  },
  {
    path: '/v1/partner/assets',
    operation: 'ListAssets',
    summary: 'Assets, page by page',
    parameters: [params.limit, params.cursor],
    query: `query ListAssets($limit: Int!, $cursor: ID) {
      assets(limit: $limit, after: $cursor) { data: nodes { ...Asset } has_more: hasMore }
    } ${ASSET}`,
    envelope: page('assets'),
  },
  {
    path: '/v1/partner/assets/{id}',
    operation: 'ReadAsset',
    summary: 'One asset',
    parameters: [params.assetId],
    query: `query ReadAsset($id: ID!) { asset(id: $id) { ...Asset } } ${ASSET}`,
    envelope: at('asset'),
  },
  impressions(
    'summary',
    'ReadImpressionsSummary',
    'Impressions of a range in one row',
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
    'daily { data: rows { date impressions coverage } total average }',
  ),
  impressions(
    'hourly',
    'ReadImpressionsHourly',
    'Impressions by clock hour',
    'hourly { data: rows { start impressions coverage } total average }',
  ),
  impressions(
    'timeseries',
    'ReadImpressionsTimeseries',
    'Impressions by buckets of a grain',
    'timeseries(grain: $grain) { data: rows { start impressions coverage } total average }',
    {
      parameters: [params.choice('grain', 'Grain!', GRAINS, 'How long a bucket is.')],
      errors: ['GRAIN_NOT_AVAILABLE'],
    },
  ),
  impressions(
    'by-region',
    'ReadImpressionsByRegion',
    "Impressions by the audience's home region",
    'byRegion { data: rows { country region impressions share } total average }',
  ),
  impressions(
    'by-city',
    'ReadImpressionsByCity',
    "Impressions by the audience's home city",
    'byCity { data: rows { country region city impressions share } total average }',
  ),
  {
    path: '/v1/partner/sensors',
    operation: 'ListSensors',
    summary: 'Sensors with their health, page by page',
    parameters: [params.limit, params.cursor, params.assetIdFilter],
    query: `query ListSensors($limit: Int!, $cursor: ID, $asset_id: ID) {
      sensors(limit: $limit, after: $cursor, assetId: $asset_id) { data: nodes { ...Sensor } has_more: hasMore }
    } ${SENSOR}`,
    envelope: page('sensors'),
  },
  {
    path: '/v1/partner/assets/{id}/demographics',
    operation: 'ReadDemographics',
    summary: 'Who the audience of an asset was',
    parameters: [params.assetId, ...range],
    query: `query ReadDemographics($id: ID!, $from_date: Date!, $to_date: Date!) {
      demographics(assetId: $id, fromDate: $from_date, toDate: $to_date) { asset_id: assetId ...Demographics }
    } ${DEMOGRAPHICS}`,
    envelope: at('demographics'),
    errors: [...rangeErrors],
  },
  {
    path: '/v1/partner/demographics/aggregate',
    operation: 'ReadAggregateDemographics',
    summary: 'Who the audience of several assets was, counted together',
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
