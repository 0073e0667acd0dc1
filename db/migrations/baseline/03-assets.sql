-- Assets, the physical advertising faces.

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
  time_zone text COLLATE "C" NOT NULL,
  rules integer NOT NULL REFERENCES zone_rules (number),
  sensor_ids text[] COLLATE "C" NOT NULL DEFAULT '{}',
  sensor_minutes smallint,
  installations json NOT NULL DEFAULT '[]',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  venue_taxonomy text COLLATE "C" CONSTRAINT venue_taxonomy_is_known CHECK (venue_taxonomy IN ('1.0', '1.1', '1.2.1')),
  external_ids jsonb NOT NULL DEFAULT '{}'
    CONSTRAINT external_ids_are_an_object CHECK (jsonb_typeof(external_ids) = 'object'),
  UNIQUE (number, company),
  UNIQUE (number, id),
  FOREIGN KEY (company, company_id) REFERENCES companies (number, id) ON UPDATE CASCADE,
  CONSTRAINT region_lies_in_country CHECK (left(region, 2) = country)
);
COMMENT ON TABLE assets IS
  'Physical advertising faces. An asset keeps its company: imports refuse another one, and tables of counts refer to '
  '(number, company).';
COMMENT ON COLUMN assets.company_id IS
  'Copy of companies.id, so that a page of assets is read from this table alone. Set by trigger.';
COMMENT ON COLUMN assets.region IS 'ISO 3166-2, e.g. DE-BE.';
COMMENT ON COLUMN assets.country IS 'ISO 3166-1 alpha-2.';
COMMENT ON COLUMN assets.time_zone IS 'IANA name. All dates of the asset are local dates in this zone.';
COMMENT ON COLUMN assets.rules IS
  'The rules by which its days are cut. Set by trigger with the zone, later by `zones update`, which moves counts.';
COMMENT ON COLUMN assets.sensor_ids IS
  'Ids of its sensors, ascending; a copy of asset_installations (in 04), as are the two below. Set by triggers in 11.';
COMMENT ON COLUMN assets.sensor_minutes IS
  'Their longest native interval, the finest grain that all deliver; null without sensors.';
COMMENT ON COLUMN assets.installations IS
  'All sensors that are or were on the asset: [{sensor, nativeMinutes, from, to}], instants in seconds since 1970.';
COMMENT ON COLUMN assets.venue_taxonomy IS 'The version of OpenOOH of venue_type_id; null where it is not stated.';
COMMENT ON COLUMN assets.external_ids IS 'The ids of the asset in other systems: {system: id}.';
CREATE INDEX ON assets (company, id);

CREATE FUNCTION set_asset_columns() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW.company <> OLD.company THEN
    NEW.company_id = (SELECT id FROM companies WHERE number = NEW.company);
  END IF;
  IF TG_OP = 'INSERT' OR NEW.time_zone <> OLD.time_zone THEN
    NEW.rules = (SELECT number FROM zone_rules WHERE zone = NEW.time_zone AND in_force);
    IF NEW.rules IS NULL THEN
      RAISE foreign_key_violation
        USING MESSAGE = format('there are no rules of the time zone %s, which an import adds', NEW.time_zone);
    END IF;
  END IF;
  IF TG_OP = 'UPDATE' AND («NEW.ASSET_COLUMN») IS DISTINCT FROM («OLD.ASSET_COLUMN») THEN
    NEW.updated_at = now();
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER set_asset_columns BEFORE INSERT OR UPDATE ON assets
  FOR EACH ROW EXECUTE FUNCTION set_asset_columns();

CREATE TABLE asset_external_ids (
  company integer NOT NULL,
  key text COLLATE "C" NOT NULL,
  asset integer NOT NULL,
  PRIMARY KEY (asset, key),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company) ON UPDATE CASCADE ON DELETE CASCADE
);
COMMENT ON TABLE asset_external_ids IS 'Copies of assets.external_ids, to find assets by. Set by touch_assets (in 11).';
COMMENT ON COLUMN asset_external_ids.key IS 'system:id';
CREATE INDEX ON asset_external_ids (company, key) INCLUDE (asset);
