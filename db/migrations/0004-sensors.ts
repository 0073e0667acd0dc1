/**
 * Hardware. A sensor stands on one asset at a time and belongs to that asset's company; where it stood before is kept in
 * former_installations, so that past days stay with the asset where they were counted. native_minutes repeats the
 * vendor's, by foreign key, so that counts can be held to it in turn. The last health check is part of the sensor.
 * counting_from is kept by triggers: from then on the sensor's counts belong to its present asset, which is when it was
 * installed there, but not before its former installation ended.
 */
export const up = `
CREATE TABLE sensors (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  serial text COLLATE "C" NOT NULL UNIQUE CHECK (char_length(serial) BETWEEN 1 AND 200),
  model text NOT NULL CHECK (char_length(model) BETWEEN 1 AND 200),
  vendor integer NOT NULL,
  native_minutes smallint NOT NULL,
  asset integer,
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
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  CHECK ((asset IS NULL) = (company IS NULL)),
  CONSTRAINT installed_where_on_an_asset CHECK (asset IS NULL OR installed_at IS NOT NULL),
  CONSTRAINT removed_after_installed CHECK (removed_at IS NULL OR removed_at > installed_at),
  CHECK ((health_status IS NULL) = (health_checked_at IS NULL)),
  CHECK (health_status IS NOT NULL OR (health_last_seen_at IS NULL AND health_reason IS NULL))
);
CREATE INDEX sensors_of_asset ON sensors (asset, id);
CREATE INDEX sensors_of_company ON sensors (company, id);

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
CREATE INDEX former_installations_of_sensor ON former_installations (sensor, removed_at);

CREATE FUNCTION keep_counting_from() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.counting_from = greatest(NEW.installed_at,
    (SELECT max(f.removed_at) FROM former_installations f WHERE f.sensor = NEW.number));
  RETURN NEW;
END $$;
CREATE TRIGGER keep_counting_from BEFORE INSERT OR UPDATE OF installed_at, asset ON sensors
  FOR EACH ROW EXECUTE FUNCTION keep_counting_from();

CREATE FUNCTION follow_former_installation() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE sensors SET installed_at = installed_at WHERE number = NEW.sensor;
  RETURN NULL;
END $$;
CREATE TRIGGER follow_former_installation AFTER INSERT OR UPDATE ON former_installations
  FOR EACH ROW EXECUTE FUNCTION follow_former_installation();
`
