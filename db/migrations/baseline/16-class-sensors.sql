-- Sensors that are installed on the assets of a class, so that those of many assets are counted without reading the assets.

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
