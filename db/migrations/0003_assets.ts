/** Assets, the physical advertising faces. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE FUNCTION to_microseconds(instant timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (extract(epoch FROM instant) * 1000000)::bigint $$;
COMMENT ON FUNCTION to_microseconds IS 'Microseconds since 1970-01-01 UTC.';

CREATE TABLE assets (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  legacy_id integer UNIQUE CHECK (legacy_id > 0),
  company integer NOT NULL,
  company_id text COLLATE "C" NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 500),
  description text CHECK (char_length(description) BETWEEN 1 AND 5000),
  media_type text NOT NULL CHECK (media_type IN ('digital', 'static')),
  format text NOT NULL CHECK (format IN ('billboard', 'bus_shelter', 'urban_panel', 'spectacular', 'window_panel',
    'transit', 'street_furniture', 'place_based', 'other')),
  venue_type_id integer CHECK (venue_type_id > 0),
  status text NOT NULL CHECK (status IN ('active', 'inactive', 'archived')),
  indoors boolean NOT NULL,
  facing_degrees smallint CHECK (facing_degrees BETWEEN 0 AND 359),
  width_m double precision CHECK (width_m > 0 AND width_m <= 10000),
  height_m double precision CHECK (height_m > 0 AND height_m <= 10000),
  latitude double precision NOT NULL CHECK (latitude BETWEEN -90 AND 90),
  longitude double precision NOT NULL CHECK (longitude BETWEEN -180 AND 180),
  address text CHECK (char_length(address) BETWEEN 1 AND 500),
  city text COLLATE "C" CHECK (char_length(city) BETWEEN 1 AND 200),
  region text COLLATE "C" CHECK (region ~ '^[A-Z]{2}-[A-Z0-9]{1,3}$'),
  postal_code text CHECK (char_length(postal_code) BETWEEN 1 AND 20),
  country text COLLATE "C" NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  time_zone text NOT NULL CHECK (char_length(time_zone) BETWEEN 1 AND 64),
  measured_from date,
  measured_to date CHECK (measured_to >= measured_from),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  sensor_ids text[] COLLATE "C" NOT NULL DEFAULT '{}',
  sensor_minutes smallint,
  installations json NOT NULL DEFAULT '[]',
  data_version bigint NOT NULL DEFAULT to_microseconds(statement_timestamp()),
  base_version bigint NOT NULL DEFAULT to_microseconds(statement_timestamp()),
  month_versions bigint[] NOT NULL DEFAULT '{}',
  version_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  UNIQUE (number, company),
  UNIQUE (number, id),
  FOREIGN KEY (company, company_id) REFERENCES companies (number, id) ON UPDATE CASCADE,
  CONSTRAINT region_lies_in_country CHECK (left(region, 2) = country),
  CHECK ((measured_from IS NULL) = (measured_to IS NULL))
);
COMMENT ON TABLE assets IS 'Physical advertising faces. Tables of counts refer to (number, company): an asset with counts cannot change its company.';
COMMENT ON COLUMN assets.company_id IS 'Copy of companies.id, so that a page of assets is read from this table alone.';
COMMENT ON COLUMN assets.region IS 'ISO 3166-2, e.g. DE-BE.';
COMMENT ON COLUMN assets.country IS 'ISO 3166-1 alpha-2.';
COMMENT ON COLUMN assets.time_zone IS 'IANA name. All dates of the asset are local dates in this zone.';
COMMENT ON COLUMN assets.measured_from IS 'First and last local date with counts. Set by imports.';
COMMENT ON COLUMN assets.sensor_ids IS 'Ids of its sensors, ascending. Set by trigger, as are the two columns below.';
COMMENT ON COLUMN assets.sensor_minutes IS 'The coarsest native_minutes of its sensors.';
COMMENT ON COLUMN assets.installations IS 'All sensors that are or were on the asset: [{sensor, nativeMinutes, from, to, present}], instants in seconds since 1970.';
COMMENT ON COLUMN assets.data_version IS 'When any of the asset''s counts or installations last changed, in microseconds since 1970. Set by trigger, as are the three columns below.';
COMMENT ON COLUMN assets.base_version IS 'The last change that affects every range of dates: installations, the time zone.';
COMMENT ON COLUMN assets.month_versions IS 'The last change of each month of local dates. The subscript counts months since year 0. 0: no change.';
COMMENT ON COLUMN assets.version_xid IS 'The transaction that set data_version.';
CREATE INDEX ON assets (company, id);

CREATE FUNCTION set_company_id() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.company_id = (SELECT id FROM companies WHERE number = NEW.company);
  RETURN NEW;
END $$;
CREATE TRIGGER set_company_id BEFORE INSERT OR UPDATE OF company ON assets
  FOR EACH ROW EXECUTE FUNCTION set_company_id();

CREATE FUNCTION next_data_version(version bigint, version_xid xid8) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN version_xid = pg_current_xact_id() THEN version
    ELSE greatest(to_microseconds(statement_timestamp()), (version / 1000000 + 1) * 1000000) END
$$;
COMMENT ON FUNCTION next_data_version IS 'The version after this one of an asset. All changes of a transaction have one version, since they become visible together. Two versions are never in the same second, which is the resolution of Last-Modified.';

CREATE FUNCTION record_time_zone_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.data_version = next_data_version(OLD.data_version, OLD.version_xid);
  NEW.base_version = NEW.data_version;
  NEW.version_xid = pg_current_xact_id();
  RETURN NEW;
END $$;
CREATE TRIGGER record_time_zone_change BEFORE UPDATE OF time_zone ON assets
  FOR EACH ROW WHEN (OLD.time_zone IS DISTINCT FROM NEW.time_zone) EXECUTE FUNCTION record_time_zone_change();
`)
}

export { down } from '../migrate/forward-only'
