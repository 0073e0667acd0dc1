/** The route records of the impressions of one asset. */
import { snakeCase } from '../../db/assets/attributes'
import { MAX_FLAT_ROWS, MAX_JSON_ROWS } from '../../resolvers/limits/rows'
import * as choices from '../read/choices'
import * as params from '../read/params'
import { MAX_RANGE_BY_GRAIN, maxRange, range, rangeErrors } from '../read/params'
import type { RouteRecord } from '../record'
import { at, withOptional } from '../shape/envelopes'

/** Selects fields under their names in REST. */
export function selectFields(fields: readonly string[]): string {
  return fields.map(field => (snakeCase(field) === field ? field : `${snakeCase(field)}: ${field}`)).join(' ')
}

export const GAP = selectFields(['assetId', 'sensorId', 'from', 'to', 'expected', 'missing', 'reason'])

export const HOUR_OF_WEEK = selectFields([
  ...['weekday', 'hour', 'averageImpressions', 'hoursObserved', 'share', 'audience'],
])

/** The bounds on the rows of a response. */
export const MAX_ROWS = `Maximum: ${MAX_FLAT_ROWS.toLocaleString('en')} rows, in JSON ${MAX_JSON_ROWS.toLocaleString('en')}.`

/** The part that the descriptions of both routes of gaps share. */
export const GAPS = `sorted by its begin, then by sensor, with the reason why: \`no_sensor\`, \`set_aside\` (the counts cannot be used), \`sensor_offline\` (its health checks say so), \`erased\` (they were removed), \`not_delivered\` (the sensor has delivered nothing newer) or \`unknown\`. \`missing\` is in the intervals in which the sensor counts. Together the rows are what \`coverage\` misses, in the future too, and the times without a sensor. ${maxRange()} ${MAX_ROWS}`

/** Returns the record of an impressions route. `result` is the selection on the asset's impressions. */
const impressions = (
  path: string,
  operation: string,
  summary: string,
  description: string,
  result: string,
  more: Partial<RouteRecord> = {},
): RouteRecord => ({
  path: `/v1/partner/assets/{id}/impressions/${path}`,
  operation,
  tag: 'Impressions',
  summary,
  description,
  query: `{ impressions(assetId: $id, fromDate: $from_date, toDate: $to_date) { result: ${result} } }`,
  envelope: at('impressions', 'result'),
  ...more,
  parameters: [params.assetId, ...range, ...(more.parameters ?? [])],
  errors: [...rangeErrors, ...(more.errors ?? [])],
})

export const impressionRoutes: RouteRecord[] = [
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
    'timeseries(grain: hour) { data: rows { start impressions coverage } total average }',
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
    `Returns 168 rows, one per hour of the week, from Monday 00 to Sunday 23 in the asset's time zone. Each clock hour of the range counts towards the hour that the local clock shows: a repeated hour counts twice, a skipped hour not at all. \`average_impressions\` is per hour with data; \`share\` is the fraction of the sum of all averages. An asset with daily counts has no hours. With \`seconds\`, each row has \`audience\`: people per play of so many seconds. ${maxRange('hour')}`,
    `profile(seconds: $seconds) { data: rows { ${HOUR_OF_WEEK} } total average }`,
    {
      parameters: [params.seconds],
      envelope: withOptional(['audience'], at('impressions', 'result')),
      errors: ['GRAIN_NOT_AVAILABLE'],
    },
  ),
  impressions(
    'by-region',
    'ReadImpressionsByRegion',
    'Get impressions by home region',
    `Returns one row per region in which the people live, most impressions first. ${maxRange()}`,
    'byRegion { data: rows { country region impressions share } total average }',
  ),
  impressions(
    'by-city',
    'ReadImpressionsByCity',
    'Get impressions by home city',
    `Returns one row per city in which the people live, most impressions first. ${maxRange()}`,
    'byCity { data: rows { country region city impressions share } total average }',
  ),
  impressions(
    'gaps',
    'ReadImpressionsGaps',
    'Get the gaps of an asset',
    `Returns one row per stretch without counts, ${GAPS}`,
    `gaps { data: rows { ${GAP} } }`,
  ),
]
