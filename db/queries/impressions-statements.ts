/** The statements that read the impressions of assets: first a row for each asset, then one for each month, day or sensor-day. */
import type { Statement } from '../postgres/scoped-reader'
import type { AssetLookup } from './asset-lookup'

const ASSET = 'number AS asset, id, rules, installations'

export const sensorDays = (packed: 'hours' | 'counts', { name, sql }: AssetLookup): Statement => ({
  name: `impressions-${packed}-${name}`,
  text: `
WITH asset AS MATERIALIZED ${sql}
SELECT ${ASSET}, NULL::integer AS day, NULL::smallint AS "nativeMinutes", NULL::bytea AS packed
FROM asset
UNION ALL
SELECT d.asset, NULL, NULL, NULL, d.date - $2::date, d.native_minutes, d.${packed}
FROM asset a JOIN sensor_days d ON d.asset = a.number
WHERE d.date BETWEEN $2 AND $3`,
})

/** Reads all sensor-days of each of many assets as one value, which takes less time than a row each. */
export const hoursOfMany = ({ name, sql }: AssetLookup): Statement => ({
  name: `impressions-packed-hours-${name}`,
  text: `
WITH asset AS MATERIALIZED ${sql}
SELECT ${ASSET}, (
  SELECT string_agg(int2send((d.date - $2::date)::smallint) || int2send(d.native_minutes) ||
    int2send(octet_length(d.hours)::smallint) || d.hours, '')
  FROM sensor_days d WHERE d.asset = a.number AND d.date BETWEEN $2 AND $3) AS "sensorDays"
FROM asset a`,
})

export const totals = ({ name, sql }: AssetLookup): Statement => ({
  name: `impressions-totals-${name}`,
  text: `
WITH asset AS MATERIALIZED ${sql}
SELECT ${ASSET}, NULL::integer AS month, NULL::bigint[] AS impressions, NULL::integer[] AS observed
FROM asset
UNION ALL
SELECT m.asset, NULL, NULL, NULL, m.month, m.totals, m.observed
FROM asset a JOIN asset_months m ON m.asset = a.number AND m.kind = 'impressions'
WHERE m.month BETWEEN $2 AND $3`,
})

/** Reads the totals of days at an instant: what is served since then, and what was served until later. */
export const totalsThen = ({ name, sql }: AssetLookup): Statement => ({
  name: `impressions-totals-then-${name}`,
  text: `
WITH asset AS MATERIALIZED ${sql}
SELECT ${ASSET}, NULL::integer AS day, NULL::bigint AS impressions, NULL::integer AS observed
FROM asset
UNION ALL
SELECT m.asset, NULL, NULL, NULL, month_start(m.month) - $2::date + d.day::integer - 1, d.total, d.observed
FROM asset a JOIN asset_months m ON m.asset = a.number AND m.kind = 'impressions'
  CROSS JOIN unnest(m.totals, m.observed, m.since) WITH ORDINALITY AS d (total, observed, since, day)
WHERE m.month BETWEEN month_number($2) AND month_number($3) AND d.since <= $4::bigint AND d.total IS NOT NULL
  AND month_start(m.month) + d.day::integer - 1 BETWEEN $2 AND $3
UNION ALL
SELECT f.asset, NULL, NULL, NULL, f.date - $2::date, f.total, f.observed
FROM asset a JOIN former_totals f ON f.asset = a.number AND f.kind = 'impressions'
WHERE f.date BETWEEN $2 AND $3 AND f.since <= $4 AND f.until > $4 AND f.total IS NOT NULL`,
})
