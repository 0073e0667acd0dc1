/** The statements that read the impressions of assets: first a row for each asset, then one for each month, day or sensor-day. */
import type { Statement } from '../postgres/scoped-reader'
import { findAssets } from './asset-lookup'

/** The detail in which counts are read: totals of days, hours or native intervals. */
export type Detail = 'totals' | 'hours' | 'counts'

const ASSET = 'number AS asset, id, rules, installations'

/** A statement whose first parameter names assets. */
type Build = (name: string, assets: string) => Statement

const counts: Build = (name, assets) => ({
  name: `impressions-counts-${name}`,
  text: `
WITH asset AS MATERIALIZED ${assets}
SELECT ${ASSET}, NULL::integer AS day, NULL::smallint AS "nativeMinutes", NULL::bytea AS packed
FROM asset
UNION ALL
SELECT d.asset, NULL, NULL, NULL, d.date - $2::date, d.native_minutes, d.counts
FROM asset a JOIN sensor_days d ON d.asset = a.number
WHERE d.date BETWEEN $2 AND $3`,
})

/** Reads all sensor-days of an asset as one value, which takes less time than a row each. */
const hours: Build = (name, assets) => ({
  name: `impressions-hours-${name}`,
  text: `
WITH asset AS MATERIALIZED ${assets}
SELECT ${ASSET}, (
  SELECT string_agg(int2send((d.date - $2::date)::smallint) || int2send(d.native_minutes) ||
    int2send(octet_length(d.hours)::smallint) || d.hours, '')
  FROM sensor_days d WHERE d.asset = a.number AND d.date BETWEEN $2 AND $3) AS "sensorDays"
FROM asset a`,
})

const totals: Build = (name, assets) => ({
  name: `impressions-totals-${name}`,
  text: `
WITH asset AS MATERIALIZED ${assets}
SELECT ${ASSET}, NULL::integer AS month, NULL::bigint[] AS impressions, NULL::integer[] AS observed
FROM asset
UNION ALL
SELECT m.asset, NULL, NULL, NULL, m.month, m.totals, m.observed
FROM asset a JOIN asset_months m ON m.asset = a.number AND m.kind = 'impressions'
WHERE m.month BETWEEN $2 AND $3`,
})

/** Reads the totals of days at an instant: what is served since then, and what was served until later. */
const totalsThen: Build = (name, assets) => ({
  name: `impressions-totals-then-${name}`,
  text: `
WITH asset AS MATERIALIZED ${assets}
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

/** Returns the statements by detail, and those of totals at an instant, of assets that meet a condition. */
export function statements(name: string, condition: string): Record<Detail | 'totalsThen', Statement> {
  const assets = findAssets('id, number, rules, installations', condition)
  return {
    totals: totals(name, assets),
    totalsThen: totalsThen(name, assets),
    hours: hours(name, assets),
    counts: counts(name, assets),
  }
}
