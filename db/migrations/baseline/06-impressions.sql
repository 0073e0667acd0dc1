-- Impressions: the counts of sensors by local day, and their totals by month.

CREATE TABLE sensor_days (
  impressions bigint NOT NULL CHECK (impressions >= 0),
  asset integer NOT NULL,
  sensor integer NOT NULL REFERENCES sensors (number),
  company integer NOT NULL,
  date date NOT NULL,
  native_minutes smallint NOT NULL,
  observed smallint NOT NULL CHECK (observed BETWEEN 1 AND 2880),
  hours bytea NOT NULL CHECK (octet_length(hours) > 0),
  counts bytea NOT NULL CHECK (octet_length(counts) >= observed),
  PRIMARY KEY (asset, date, sensor) INCLUDE (company, native_minutes, observed, impressions),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company)
-- Five years of days would have to grow by a year before the next VACUUM, which then has a year of rows to freeze, and by
-- half a year before the next ANALYZE.
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- CREATE TABLE takes a storage only since PostgreSQL 16.
ALTER TABLE sensor_days ALTER hours SET STORAGE MAIN;
COMMENT ON TABLE sensor_days IS 'Counts: one row per sensor and local day. Totals of days are read from the index of the primary key alone.';
COMMENT ON COLUMN sensor_days.impressions IS 'Total of the day. First, as the widest column: rows have no padding this way.';
COMMENT ON COLUMN sensor_days.native_minutes IS 'That of the installation.';
COMMENT ON COLUMN sensor_days.observed IS 'Number of native intervals with a count.';
COMMENT ON COLUMN sensor_days.hours IS 'Observed intervals and impressions of each hour, packed as in db/calendar/packed-counts.ts. Small enough to stay in the row.';
COMMENT ON COLUMN sensor_days.counts IS 'Impressions of each native interval, packed likewise.';
CREATE INDEX ON sensor_days (sensor, date);

-- Totals of impressions by month, of each asset, class of assets and company, with a column for each local day; and the native
-- intervals with a count, of which coverage is made. Each table is defined by the function `define_…` of its name.

