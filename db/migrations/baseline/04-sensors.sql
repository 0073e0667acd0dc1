-- Sensors, their installations, and the columns of assets that are copies of both; the history of their health checks.

CREATE TABLE sensors (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  serial text COLLATE "C" NOT NULL UNIQUE CHECK (char_length(serial) BETWEEN 1 AND 200),
  model text NOT NULL CHECK (char_length(model) BETWEEN 1 AND 200),
  vendor integer NOT NULL,
  vendor_name text COLLATE "C" NOT NULL,
  native_minutes smallint NOT NULL,
  asset integer,
  asset_id text COLLATE "C",
  company integer,
  last_company integer,
  billable_state text NOT NULL CHECK (billable_state IN ('pending', 'billable', 'suspended', 'retired')),
  installed_at timestamptz(3),
  removed_at timestamptz(3),
  health_status text CHECK (health_status IN ('healthy', 'degraded', 'offline', 'unknown')),
  health_checked_at timestamptz(3),
  health_last_seen_at timestamptz(3),
  health_reason text CHECK (char_length(health_reason) BETWEEN 1 AND 500),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  FOREIGN KEY (vendor, native_minutes) REFERENCES vendors (number, native_minutes) ON UPDATE CASCADE,
  FOREIGN KEY (vendor, vendor_name) REFERENCES vendors (number, name) ON UPDATE CASCADE,
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  FOREIGN KEY (asset, asset_id) REFERENCES assets (number, id) ON UPDATE CASCADE,
  CHECK ((health_status IS NULL) = (health_checked_at IS NULL)),
  CHECK (health_status IS NOT NULL OR (health_last_seen_at IS NULL AND health_reason IS NULL))
);
COMMENT ON TABLE sensors IS
  'Counting hardware. A sensor is on one asset at a time, or on none, and belongs to the company of that asset. Where '
  'it was before is in installations.';
COMMENT ON COLUMN sensors.vendor_name IS
  'Copy of vendors.name, so that a page of sensors is read from this table alone. Set by trigger.';
COMMENT ON COLUMN sensors.asset IS
  'Where the sensor is: a copy of sensor_places (below), as are company, last_company, installed_at and '
  'removed_at. Set by touch_installations (in 11).';
COMMENT ON COLUMN sensors.last_company IS
  'The company of its last installation, also after the end of that: it alone is shown the serial.';
CREATE INDEX ON sensors (asset, id);
CREATE INDEX ON sensors (asset_id, id);
CREATE INDEX ON sensors (company, id);

CREATE FUNCTION set_sensor_columns() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' OR (NEW.asset, NEW.vendor) IS DISTINCT FROM (OLD.asset, OLD.vendor) THEN
    NEW.asset_id = (SELECT id FROM assets WHERE number = NEW.asset);
    NEW.vendor_name = (SELECT name FROM vendors WHERE number = NEW.vendor);
  END IF;
  IF TG_OP = 'UPDATE' AND («NEW.SENSOR_COLUMN») IS DISTINCT FROM («OLD.SENSOR_COLUMN») THEN
    NEW.updated_at = now();
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER set_sensor_columns BEFORE INSERT OR UPDATE ON sensors
  FOR EACH ROW EXECUTE FUNCTION set_sensor_columns();

CREATE TABLE installations (
  sensor integer NOT NULL REFERENCES sensors (number) ON DELETE CASCADE,
  asset integer NOT NULL,
  company integer NOT NULL,
  native_minutes smallint NOT NULL CHECK (native_minutes IN (1, 15, 60, 1440)),
  installed_at timestamptz(3) NOT NULL,
  removed_at timestamptz(3),
  vendor integer REFERENCES vendors (number),
  model text CHECK (char_length(model) BETWEEN 1 AND 200),
  PRIMARY KEY (sensor, installed_at),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  CHECK (removed_at > installed_at),
  CHECK ((removed_at IS NULL) = (vendor IS NULL)),
  CHECK ((removed_at IS NULL) = (model IS NULL)),
  -- Of ranges alone, because an index of integers in GiST needs an extension.
  CONSTRAINT on_one_asset_at_a_time EXCLUDE USING gist (
    int4range(sensor, sensor, '[]') WITH &&, tstzrange(installed_at, removed_at) WITH &&) DEFERRABLE
);
COMMENT ON TABLE installations IS
  'Where sensors are and were. A count belongs to the asset on which its sensor is installed when its interval begins. '
  'No trigger moves counts: the program that corrects an installation does.';
