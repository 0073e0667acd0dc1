/** Sensors, their former installations, and the columns of assets that derive from both. */
import type { Knex } from 'knex'
import { statementTriggers } from '../migrate/statement-triggers'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
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
  billable_state text NOT NULL CHECK (billable_state IN ('pending', 'billable', 'suspended', 'retired')),
  installed_at timestamptz(3),
  removed_at timestamptz(3),
  counting_from timestamptz(3),
  health_status text CHECK (health_status IN ('healthy', 'degraded', 'offline', 'unknown')),
  health_checked_at timestamptz(3),
  health_last_seen_at timestamptz(3),
  health_reason text CHECK (char_length(health_reason) BETWEEN 1 AND 500),
  UNIQUE (number, native_minutes),
  FOREIGN KEY (vendor, native_minutes) REFERENCES vendors (number, native_minutes) ON UPDATE CASCADE,
  FOREIGN KEY (vendor, vendor_name) REFERENCES vendors (number, name) ON UPDATE CASCADE,
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  FOREIGN KEY (asset, asset_id) REFERENCES assets (number, id) ON UPDATE CASCADE,
  CHECK ((asset IS NULL) = (company IS NULL)),
  CHECK ((asset IS NULL) = (asset_id IS NULL)),
  CONSTRAINT installed_where_on_an_asset CHECK (asset IS NULL OR installed_at IS NOT NULL),
  CONSTRAINT removed_after_installed CHECK (removed_at IS NULL OR removed_at > installed_at),
  CHECK ((health_status IS NULL) = (health_checked_at IS NULL)),
  CHECK (health_status IS NOT NULL OR (health_last_seen_at IS NULL AND health_reason IS NULL))
);
COMMENT ON TABLE sensors IS 'Counting hardware. A sensor is on one asset at a time, or on none, and belongs to the company of that asset.';
COMMENT ON COLUMN sensors.vendor_name IS 'Copy of vendors.name, so that a page of sensors is read from this table alone.';
COMMENT ON COLUMN sensors.native_minutes IS 'Copy of vendors.native_minutes, which the counts of the sensor refer to.';
COMMENT ON COLUMN sensors.asset_id IS 'Copy of assets.id.';
COMMENT ON COLUMN sensors.counting_from IS 'From this instant on the sensor''s counts belong to its present asset: installed_at, but not before its former installation ended. Set by trigger.';
COMMENT ON COLUMN sensors.health_status IS 'The last health check; null without one.';
CREATE INDEX ON sensors (asset, id);
CREATE INDEX ON sensors (asset_id, id);
CREATE INDEX ON sensors (company, id);

CREATE TABLE former_installations (
  sensor integer NOT NULL REFERENCES sensors (number),
  asset integer NOT NULL,
  company integer NOT NULL,
  native_minutes smallint NOT NULL,
  installed_at timestamptz(3) NOT NULL,
  removed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (asset, sensor, installed_at),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  FOREIGN KEY (sensor, native_minutes) REFERENCES sensors (number, native_minutes),
  CHECK (removed_at >= installed_at)
);
COMMENT ON TABLE former_installations IS 'Where sensors were before: the counts of that time stay with the former asset.';
CREATE INDEX ON former_installations (sensor, removed_at);

CREATE FUNCTION set_asset_id() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.asset_id = (SELECT id FROM assets WHERE number = NEW.asset);
  RETURN NEW;
END $$;
CREATE TRIGGER set_asset_id BEFORE INSERT OR UPDATE OF asset ON sensors
  FOR EACH ROW EXECUTE FUNCTION set_asset_id();

CREATE FUNCTION set_vendor_name() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.vendor_name = (SELECT name FROM vendors WHERE number = NEW.vendor);
  RETURN NEW;
END $$;
CREATE TRIGGER set_vendor_name BEFORE INSERT OR UPDATE OF vendor ON sensors
  FOR EACH ROW EXECUTE FUNCTION set_vendor_name();

CREATE FUNCTION set_counting_from() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.counting_from = greatest(NEW.installed_at,
    (SELECT max(removed_at) FROM former_installations WHERE sensor = NEW.number));
  RETURN NEW;
