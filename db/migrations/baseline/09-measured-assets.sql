-- Counts over many assets without reading them: bitmaps of the assets that have data on a day, and the sensors that are
-- installed on the assets of a class.

CREATE TABLE measured_assets (
  kind text NOT NULL,
  company integer NOT NULL,
  date date NOT NULL,
  block integer NOT NULL,
  assets bit(2048) NOT NULL,
  PRIMARY KEY (kind, company, date, block)
-- Room for new versions of rows beside the old ones.
) WITH (fillfactor = 50);
COMMENT ON TABLE measured_assets IS 'The assets that have data of a kind on a local day, as bits: bit N of block B is the asset with the number B * 2048 + N.';

CREATE FUNCTION asset_bit(asset integer, value integer) RETURNS bit LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT set_bit(B'0'::bit(2048), $1 % 2048, $2)
$$;
COMMENT ON FUNCTION asset_bit IS 'A block of measured_assets with the bit of one asset.';

CREATE VIEW defined_measured_assets WITH (security_invoker = true) AS
  SELECT kind, company, date, asset / 2048 AS block, bit_or(asset_bit(asset, 1)) AS assets
  FROM (SELECT 'impressions' AS kind, company, date, asset FROM sensor_days UNION ALL SELECT 'demographics' AS kind,
    company, date, asset FROM demographic_days) AS days
  GROUP BY kind, company, date, asset / 2048;
COMMENT ON VIEW defined_measured_assets IS 'The definition of measured_assets.';

CREATE FUNCTION refresh_measured_assets() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  WITH days AS (
    SELECT kind, company, from_date + generate_series(0, to_date - from_date) AS date, asset, 0 AS is_measured
      FROM touched WHERE kind = 'impressions'
    UNION ALL
    SELECT t.kind, t.company, d.date, t.asset, 1
      FROM touched t JOIN sensor_days d ON d.asset = t.asset AND d.date BETWEEN t.from_date AND t.to_date WHERE t.kind = 'impressions'
    UNION ALL
    SELECT kind, company, from_date + generate_series(0, to_date - from_date) AS date, asset, 0 AS is_measured
      FROM touched WHERE kind = 'demographics'
    UNION ALL
    SELECT t.kind, t.company, d.date, t.asset, 1
      FROM touched t JOIN demographic_days d ON d.asset = t.asset AND d.date BETWEEN t.from_date AND t.to_date WHERE t.kind = 'demographics'
  ), blocks AS (
    SELECT kind, company, date, asset / 2048 AS block, bit_or(asset_bit(asset, 1)) AS touched, bit_or(asset_bit(asset,
      is_measured)) AS measured
    FROM days GROUP BY kind, company, date, asset / 2048
  )
  MERGE INTO measured_assets AS m USING blocks AS b ON (m.kind, m.company, m.date, m.block) = (b.kind, b.company,
    b.date, b.block)
  WHEN MATCHED AND m.assets & ~b.touched | b.measured = asset_bit(0, 0) THEN DELETE
  WHEN MATCHED AND m.assets & ~b.touched | b.measured <> m.assets THEN UPDATE SET assets = m.assets & ~b.touched | b.measured
  WHEN NOT MATCHED AND b.measured <> asset_bit(0, 0) THEN INSERT VALUES (b.kind, b.company, b.date, b.block, b.measured)
$$;
COMMENT ON FUNCTION refresh_measured_assets IS 'Sets the bits of touched days to what their definition says.';

CREATE TABLE class_sensors (
  company integer NOT NULL,
  class integer NOT NULL,
  rules integer NOT NULL,
  native_minutes smallint NOT NULL,
  sensors integer NOT NULL,
  PRIMARY KEY (company, class, rules, native_minutes)
) WITH (fillfactor = 70);
COMMENT ON TABLE class_sensors IS 'Sensors that are installed on the assets of a class, or on all assets of a company.';
COMMENT ON COLUMN class_sensors.class IS '0: all assets of the company.';
COMMENT ON COLUMN class_sensors.native_minutes IS 'Of their installations.';

CREATE FUNCTION define_class_sensors(company integer, class integer, rules integer, native_minutes smallint)
RETURNS SETOF class_sensors LANGUAGE sql STABLE AS $$
  SELECT a.company, a.class, a.rules, i.native_minutes, count(*)::integer
  FROM assets a JOIN installations i ON i.asset = a.number AND i.removed_at IS NULL
  WHERE a.class = $2 AND a.company = $1 AND a.rules = $3 AND i.native_minutes = $4
  GROUP BY a.company, a.class, a.rules, i.native_minutes
  UNION ALL
  SELECT s.company, 0, s.rules, s.native_minutes, sum(s.sensors)::integer
  FROM class_sensors s WHERE $2 = 0 AND s.company = $1 AND s.class > 0 AND s.rules = $3 AND s.native_minutes = $4
  GROUP BY s.company, s.rules, s.native_minutes
$$;