COMMENT ON COLUMN installations.native_minutes IS
  'Length of the intervals that the sensor counts there. All of its installations on one asset and local day have the '
  'same.';
COMMENT ON COLUMN installations.removed_at IS 'Exclusive; null while the sensor is installed.';
COMMENT ON COLUMN installations.vendor IS
  'As it was when the installation ended, as is model; until then both are those of the sensor.';
CREATE INDEX ON installations (asset, sensor);
CREATE INDEX ON installations (company, installed_at) INCLUDE (asset, native_minutes, removed_at);
CREATE INDEX ON installations (company, removed_at) WHERE removed_at IS NOT NULL;

CREATE VIEW sensor_places WITH (security_invoker = true) AS
  SELECT s.number AS sensor, i.*
  FROM sensors s LEFT JOIN LATERAL (
    SELECT CASE WHEN removed_at IS NULL THEN asset END AS asset,
      CASE WHEN removed_at IS NULL THEN company END AS company,
      company AS last_company, installed_at, removed_at
    FROM installations WHERE sensor = s.number ORDER BY installed_at DESC LIMIT 1
  ) AS i ON true;
COMMENT ON VIEW sensor_places IS
  'The columns of sensors that are copies of their last installation, which has no place as soon as it has an end, '
  'even one in the future. Time alone changes no record.';

CREATE VIEW asset_installations WITH (security_invoker = true) AS
  SELECT a.number AS asset, s.sensor_ids, s.sensor_minutes, i.installations
  FROM assets a CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(id ORDER BY id), '{}') AS sensor_ids, max(native_minutes) AS sensor_minutes
    FROM sensors WHERE asset = a.number
  ) AS s CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(json_build_object('sensor', i.sensor, 'nativeMinutes', i.native_minutes,
      'from', extract(epoch FROM i.installed_at)::float8, 'to', extract(epoch FROM i.removed_at)::float8)
      ORDER BY i.installed_at, i.sensor), '[]') AS installations
    FROM installations i WHERE i.asset = a.number
  ) AS i;
COMMENT ON VIEW asset_installations IS 'The columns of assets that are copies of their sensors and installations.';

CREATE TABLE sensor_health (
  sensor integer NOT NULL REFERENCES sensors (number) ON DELETE CASCADE,
  from_time timestamptz(3) NOT NULL,
  to_time timestamptz(3) NOT NULL CHECK (to_time >= from_time),
  status text COLLATE "C" NOT NULL CHECK (status IN ('healthy', 'degraded', 'offline', 'unknown')),
  PRIMARY KEY (sensor, from_time)
);
COMMENT ON TABLE sensor_health IS
  'The history of health checks: the checks of a sensor, one after the other, that had the same status at the same '
  'asset.';
COMMENT ON COLUMN sensor_health.to_time IS 'The last check with the status: inclusive.';

CREATE FUNCTION installations_in_scope(assets integer[]) RETURNS TABLE (asset integer, sensor integer, sensor_id text,
  serial text, vendor text, model text, native_minutes smallint, installed_at timestamptz, removed_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT i.asset, s.number, s.id, CASE WHEN s.last_company = i.company THEN s.serial END, v.name,
    coalesce(i.model, s.model), i.native_minutes, i.installed_at, i.removed_at
  FROM public.installations i JOIN public.sensors s ON s.number = i.sensor
    JOIN public.vendors v ON v.number = coalesce(i.vendor, s.vendor)
  WHERE i.asset = ANY ($1) AND i.company = ANY ((SELECT public.companies_in_scope())::integer[])
$$;
COMMENT ON FUNCTION installations_in_scope IS
  'The installations on assets in the scope of the key, with what it may know of their sensors. Row-level security '
  'hides the sensors that left its scope.';
REVOKE ALL ON FUNCTION installations_in_scope FROM PUBLIC;
