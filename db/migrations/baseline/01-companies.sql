-- Companies, the tenants, and vendors, the makers of sensors.

CREATE TABLE companies (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  name text COLLATE "C" NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 200),
  final_through date,
  closings date[] NOT NULL DEFAULT '{}',
  UNIQUE (number, id)
);
COMMENT ON TABLE companies IS 'The tenants. An asset belongs to one company.';
COMMENT ON COLUMN companies.id IS 'What callers see.';
COMMENT ON COLUMN companies.number IS 'Four bytes by which other tables refer to a company. Never seen by callers; the same holds for vendors, assets and sensors.';
COMMENT ON COLUMN companies.final_through IS 'The last day of the last closed month; null without one.';
COMMENT ON COLUMN companies.closings IS 'What was final after each close that is in force; the last one is final_through.';

CREATE TABLE vendors (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  name text COLLATE "C" NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 200),
  own boolean NOT NULL,
  native_minutes smallint NOT NULL CHECK (native_minutes IN (1, 15, 60, 1440)),
  UNIQUE (number, name),
  UNIQUE (number, native_minutes),
  CONSTRAINT own_vendor_counts_minutes CHECK (own = (native_minutes = 1))
);
COMMENT ON TABLE vendors IS 'The makers of sensors. They belong to no company.';
COMMENT ON COLUMN vendors.own IS 'Whether this is the operator of the service. Only its sensors count minutes.';
COMMENT ON COLUMN vendors.native_minutes IS 'Length of the intervals that its sensors count: a minute, a quarter hour, an hour or a day.';
