/** The SQL of the hand-written peers, on the service's own tables. $1 of each statement is the hash of the key, which determines the scope. */
import { GROUP_COLUMNS } from '../../db/queries/demographics'
import { SCHEMAS } from './schemas'

/** The requests per minute of a key, so many that no measurement meets it. */
export const RATE_LIMIT = 1_000_000_000

/** SQL: the numbers of the companies of the key. */
const SCOPE = `ARRAY(
  SELECT c.number FROM api_keys k JOIN companies c
    ON k.all_companies OR c.number = ANY (k.companies)
  WHERE k.hash = $1 AND k.deactivated_at IS NULL)`

const KEY = `(SELECT json_build_object('label', label, 'environment', environment, 'scopes', scopes,
  'rate', coalesce(rate_requests, ${RATE_LIMIT}) || '/min', 'expires_at', expires_at) FROM api_keys WHERE hash = $1)`

const meta = `SELECT id, name, final_through, ${KEY} AS key FROM companies WHERE number = ANY (${SCOPE}) ORDER BY id`

/** SQL of the properties of an asset that are not columns of `a`. */
const COLUMNS: Record<string, string> = {
  finest_grain: `CASE a.sensor_minutes WHEN 1 THEN 'minute' WHEN 15 THEN 'quarter_hour' WHEN 60 THEN 'hour' END AS finest_grain`,
  measured_from: 'v.measured_from',
  measured_to: 'v.measured_to',
}

const assetsWhere = (condition: string) => `
SELECT ${Object.keys(SCHEMAS.asset.properties).map(name => COLUMNS[name] ?? `a.${name}`)}
FROM assets a JOIN asset_versions v ON v.asset = a.number
WHERE a.company = ANY (${SCOPE}) AND ${condition}`

/** $2: the asset's id. */
const asset = assetsWhere('a.id = $2')

/** $2: the last id of the previous page, $3: the limit. */
const assets = assetsWhere('a.id > $2 ORDER BY a.id LIMIT $3')

/** The present and former installations of the asset `a`, as JSON. */
const INSTALLATIONS = `(
  SELECT coalesce(json_agg(json_build_object('minutes', native_minutes,
    'from', extract(epoch FROM installed_at), 'to', extract(epoch FROM removed_at))), '[]')
  FROM installations WHERE asset = a.number)`

/** The start of a statement of one row for the asset and more below. $2: the asset's id. */
const ASSET = `
WITH a AS MATERIALIZED (SELECT * FROM assets WHERE id = $2 AND company = ANY (${SCOPE}))
SELECT a.time_zone, ${INSTALLATIONS} AS installations`

/** One row for the asset, then one for each month. $3 and $4: the dates. */
const totals = `${ASSET}, NULL::integer AS month, NULL::bigint[] AS totals, NULL::bigint[] AS observed FROM a
UNION ALL
SELECT NULL, NULL, m.month, m.totals::bigint[], m.observed::bigint[]
FROM a JOIN asset_month_arrays m ON m.asset = a.number AND m.kind = 'impressions'
WHERE m.month BETWEEN month_number($3) AND month_number($4)`

/** One row for the asset, then one for each sensor-day. $3 and $4: the dates. */
const sensorDays = (
  packed: string,
) => `${ASSET}, NULL::date AS date, NULL::smallint AS minutes, NULL::bytea AS packed FROM a
UNION ALL
SELECT NULL, NULL, d.date, d.native_minutes, ${packed}
FROM a JOIN sensor_days d ON d.asset = a.number WHERE d.date BETWEEN $3 AND $4`

/** $2: the asset's id, $3 and $4: the dates. */
const regions = `
WITH d AS MATERIALIZED (
  SELECT places, impressions FROM assets a JOIN origin_days ON asset = number
  WHERE a.id = $2 AND a.company = ANY (${SCOPE}) AND date BETWEEN $3 AND $4)
SELECT (SELECT count(*)::integer FROM d) AS days_with_data, (
  SELECT coalesce(json_agg(r ORDER BY impressions DESC, region), '[]') FROM (
    SELECT left(region, 2) AS country, region, sum(s.impressions) AS impressions
    FROM d CROSS JOIN unnest(places, d.impressions) AS s (place, impressions) JOIN origin_places ON number = place
    GROUP BY region
  ) AS r
) AS regions
FROM assets WHERE id = $2 AND company = ANY (${SCOPE})`

const CELLS = `ARRAY[${GROUP_COLUMNS.map(group => `coalesce(sum(d.${group}), 0)`)}]::bigint[]`

/** $2: the asset's id, $3 and $4: the dates. */
const demographics = `
SELECT ${CELLS} AS cells FROM assets a
LEFT JOIN demographic_days d ON d.asset = a.number AND d.date BETWEEN $3 AND $4
WHERE a.id = $2 AND a.company = ANY (${SCOPE}) GROUP BY a.id`

export const STATEMENTS = {
  ...{ meta, asset, assets, totals, regions, demographics },
  hours: sensorDays('d.hours'),
  counts: sensorDays('d.counts'),
}
