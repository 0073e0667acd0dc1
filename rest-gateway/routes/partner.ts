/** The route records of the partner interface. */
import { MIN_IMPRESSIONS } from '../../resolvers/demographics'
import { METHODOLOGY_PATH } from '../../resolvers/methodology'
import { at, page, withOptional } from '../envelopes/envelopes'
import * as choices from '../parameters/choices'
import * as filters from '../parameters/filter-params'
import * as params from '../parameters/params'
import { MAX_RANGE_BY_GRAIN, maxRange, range, rangeErrors } from '../parameters/ranges'
import { ASSET, DEMOGRAPHICS, GAP, HOUR_OF_WEEK, SENSOR } from './fragments'
import { GAPS, networkRoutes } from './networks'
import type { RouteRecord } from './record'

/** Returns the record of an impressions route. `result` is the selection on the asset's impressions. */
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
    summary: 'Get the API version and key scope',
    description:
      'Returns the API version and the companies whose data the key can read. Use it to check that a key works, and until when. Up to `final_through`, the totals of a company are final; later days are provisional.',
    parameters: [],
    query: `query ReadMeta {
      meta {
        version companies { id name final_through: finalThrough } methodology
        key { label environment scopes rate expires_at: expiresAt }
      }
    }`,
    envelope: at('meta'),
  },
  {
    path: METHODOLOGY_PATH,
    operation: 'ReadMethodology',
    tag: 'Key',
    summary: 'Get the methodology',
    description:
      "Returns how impressions are measured, in the terms of the industry's standards, as [Methodology](/docs/methodology) explains it. `version` changes with the measurement.",
    parameters: [],
    query: `query ReadMethodology {
      methodology {
        version standard { name edition accredited } level { name definition } measures { name available definition }
        sources { provider data_sources: dataSources } adjustments missing
        suppression { minimum_impressions: minimumImpressions definition } restatements clock_changes: clockChanges
      }
    }`,
    envelope: at('methodology'),
  },
  {
    path: '/v1/partner/assets',
    operation: 'ListAssets',
    tag: 'Assets',
    summary: 'List assets',
    description:
      'Returns all assets in scope, by ascending id. To get the next page, pass `pagination.cursor` as `cursor`; stop when `has_more` is false. Pages never skip or repeat an asset, even if assets are added in the meantime.',
    parameters: [params.limit, params.cursor, ...filters.assetFilters, params.updatedSince],
    query: `query ListAssets($limit: Int!, $cursor: ID, ${filters.FILTER_VARIABLES}, $updated_since: DateTime) {
      assets(limit: $limit, after: $cursor, filter: { ${filters.FILTER_FIELDS}, updatedSince: $updated_since }) {
        data: nodes { ...Asset } has_more: hasMore last unknown: unknownIds
      }
    } ${ASSET}`,
    envelope: page('assets'),
  },
  {
    path: '/v1/partner/assets/{id}',
    operation: 'ReadAsset',
    tag: 'Assets',
    summary: 'Get an asset',
    description: 'Returns one asset. If the asset is unknown or outside the scope of the key, the response is 404.',
    parameters: [params.assetId],
    query: `query ReadAsset($id: ID!) { asset(id: $id) { ...Asset } } ${ASSET}`,
    envelope: at('asset'),
  },
  impressions(
    'summary',
    'ReadImpressionsSummary',
    'Get an impressions summary',
    `Returns one row for the whole range: total, average, days with data and busiest day. ${maxRange()}`,
    `summary(asOf: $as_of) {
      data: rows {
        from_date: fromDate to_date: toDate days days_with_data: daysWithData impressions
        average_daily_impressions: averageDailyImpressions busiest_date: busiestDate
        busiest_date_impressions: busiestDateImpressions coverage
      }
      total average
    }`,
    { parameters: [params.asOf] },
  ),
  impressions(
    'daily',
    'ReadImpressionsDaily',
    'Get impressions by day',
    `Returns one row per local day of the asset. \`impressions\` is null if no sensor reported on that day. ${maxRange()}`,
    'daily(asOf: $as_of) { data: rows { date impressions coverage } total average }',
    { parameters: [params.asOf] },
  ),
  impressions(
    'hourly',
    'ReadImpressionsHourly',
    'Get impressions by hour',
    `Returns one row per clock hour. On days on which clocks change, there is one hour more or less. An asset with daily counts has none. ${maxRange('hour')}`,
    'hourly { data: rows { start impressions coverage } total average }',
    { errors: ['GRAIN_NOT_AVAILABLE'] },
  ),
  impressions(
    'timeseries',
    'ReadImpressionsTimeseries',
    'Get an impressions time series',
    `Returns one row per bucket of the requested grain, including future buckets. Weeks begin on Monday. The first and last week, month or quarter are cut at the ends of the range. The grain cannot be finer than the asset's \`finest_grain\`. ${MAX_RANGE_BY_GRAIN}`,
    'timeseries(grain: $grain, asOf: $as_of) { data: rows { start impressions coverage } total average }',
    {
      parameters: [choices.grain, params.asOf],
      errors: ['GRAIN_NOT_AVAILABLE'],
    },
  ),
  impressions(
    'profile',
    'ReadImpressionsProfile',
    'Get the typical week',
    `Returns 168 rows, one per hour of the week, from Monday 00 to Sunday 23 in the asset's time zone. Each clock hour of the range counts towards the hour that the local clock shows: a repeated hour counts twice, a skipped hour not at all. \`average_impressions\` is per hour with data; \`share\` is the fraction of the sum of all averages. An asset with daily counts has no hours. With \`seconds\`, each row has the \`audience\` of so many seconds of the hour. ${maxRange('hour')}`,
    `profile(seconds: $seconds) { data: rows { ${HOUR_OF_WEEK} } total average }`,
    {
      parameters: [params.seconds],
      envelope: withOptional('audience', at('impressions', 'result')),
      errors: ['GRAIN_NOT_AVAILABLE'],
    },
  ),
  impressions(
    'by-region',
    'ReadImpressionsByRegion',
    'Get impressions by home region',
    `Returns one row per region in which the audience lives, most impressions first. ${maxRange()}`,
    'byRegion { data: rows { country region impressions share } total average }',
  ),
  impressions(
    'by-city',
    'ReadImpressionsByCity',
    'Get impressions by home city',
    `Returns one row per city in which the audience lives, most impressions first. ${maxRange()}`,
    'byCity { data: rows { country region city impressions share } total average }',
  ),
  impressions(
    'gaps',
    'ReadImpressionsGaps',
    'Get the gaps of an asset',
    `Returns one row per stretch without counts, ${GAPS}`,
    `gaps { data: rows { ${GAP} } }`,
    { versioned: false },
  ),
  ...networkRoutes,
  {
    path: '/v1/partner/sensors',
    operation: 'ListSensors',
    tag: 'Sensors',
    summary: 'List sensors',
    description:
      'Returns all sensors in scope with their health, by ascending id, in pages. A health check is due every 15 minutes. If the last check is more than 30 minutes old, the status is `degraded`; after 60 minutes it is `offline`. A sensor that was not checked since its installation is `unknown`.',
    parameters: [params.limit, params.cursor, params.assetIdFilter, ...filters.assetFilters, params.updatedSince],
    query: `query ListSensors(
      $limit: Int!, $cursor: ID, $asset_id: ID, ${filters.FILTER_VARIABLES}, $updated_since: DateTime
    ) {
      sensors(
        limit: $limit, after: $cursor, assetId: $asset_id, filter: { ${filters.FILTER_FIELDS} }, updatedSince: $updated_since
      ) { data: nodes { ...Sensor } has_more: hasMore last }
    } ${SENSOR}`,
    envelope: page('sensors'),
  },
  {
    path: '/v1/partner/assets/{id}/demographics',
    operation: 'ReadDemographics',
    tag: 'Demographics',
    summary: 'Get demographics of an asset',
    description: `Returns the audience by age and gender. Below ${MIN_IMPRESSIONS} impressions, the groups are withheld: \`suppressed\` is true and the lists are empty. ${maxRange()}`,
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
    summary: 'Get combined demographics of several assets',
    description: `Returns the combined audience by age and gender of all assets in scope that match the parameters. Each asset's days are in its own time zone. Shares are calculated from the summed counts. ${maxRange()}`,
    parameters: [...range, filters.assetIds, filters.country, filters.region, filters.city],
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
