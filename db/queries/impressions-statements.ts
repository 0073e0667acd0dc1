/** The statements that read the impressions of assets: first a row for each asset, then one for each month, day or sensor-day. */
import { findAssets, type LookUp } from './asset-lookup'

/** The detail in which counts are read: totals of days, hours or native intervals. */
export type Detail = 'totals' | 'hours' | 'counts'

const ASSET = 'number AS asset, id, rules, installations'

const COUNTS = `
SELECT ${ASSET}, NULL::integer AS day, NULL::smallint AS "nativeMinutes", NULL::bytea AS packed
FROM asset
UNION ALL
SELECT d.asset, NULL, NULL, NULL, d.date - :from::date, d.native_minutes, d.counts
FROM asset a JOIN sensor_days d ON d.asset = a.number
WHERE d.date BETWEEN :from AND :to`

/** Reads all sensor-days of an asset as one value, which takes less time than a row each. */
const HOURS = `
SELECT ${ASSET}, (
  SELECT string_agg(int2send((d.date - :from::date)::smallint) || int2send(d.native_minutes) ||
    int2send(octet_length(d.hours)::smallint) || d.hours, '')
  FROM sensor_days d WHERE d.asset = a.number AND d.date BETWEEN :from AND :to) AS "sensorDays"
FROM asset a`

const TOTALS = `
SELECT ${ASSET}, NULL::integer AS month, NULL::integer[] AS impressions, NULL::integer[] AS observed
FROM asset
UNION ALL
SELECT m.asset, NULL, NULL, NULL, m.month, m.totals, m.observed
FROM asset a JOIN asset_month_arrays m ON m.asset = a.number AND m.kind = 'impressions'
WHERE m.month BETWEEN :firstMonth AND :lastMonth`

/** Reads the totals of days at an instant: what is served since then, and what was served until later. */
const TOTALS_THEN = `, moment AS MATERIALIZED (SELECT number_at(:asOf) AS number)
SELECT ${ASSET}, NULL::integer AS day, NULL::bigint AS impressions, NULL::integer AS observed
FROM asset
UNION ALL
SELECT m.asset, NULL, NULL, NULL, month_start(m.month) - :from::date + d.day::integer - 1, d.total, d.observed
FROM moment n CROSS JOIN asset a JOIN asset_month_arrays m ON m.asset = a.number AND m.kind = 'impressions'
  CROSS JOIN unnest(m.totals, m.observed, m.since) WITH ORDINALITY AS d (total, observed, since, day)
WHERE m.month BETWEEN :firstMonth AND :lastMonth AND d.since <= n.number AND d.total IS NOT NULL
  AND month_start(m.month) + d.day::integer - 1 BETWEEN :from AND :to
UNION ALL
SELECT f.asset, NULL, NULL, NULL, f.date - :from::date, f.total, f.observed
FROM moment n CROSS JOIN asset a JOIN former_totals f ON f.asset = a.number AND f.kind = 'impressions'
WHERE f.date BETWEEN :from AND :to AND f.since <= n.number AND f.until > n.number AND f.total IS NOT NULL`

const STATEMENTS = { totals: TOTALS, 'totals-then': TOTALS_THEN, hours: HOURS, counts: COUNTS }

/** Returns the SQL that reads a detail, or the totals of an instant, of assets. */
export const selectCounts = (detail: keyof typeof STATEMENTS, by: LookUp): string =>
  `WITH asset AS MATERIALIZED ${findAssets('id, number, rules, installations', by)} ${STATEMENTS[detail]}`
