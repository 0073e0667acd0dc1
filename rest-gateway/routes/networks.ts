/** The route records of many assets at once. */
import { GROUP_ATTRIBUTES } from '../../db/assets/attributes'
import { MAX_JSON_ROWS } from '../../resolvers/groups/aggregates'
import { MAX_GAPS } from '../../resolvers/series/gaps'
import { feed, grouped, page, withOptional } from '../envelopes/envelopes'
import { gapsPage } from '../envelopes/gaps-page'
import { seriesPage } from '../envelopes/series-page'
import * as choices from '../parameters/choices'
import * as filters from '../parameters/filter-params'
import * as params from '../parameters/params'
import { MAX_RANGE_BY_GRAIN, maxRange, range, rangeErrors } from '../parameters/ranges'
import { checkPageRows, checkSeriesRange, rowsPerAsset } from '../parameters/series-range'
import { GAP, HOUR_OF_WEEK, selectFields } from './fragments'
import type { RouteRecord } from './record'

const ROWS = MAX_JSON_ROWS.toLocaleString('en')

/** The part that the descriptions of both routes of gaps share. */
export const GAPS = `sorted by its begin, then by sensor, with the reason why: \`no_sensor\`, \`set_aside\` (the counts cannot be used), \`sensor_offline\` (its health checks say so), \`erased\` (they were removed), \`not_delivered\` (the sensor has delivered nothing newer) or \`unknown\`. \`missing\` is in the intervals in which the sensor counts. Together the rows are what \`coverage\` misses, in the future too, and the times without a sensor. ${maxRange()} Maximum: ${MAX_GAPS.toLocaleString('en')} rows.`

