/** SQL that recomputes what triggers derive from sensor-days and from the attributes of assets. */

const DAYS = Array.from({ length: 31 }, (_, i) => i + 1)

const listOfDays = (sql: (day: number) => string): string => `ARRAY[${DAYS.map(sql).join(', ')}]`

const MONTH = `a.id || ' in ' || to_char(make_date(month / 12, month % 12 + 1, 1), 'YYYY-MM')`

const OF_DAYS = `(SELECT sum(day) FROM unnest(${listOfDays(day => `m.day_${day}`)}) AS day)`

/** Impressions and observed intervals by day, as stored and as the sums of sensor-days. Null for a month without counts. */
const MONTHS = `(
    SELECT asset, month, impressions, ${OF_DAYS} AS sum, nullif(${listOfDays(
      day =>
        `CASE WHEN num_nonnulls(day_${day}, observed[${day}]) > 0 THEN concat(day_${day}, '/', observed[${day}]) END`,
    )}, array_fill(NULL::text, ARRAY[31])) AS stored
    FROM asset_months m
  ) AS s FULL JOIN (
    SELECT asset, month, ${listOfDays(day => `max(total) FILTER (WHERE day = ${day})`)} AS expected FROM (
      SELECT asset, month_number(date) AS month, extract(day FROM date) AS day, concat(sum(impressions), '/', sum(observed)) AS total
      FROM sensor_days GROUP BY asset, date
    ) AS days GROUP BY asset, month
  ) AS e USING (asset, month)`

/** The checks of asset_months by column, as SQL with `row`, `stored` and `expected`. */
export const MONTH_COLUMNS = {
  class: `SELECT ${MONTH} AS row, m.class AS stored, a.class AS expected FROM asset_months m JOIN assets a ON a.number = m.asset`,
  impressions: `SELECT ${MONTH} AS row, m.impressions AS stored, ${OF_DAYS} AS expected
    FROM asset_months m JOIN assets a ON a.number = m.asset`,
  days: `SELECT ${MONTH} AS row, stored, expected FROM ${MONTHS} JOIN assets a ON a.number = asset`,
}

/** Sets the expected values of months. */
export const REPAIR_MONTHS = `
  UPDATE asset_months m SET class = a.class FROM assets a WHERE a.number = m.asset AND m.class <> a.class;
  SELECT refresh_asset_months(array_agg(asset), array_agg(make_date(month / 12, month % 12 + 1, 1) + day))
    FROM ${MONTHS} CROSS JOIN generate_series(0, 30) AS day
    WHERE (stored IS DISTINCT FROM expected OR impressions IS DISTINCT FROM sum)
      AND month_number(make_date(month / 12, month % 12 + 1, 1) + day) = month
    HAVING count(*) > 0`

export const VERSION_COLUMNS = {
  asset: `SELECT a.id AS row, v.asset AS stored, a.number AS expected FROM assets a LEFT JOIN asset_versions v ON v.asset = a.number`,
  data_version: `SELECT a.id AS row, v.data_version AS stored, greatest(v.data_version, v.base_version, (
      SELECT max(version) FROM asset_months WHERE asset = v.asset)) AS expected FROM assets a JOIN asset_versions v ON v.asset = a.number`,
  measured_from: `SELECT a.id AS row, v.measured_from AS stored,
    (SELECT min(date) FROM sensor_days WHERE asset = v.asset) AS expected FROM assets a JOIN asset_versions v ON v.asset = a.number`,
  measured_to: `SELECT a.id AS row, v.measured_to AS stored,
    (SELECT max(date) FROM sensor_days WHERE asset = v.asset) AS expected FROM assets a JOIN asset_versions v ON v.asset = a.number`,
}

export const REPAIR_VERSIONS = `
  INSERT INTO asset_versions (asset, company) SELECT number, company FROM assets ON CONFLICT DO NOTHING;
  UPDATE asset_versions v SET data_version = e.version FROM (
    SELECT v.asset, greatest(v.data_version, v.base_version, max(m.version)) AS version
    FROM asset_versions v LEFT JOIN asset_months m ON m.asset = v.asset GROUP BY v.asset
  ) AS e WHERE e.asset = v.asset AND e.version <> v.data_version;
  UPDATE asset_versions v SET measured_from = d.first, measured_to = d.last
    FROM asset_versions x CROSS JOIN LATERAL (SELECT min(date) AS first, max(date) AS last FROM sensor_days WHERE asset = x.asset) AS d
    WHERE x.asset = v.asset AND (v.measured_from, v.measured_to) IS DISTINCT FROM (d.first, d.last)`

/** SQL: the class that has the attributes of the asset `a`. */
const CLASS = `(SELECT number FROM asset_classes c
  WHERE (c.company, c.country, c.region, c.city, c.media_type, c.format, c.status)
    IS NOT DISTINCT FROM (a.company, a.country, a.region, a.city, a.media_type, a.format, a.status))`

export const CLASS_OF_ASSET = `SELECT a.id AS row, a.class AS stored, ${CLASS} AS expected FROM assets a`

/** A trigger sets the class. */
export const REPAIR_CLASSES = `UPDATE assets a SET country = a.country WHERE a.class IS DISTINCT FROM ${CLASS}`