CREATE TABLE asset_months (
  asset integer NOT NULL,
  company integer NOT NULL,
  month integer NOT NULL,
  impressions bigint NOT NULL,
  «day_DAY bigint»,
  observed integer[] NOT NULL,
  observed_total integer NOT NULL,
  days_with_data smallint NOT NULL,
  PRIMARY KEY (asset, month)
-- Room for new versions of rows beside the old ones. A night updates a row of each asset, a sixtieth of five years. Totals of
-- companies are read from an index alone, but for rows on pages that were updated since the last VACUUM.
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
COMMENT ON TABLE asset_months IS 'Impressions of an asset in a month of local dates, summed over its sensors.';
COMMENT ON COLUMN asset_months.month IS 'Months since year 0.';
COMMENT ON COLUMN asset_months.impressions IS 'Of the month. Columns of days are null without counts.';
COMMENT ON COLUMN asset_months.observed IS 'Native intervals with a count, by day.';
COMMENT ON COLUMN asset_months.observed_total IS 'Native intervals with a count, of the month.';
CREATE INDEX ON asset_months (company, month) INCLUDE (asset, impressions, observed_total, days_with_data);

CREATE VIEW asset_days WITH (security_invoker = true) AS
  SELECT asset, month, month_start(month) + d.day::integer - 1 AS date, d.total, d.observed
  FROM asset_months m CROSS JOIN LATERAL unnest(ARRAY[«day_DAY»], m.observed) WITH ORDINALITY AS d (total, observed, day)
  WHERE d.total IS NOT NULL;
COMMENT ON VIEW asset_days IS 'The rows of asset_months by day: impressions, and native intervals with a count.';

CREATE FUNCTION define_asset_months(asset integer, month integer, first integer DEFAULT 1, last integer DEFAULT 31)
RETURNS SETOF asset_months LANGUAGE sql STABLE AS $$
  SELECT $1, company, $2, sum(impressions)::bigint,
  «(sum(impressions) FILTER (WHERE day = DAY))::bigint»,
    ARRAY[«sum(observed) FILTER (WHERE day = DAY)»]::integer[],
    sum(observed)::integer, count(DISTINCT day)::smallint
  FROM (
    SELECT d.company, d.impressions, d.observed, d.date - month_start($2) + 1 AS day
    FROM sensor_days d
    WHERE d.asset = $1 AND d.date BETWEEN month_start($2) + $3 - 1 AND least(month_start($2) + $4,
      month_start($2 + 1)) - 1
  ) AS days
  GROUP BY company
$$;
COMMENT ON FUNCTION define_asset_months IS 'A row of asset_months, with some of its days.';

CREATE FUNCTION refresh_asset_months() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  WITH months AS (
    SELECT t.asset, t.company, t.month, «CASE WHEN DAY BETWEEN t.first AND t.last THEN d.day_DAY ELSE m.day_DAY END AS day_DAY»,
      ARRAY[«CASE WHEN DAY BETWEEN t.first AND t.last THEN d.observed[DAY] ELSE m.observed[DAY] END»] AS observed
    FROM (
      SELECT asset, company, month, extract(day FROM min(from_date))::integer AS first,
        extract(day FROM max(to_date))::integer AS last
      FROM touched WHERE kind = 'impressions' GROUP BY asset, company, month
    ) AS t LEFT JOIN asset_months m USING (asset, month)
      LEFT JOIN LATERAL define_asset_months(t.asset, t.month, t.first, t.last) AS d ON true
  )
  MERGE INTO asset_months AS m USING (
    SELECT *, (SELECT sum(value) FROM unnest(ARRAY[«day_DAY»]) AS value) AS impressions,
      (SELECT sum(value) FROM unnest(observed) AS value) AS observed_total,
      num_nonnulls(«day_DAY») AS days_with_data
    FROM months
  ) AS n ON (m.asset, m.month) = (n.asset, n.month)
  WHEN MATCHED AND n.impressions IS NULL THEN DELETE
  WHEN MATCHED THEN UPDATE SET (impressions, observed, observed_total, days_with_data, «day_DAY»)
    = ROW (n.impressions, n.observed, n.observed_total, n.days_with_data, «n.day_DAY»)
  WHEN NOT MATCHED AND n.impressions IS NOT NULL THEN
    INSERT VALUES (n.asset, n.company, n.month, n.impressions, «n.day_DAY», n.observed, n.observed_total,
      n.days_with_data)
$$;
COMMENT ON FUNCTION refresh_asset_months IS 'Replaces the touched days of asset_months by what their definition says.';

CREATE TABLE class_months (
  company integer NOT NULL,
  class integer NOT NULL,
  month integer NOT NULL,
  impressions bigint NOT NULL,
  «day_DAY bigint NOT NULL»,
  observed_total bigint NOT NULL,
  observed bigint[] NOT NULL,
  PRIMARY KEY (company, class, month)
) WITH (fillfactor = 70);
COMMENT ON TABLE class_months IS 'Impressions of a class of assets, or of all assets of a company, in a month of local dates: sums of asset_months.';
COMMENT ON COLUMN class_months.class IS '0: all assets of the company.';
COMMENT ON COLUMN class_months.month IS 'Months since year 0.';
COMMENT ON COLUMN class_months.observed_total IS 'Native intervals with a count, of the month.';
COMMENT ON COLUMN class_months.observed IS 'Native intervals with a count, by day.';

CREATE FUNCTION define_class_months(company integer, class integer, month integer)
RETURNS SETOF class_months LANGUAGE sql STABLE AS $$
  SELECT a.company, a.class, m.month, sum(m.impressions)::bigint, «coalesce(sum(m.day_DAY), 0)::bigint»,
    sum(m.observed_total)::bigint, ARRAY[«coalesce(sum(m.observed[DAY]), 0)»]::bigint[]
  FROM assets a JOIN asset_months m ON m.asset = a.number AND m.month = $3
  WHERE a.class = $2 AND a.company = $1
  GROUP BY a.company, a.class, m.month
  UNION ALL
  SELECT m.company, 0, m.month, sum(m.impressions)::bigint, «sum(m.day_DAY)::bigint»,
    sum(m.observed_total)::bigint, ARRAY[«coalesce(sum(m.observed[DAY]), 0)»]::bigint[]
  FROM class_months m WHERE $2 = 0 AND m.company = $1 AND m.class > 0 AND m.month = $3
  GROUP BY m.company, m.month
$$;