export const networkRoutes: RouteRecord[] = [
  {
    path: '/v1/partner/impressions',
    operation: 'ListImpressions',
    tag: 'Impressions',
    summary: 'List the impressions of many assets',
    description: `Returns one entry per asset in scope that matches the parameters, by ascending id: the time series of the asset. An asset that does not have the grain has an \`error\` instead. In JSON, \`limit\` times the buckets of the range is at most ${ROWS}; in other formats, one response has all assets. ${MAX_RANGE_BY_GRAIN}`,
    parameters: [...range, choices.grainOrDay, params.limit, params.cursor, params.asOf, ...filters.assetFilters],
    query: `query ListImpressions(
      $from_date: Date!, $to_date: Date!, $grain: Grain!, $limit: Int!, $cursor: ID, $as_of: DateTime,
      ${filters.FILTER_VARIABLES}
    ) {
      assets(limit: $limit, after: $cursor, filter: { ${filters.FILTER_FIELDS} }) {
        data: nodes {
          asset_id: id
          impressions(fromDate: $from_date, toDate: $to_date) {
            series: timeseries(grain: $grain, asOf: $as_of) { data: rows { start impressions coverage } total average }
          }
        }
        has_more: hasMore last unknown: unknownIds
      }
    }`,
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
    description: `Returns one entry per asset in scope that matches the parameters, by ascending id: its typical week, as \`/impressions/profile\` of the asset returns it. An asset with daily counts has an \`error\` instead. With \`seconds\`, each row has the \`audience\` of so many seconds of the hour. [The guide](/docs#typical-weeks-for-platforms) says what each platform means by its number. ${maxRange('hour')}`,
    parameters: [...range, params.limit, params.cursor, params.seconds, ...filters.assetFilters],
    query: `query ListProfiles(
      $from_date: Date!, $to_date: Date!, $limit: Int!, $cursor: ID, $seconds: Int, ${filters.FILTER_VARIABLES}
    ) {
      assets(limit: $limit, after: $cursor, filter: { ${filters.FILTER_FIELDS} }) {
        data: nodes {
          asset_id: id
          impressions(fromDate: $from_date, toDate: $to_date) {
            series: profile(seconds: $seconds) { data: rows { ${HOUR_OF_WEEK} } total average }
          }
        }
        has_more: hasMore last unknown: unknownIds
      }
    }`,
    envelope: withOptional('audience', seriesPage('assets')),
    // A week takes about as long as these rows.
    rowsPerNode: () => 20,
    check: variables => checkSeriesRange({ ...variables, grain: 'hour' }),
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
    query: `query ListGaps($from_date: Date!, $to_date: Date!, $limit: Int!, $cursor: ID, ${filters.FILTER_VARIABLES}) {
      assets(limit: $limit, after: $cursor, filter: { ${filters.FILTER_FIELDS} }) {
        data: nodes { impressions(fromDate: $from_date, toDate: $to_date) { gaps { rows { ${GAP} } } } }
        has_more: hasMore last unknown: unknownIds
      }
    }`,
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
    description: `Returns the impressions of all assets in scope that match the parameters: one row per bucket and group. Each row has the columns by which it is grouped: \`region\` adds \`country\` and \`region\`, \`city\` adds all three. \`start\` is a date, because each asset has its own local days. Every bucket has a row for every group, sorted by date, then by group, null last. With \`group_by=asset\` there is one row per asset, without \`start\`: most impressions first, assets without data last; and \`days_with_data\`. ${maxRange()} Maximum: ${MAX_JSON_ROWS.toLocaleString('en')} rows.`,
    parameters: [...range, choices.aggregateGrain, choices.groupBy, params.asOf, ...filters.assetFilters],
    query: `query ReadAggregateImpressions(
      $from_date: Date!, $to_date: Date!, $grain: GroupGrain, $group_by: AggregateGroup, $as_of: DateTime,
      ${filters.FILTER_VARIABLES}
    ) {
      impressionsAggregate(fromDate: $from_date, toDate: $to_date, grain: $grain, groupBy: $group_by, asOf: $as_of, filter: {
        ${filters.FILTER_FIELDS}
      }) {
        data: rows {
          ${selectFields(['start', ...GROUP_ATTRIBUTES, 'assetId', 'impressions', 'assetsWithData', 'daysWithData', 'coverage'])}
        }
        total average asset_count: assetCount
      }
    }`,
    envelope: grouped('impressionsAggregate', ['impressions', 'assets_with_data', 'coverage']),
    errors: [...rangeErrors, 'NOT_FOUND'],
  },
  {
    path: '/v1/partner/notes',
    operation: 'ListNotes',
    tag: 'Notes',
    summary: 'List notes on the data',
    description: `Returns what readers of the data should know: one row for each note and asset that applies to days from \`from_date\` to \`to_date\`, sorted by asset, first day and id. \`from\` and \`to\` are local days of the asset, both inclusive; \`to\` is null where there is no end. \`caveat\`: read these days with care. \`break\`: days before \`from\` are not comparable with those from then on. \`unusable\`: counts of these days are set aside, and missing in all figures. A note on a sensor is listed for each asset on which the sensor was installed on days of both ranges, with the same id. The range may be of any length.`,
    parameters: [...range, params.limit, params.cursor, ...filters.assetFilters],
    query: `query ListNotes($from_date: Date!, $to_date: Date!, $limit: Int!, $cursor: ID, ${filters.FILTER_VARIABLES}) {
      notes(fromDate: $from_date, toDate: $to_date, limit: $limit, after: $cursor, filter: { ${filters.FILTER_FIELDS} }) {
        data: nodes { id asset_id: assetId sensor_id: sensorId from to kind text updated_at: updatedAt }
        has_more: hasMore last
      }
    }`,
    envelope: page('notes'),
    errors: ['INVALID_DATE_RANGE', 'NOT_FOUND'],
  },
  {
    path: '/v1/partner/changes',
    operation: 'ListChanges',
    tag: 'Changes',
    summary: 'List what has changed',
    description:
      'Returns the parts of the data that a copy has to read again. Without `cursor` and `since`, everything is listed once. Follow `pagination.cursor` until `has_more` is false, then store it: whenever you send it later, the response lists the changes since then. No change is missed; the same change can be listed more than once. Changes are merged by asset, kind and calendar month. For `impressions`, `origins` and `demographics`, read the days from `from_date` to `to_date` again; for `asset` and `sensors`, read the records again; for `notes`, which only `kinds` adds, read all notes of the asset again; `removed` means that the asset was deleted or left the scope of the key. A cursor belongs to its key and the rotations of it; another key can use it if it reads all companies of the cursor, and gets INVALID_CURSOR otherwise. An asset that was created again after its deletion is listed as `removed` first, so apply the rows in order. After a backup has been restored, a cursor from before gets RESYNC_REQUIRED: begin a new copy.',
    parameters: [params.limit, params.cursor, params.since, filters.changeKinds],
    query: `query ListChanges($limit: Int!, $cursor: ID, $since: DateTime, $kinds: [ChangeKind!]) {
      changes(limit: $limit, after: $cursor, since: $since, kinds: $kinds) {
        data: nodes { asset_id: assetId kind from_date: fromDate to_date: toDate changed_at: changedAt }
        has_more: hasMore next
      }
    }`,
    envelope: feed('changes'),
    errors: ['RESYNC_REQUIRED'],
  },
  {
    path: '/v1/partner/restatements',
    operation: 'ListRestatements',
    tag: 'Changes',
    summary: 'List the restatements',
    description: `Returns each change of a total of a local day (impressions, origins or demographics) after the day was over and had had a value, by \`restated_at\`, asset, date and kind. A day is over six hours after its end at the asset: what changes before that is no restatement. \`previous_intervals\` and \`current_intervals\` are the native intervals with a count, which tell a completed day from a corrected one. A deleted asset has no restatements, and days that were deleted by retention have none. ${maxRange()}`,
    parameters: [...range, params.restatedSince, params.limit, params.cursor, ...filters.assetFilters],
    query: `query ListRestatements(
      $from_date: Date!, $to_date: Date!, $since: DateTime, $limit: Int!, $cursor: ID, ${filters.FILTER_VARIABLES}
    ) {
      restatements(fromDate: $from_date, toDate: $to_date, since: $since, limit: $limit, after: $cursor, filter: {
        ${filters.FILTER_FIELDS}
      }) {
        data: nodes {
          asset_id: assetId kind date previous current previous_intervals: previousIntervals
          current_intervals: currentIntervals restated_at: restatedAt reason note final
        }
        has_more: hasMore last
      }
    }`,
    envelope: page('restatements'),
    errors: [...rangeErrors, 'NOT_FOUND'],
  },
]
