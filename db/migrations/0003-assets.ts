/**
 * Advertising faces. (number, company) is a key so that every fact can name both and neither can disagree: an asset
 * never changes its company while it has facts. measured_from and measured_to are kept by the import of counts.
 */
export const up = `
CREATE TABLE assets (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  legacy_id integer UNIQUE CHECK (legacy_id > 0),
  company integer NOT NULL REFERENCES companies (number),
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
  UNIQUE (number, company),
  CONSTRAINT region_lies_in_country CHECK (left(region, 2) = country),
  CHECK ((measured_from IS NULL) = (measured_to IS NULL))
);
CREATE INDEX assets_of_company ON assets (company, id);
`
