-- Origins: where the audience lives. A row for each asset and day has the places and their impressions in two arrays.

CREATE TABLE origin_places (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  company integer NOT NULL REFERENCES companies (number) ON DELETE CASCADE,
  region text COLLATE "C" NOT NULL CHECK (region ~ '^[A-Z]{2}-[A-Z0-9]{1,3}$'),
  city text COLLATE "C" NOT NULL CHECK (char_length(city) BETWEEN 1 AND 200),
  UNIQUE (company, region, city)
);

CREATE FUNCTION is_ascending(numbers integer[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  previous integer;
  number integer;
BEGIN
  FOREACH number IN ARRAY numbers LOOP
    IF number <= previous THEN RETURN false; END IF;
    previous = number;
  END LOOP;
  RETURN true;
END $$;

CREATE TABLE origin_days (
  asset integer NOT NULL,
  company integer NOT NULL,
  date date NOT NULL,
  places integer[] NOT NULL CHECK (array_position(places, NULL) IS NULL AND is_ascending(places)),
  impressions integer[] NOT NULL CHECK (array_position(impressions, NULL) IS NULL AND 0 <= ALL (impressions)),
  PRIMARY KEY (asset, date),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  CHECK (cardinality(places) > 0 AND array_dims(places) = '[1:' || cardinality(places) || ']'
    AND array_dims(impressions) = array_dims(places))
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
COMMENT ON TABLE origin_days IS 'Impressions of an asset on a local day by home city of the audience.';
COMMENT ON COLUMN origin_days.places IS 'Numbers of origin_places, ascending. The impressions are in their order.';