END $$;
CREATE TRIGGER set_counting_from BEFORE INSERT OR UPDATE OF installed_at, asset ON sensors
  FOR EACH ROW EXECUTE FUNCTION set_counting_from();

CREATE FUNCTION refresh_counting_from() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE sensors SET installed_at = installed_at WHERE number = NEW.sensor;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION refresh_counting_from() IS 'Fires set_counting_from for the sensor of a former installation.';
CREATE TRIGGER refresh_counting_from AFTER INSERT OR UPDATE ON former_installations
  FOR EACH ROW EXECUTE FUNCTION refresh_counting_from();

CREATE FUNCTION refresh_installations(changed_assets integer[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- Always in this order, so that concurrent transactions do not deadlock. After waiting for another transaction here,
  -- the next statement sees its sensors.
  PERFORM FROM assets WHERE number = ANY (changed_assets) ORDER BY number FOR NO KEY UPDATE;
  UPDATE assets AS a SET
    sensor_ids = derived.ids,
    sensor_minutes = derived.minutes,
    installations = derived.installations::json,
    data_version = next_data_version(a.data_version, a.version_xid),
    base_version = next_data_version(a.data_version, a.version_xid),
    version_xid = pg_current_xact_id()
  FROM (
    SELECT changed.asset, array_remove(array_agg(s.id ORDER BY s.id), NULL) AS ids, max(s.native_minutes) AS minutes,
      coalesce(i.installations, '[]') AS installations
    FROM (SELECT DISTINCT unnest(changed_assets) AS asset) AS changed
      LEFT JOIN sensors s ON s.asset = changed.asset
      LEFT JOIN (
        SELECT asset, json_agg(json_build_object('sensor', sensor, 'nativeMinutes', native_minutes,
          'from', extract(epoch FROM installed)::float8, 'to', extract(epoch FROM removed)::float8, 'present', present)
          ORDER BY installed, sensor, present)::text AS installations
        FROM (
          SELECT asset, number AS sensor, native_minutes, counting_from AS installed, removed_at AS removed, true AS present
          FROM sensors WHERE asset = ANY (changed_assets)
          UNION ALL
          SELECT asset, sensor, native_minutes, installed_at, removed_at, false
          FROM former_installations WHERE asset = ANY (changed_assets)
        ) AS installation GROUP BY asset
      ) AS i ON i.asset = changed.asset
    GROUP BY changed.asset, i.installations
  ) AS derived
  WHERE a.number = derived.asset AND (a.sensor_ids, a.sensor_minutes, a.installations::text)
    IS DISTINCT FROM (derived.ids, derived.minutes, derived.installations);
END $$;
COMMENT ON FUNCTION refresh_installations IS 'Recomputes the columns of assets that derive from their sensors. Where these change, the versions change as well.';

CREATE FUNCTION sensors_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM refresh_installations(ARRAY(SELECT asset FROM after));
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM refresh_installations(ARRAY(SELECT asset FROM before));
  ELSE
    -- Other columns, above all those of health, affect no column of assets.
    PERFORM refresh_installations(ARRAY(
      SELECT unnest(ARRAY[b.asset, a.asset]) FROM before b JOIN after a USING (number)
      WHERE (b.id, b.asset, b.native_minutes, b.counting_from, b.removed_at)
        IS DISTINCT FROM (a.id, a.asset, a.native_minutes, a.counting_from, a.removed_at)));
  END IF;
  RETURN NULL;
END $$;
${statementTriggers('sensors', 'sensors_changed')}

CREATE FUNCTION former_installations_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM refresh_installations(ARRAY(SELECT asset FROM after));
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM refresh_installations(ARRAY(SELECT asset FROM before));
  ELSE
    PERFORM refresh_installations(ARRAY(SELECT asset FROM before UNION ALL SELECT asset FROM after));
  END IF;
  RETURN NULL;
END $$;
${statementTriggers('former_installations', 'former_installations_changed')}
`)
}

export { down } from '../migrate/forward-only'
