-- Companies, the tenants.

CREATE TABLE companies (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  name text COLLATE "C" NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 200),
  UNIQUE (number, id)
);
COMMENT ON TABLE companies IS 'The tenants. An asset belongs to one company.';
COMMENT ON COLUMN companies.id IS 'What callers see.';
COMMENT ON COLUMN companies.number IS 'Four bytes by which other tables refer to a company. Never seen by callers; the same holds for vendors, assets and sensors.';
