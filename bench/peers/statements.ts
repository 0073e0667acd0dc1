/**
 * The SQL of the hand-written peers, on the service's own tables. $1 of each statement determines the scope: for the floor
 * the hash of the key, for Fastify the companies that its key check has found.
 */
import { GROUP_COLUMNS } from '../../db/queries/demographics'

/** The requests per minute of a key, so many that no measurement meets it. */
export const RATE_LIMIT = 1_000_000_000

/** An SQL expression in $1: the numbers of the readable companies as an array. */
export type Scope = string

/** The companies of a key, looked up by its hash. */
export const SCOPE_OF_KEY: Scope = `ARRAY(
  SELECT c.number FROM api_keys k JOIN companies c
    ON k.all_companies OR c.number = ANY (k.companies)
  WHERE k.hash = $1 AND k.deactivated_at IS NULL)`

const KEY = `(SELECT json_build_object('label', label, 'environment', environment, 'scopes', scopes,
  'rate', coalesce(rate_requests, ${RATE_LIMIT}) || '/min', 'expires_at', expires_at) FROM api_keys WHERE label = 'half')`

const meta = (scope: Scope) =>
  `SELECT id, name, final_through, ${KEY} AS key FROM companies WHERE number = ANY (${scope}) ORDER BY id`

const grain = (minutes: string) =>
  `CASE ${minutes} WHEN 1 THEN 'minute' WHEN 15 THEN 'quarter_hour' WHEN 60 THEN 'hour' END`

const assetsWhere = (scope: Scope, condition: string) => `
SELECT a.id, a.legacy_id, a.company_id, a.name, a.description, a.media_type, a.format, a.venue_type_id, a.status,
  a.indoors, a.facing_degrees, a.width_m, a.height_m, a.latitude, a.longitude, a.address, a.city, a.region, a.postal_code,
  a.country, a.time_zone, ${grain('a.sensor_minutes')} AS finest_grain, a.sensor_ids, v.measured_from, v.measured_to,
  a.created_at, a.updated_at, a.venue_taxonomy, a.external_ids
FROM assets a JOIN asset_versions v ON v.asset = a.number
WHERE a.company = ANY (${scope}) AND ${condition}`

/** $2: the asset's id. */
const asset = (scope: Scope) => assetsWhere(scope, 'a.id = $2')

/** $2: the last id of the previous page, $3: the limit. */
const assets = (scope: Scope) => assetsWhere(scope, 'a.id > $2 ORDER BY a.id LIMIT $3')

/** The present and former installations of the asset `a`, as JSON. */
const INSTALLATIONS = `(
  SELECT coalesce(json_agg(json_build_object('minutes', native_minutes,
    'from', extract(epoch FROM installed_at), 'to', extract(epoch FROM removed_at))), '[]')
  FROM installations WHERE asset = a.number)`

/** One row for the asset, then one for each sensor-day. $2: the asset's id, $3 and $4: the dates. */
const measurement = (scope: Scope, packed: string) => `
WITH a AS MATERIALIZED (SELECT * FROM assets WHERE id = $2 AND company = ANY (${scope}))
SELECT a.time_zone, ${INSTALLATIONS} AS installations, NULL::integer AS sensor, NULL::date AS date,
  NULL::smallint AS minutes, NULL::bigint AS impressions, NULL::smallint AS observed, NULL::bytea AS packed
FROM a
UNION ALL
SELECT NULL, NULL, d.sensor, d.date, d.native_minutes, d.impressions, d.observed, ${packed}
FROM a JOIN sensor_days d ON d.asset = a.number WHERE d.date BETWEEN $3 AND $4`

const totals = (scope: Scope) => measurement(scope, 'NULL')

const hours = (scope: Scope) => measurement(scope, 'd.hours')

const counts = (scope: Scope) => measurement(scope, 'd.counts')

/** $2: the asset's id, $3 and $4: the dates. */
const regions = (scope: Scope) => `
WITH d AS MATERIALIZED (
  SELECT places, impressions FROM assets a JOIN origin_days ON asset = number
  WHERE a.id = $2 AND a.company = ANY (${scope}) AND date BETWEEN $3 AND $4)
SELECT (SELECT count(*)::integer FROM d) AS days_with_data, (
  SELECT coalesce(json_agg(r ORDER BY impressions DESC, region), '[]') FROM (
    SELECT left(region, 2) AS country, region, sum(s.impressions) AS impressions
    FROM d CROSS JOIN unnest(places, d.impressions) AS s (place, impressions) JOIN origin_places ON number = place
    GROUP BY region
  ) AS r
) AS regions
FROM assets WHERE id = $2 AND company = ANY (${scope})`

const CELLS = `ARRAY[${GROUP_COLUMNS.map(group => `coalesce(sum(d.${group}), 0)`)}]::bigint[]`

/** $2: the asset's id, $3 and $4: the dates. */
const demographics = (scope: Scope) => `
SELECT ${CELLS} AS cells FROM assets a
LEFT JOIN demographic_days d ON d.asset = a.number AND d.date BETWEEN $3 AND $4
WHERE a.id = $2 AND a.company = ANY (${scope}) GROUP BY a.id`

export const STATEMENTS = {
  ...{ meta, asset, assets, totals, hours, counts, regions, demographics },
} satisfies Record<string, (scope: Scope) => string>
