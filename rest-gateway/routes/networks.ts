/** The route records of many assets at once. */
import { GROUP_ATTRIBUTES, snakeCase } from '../../db/assets/attributes'
import { MAX_JSON_ROWS } from '../../resolvers/limits/rows'
import * as choices from '../read/choices'
import * as filters from '../read/filter-params'
import * as params from '../read/params'
import { MAX_RANGE_BY_GRAIN, maxRange, range, rangeErrors } from '../read/params'
import { checkPageRows, checkPageWeeks, checkSeriesRange, rowsPerAsset } from '../read/series-range'
import type { RouteRecord } from '../record'
import { at, withOptional } from '../shape/envelopes'
import { gapsPage, seriesPage } from '../shape/pages'
import { GAP, GAPS, HOUR_OF_WEEK, MAX_ROWS, selectFields } from './impressions'

const ROWS = MAX_JSON_ROWS.toLocaleString('en')

const GROUPING = ['start', ...GROUP_ATTRIBUTES.map(snakeCase), 'asset_id']

/** Returns the query of a page of assets. @param columns precede the selection of the impressions of each */
const pageOfAssets = (columns: string, impressions: string): string => `{
  assets(limit: $limit, after: $cursor, filter: { ${filters.FILTER_FIELDS} }) {
    data: nodes { ${columns} impressions(fromDate: $from_date, toDate: $to_date) { ${impressions} } }
    has_more: hasMore last
  }
}`

export const networkRoutes: RouteRecord[] = [
  {
    path: '/v1/partner/impressions',
    operation: 'ListImpressions',
    tag: 'Impressions',
    summary: 'List the impressions of many assets',
    description: `Returns one entry per asset in scope that matches the parameters, by ascending id: the time series of the asset. An asset that does not have the grain has an \`error\` instead. In JSON, \`limit\` times the buckets of the range is at most ${ROWS}; in other formats, one response has all assets. ${MAX_RANGE_BY_GRAIN}`,
    parameters: [...range, choices.grainOrDay, params.limit, params.cursor, params.asOf, ...filters.assetFilters],
    query: pageOfAssets(
      'asset_id: id',
      'series: timeseries(grain: $grain, asOf: $as_of) { data: rows { start impressions coverage } total average }',
    ),
    envelope: seriesPage('assets'),
    localTimes: ['start'],
    // Longer buckets are added up from days, eight of which take about as long as a row.
    rowsPerNode: variables => rowsPerAsset(variables) + rowsPerAsset({ ...variables, grain: 'day' }) / 8,
    check(variables, format) {
      checkSeriesRange(variables)
      if (format === 'json') checkPageRows(variables)
    },
    errorsOfNodes: ['GRAIN_NOT_AVAILABLE', 'INTERNAL'],
    errors: [...rangeErrors, 'NOT_FOUND'],
  },
  {
    path: '/v1/partner/impressions/profiles',
    operation: 'ListProfiles',
    tag: 'Impressions',
    summary: 'List the typical weeks of many assets',
    description: `Returns one entry per asset in scope that matches the parameters, by ascending id: its typical week, as \`/impressions/profile\` of the asset returns it. An asset with daily counts has an \`error\` instead. With \`seconds\`, each row has \`audience\`: people per play of so many seconds. [For buyers](/docs/buyers) says what each platform expects. In JSON, a page has at most ${ROWS} rows. ${maxRange('hour')}`,
    parameters: [...range, params.limit, params.cursor, params.seconds, ...filters.assetFilters],
    query: pageOfAssets(
      'asset_id: id',
      `series: profile(seconds: $seconds) { data: rows { ${HOUR_OF_WEEK} } total average }`,
    ),
    envelope: withOptional(['audience'], seriesPage('assets')),
    // A week takes about as long as 20 rows, and two days of hours as long as one.
    rowsPerNode: variables => 20 + rowsPerAsset({ ...variables, grain: 'day' }) / 2,
    check(variables, format) {
      checkSeriesRange({ ...variables, grain: 'hour' })
      if (format === 'json') checkPageWeeks(variables)
    },
    errorsOfNodes: ['GRAIN_NOT_AVAILABLE', 'INTERNAL'],
    errors: [...rangeErrors, 'NOT_FOUND'],
  },
  {
    path: '/v1/partner/gaps',
    operation: 'ListGaps',
    tag: 'Impressions',
    summary: 'List the gaps of many assets',
    description: `Returns one row per stretch without counts of the assets in scope that match the parameters, by ascending id of the asset, ${GAPS} A page has the gaps of up to \`limit\` assets, and may be empty. In JSON, \`limit\` times the days of the range is at most ${ROWS}; in other formats, one response has all assets.`,
    parameters: [...range, params.limit, params.cursor, ...filters.assetFilters],
    query: pageOfAssets('', `gaps { rows { ${GAP} } }`),
    envelope: gapsPage('assets'),
    localTimes: ['from'],
    // An incomplete day has some gaps, and takes about as long as these rows.
    rowsPerNode: variables => 10 * rowsPerAsset({ ...variables, grain: 'day' }),
    check(variables, format) {
      const daily = { ...variables, grain: 'day' }
      checkSeriesRange(daily)
      if (format === 'json') checkPageRows(daily)
    },
    errors: [...rangeErrors, 'NOT_FOUND'],
  },
  {
    path: '/v1/partner/impressions/aggregate',
    operation: 'ReadAggregateImpressions',
    tag: 'Impressions',
    summary: 'Get impressions of all assets together',
    description: `Returns the impressions of all assets in scope that match the parameters: one row per bucket and group. Each row has the columns by which it is grouped: \`region\` adds \`country\` and \`region\`, \`city\` adds all three. \`start\` is a date, because each asset has its own local days. Every bucket has a row for every group, sorted by date, then by group, null last. With \`group_by=asset\` there is one row per asset, without \`start\`: most impressions first, assets without data last; and \`days_with_data\`. ${maxRange()} ${MAX_ROWS}`,
    parameters: [...range, choices.aggregateGrain, choices.groupBy, params.asOf, ...filters.assetFilters],
    query: `{
      impressionsAggregate(fromDate: $from_date, toDate: $to_date, grain: $grain, groupBy: $group_by, asOf: $as_of, filter: {
        ${filters.FILTER_FIELDS}
      }) {
        data: rows {
          ${selectFields(['start', ...GROUP_ATTRIBUTES, 'assetId', 'impressions', 'assetsWithData', 'daysWithData', 'coverage'])}
        }
        total average asset_count: assetCount
      }
    }`,
    envelope: withOptional([...GROUPING, 'days_with_data'], at('impressionsAggregate')),
    errors: [...rangeErrors, 'NOT_FOUND'],
  },
]
