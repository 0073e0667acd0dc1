/** Makers of sensors. The service's own vendor counts minutes; a third party's sensors count quarter hours, or hours. */
export const up = `
CREATE TABLE vendors (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  name text COLLATE "C" NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 200),
  own boolean NOT NULL,
  native_minutes smallint NOT NULL CHECK (native_minutes IN (1, 15, 60)),
  UNIQUE (number, native_minutes),
  CONSTRAINT own_vendor_counts_minutes CHECK (own = (native_minutes = 1))
);
`
