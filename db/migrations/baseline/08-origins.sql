-- Origins: where the audience lives. A row for each asset and month has the places once and the counts of each day packed: a
-- 23rd of the space of a row for each asset, day and city. The view `origins` has these rows.

CREATE FUNCTION are_packed_origins(days bytea[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  day bytea;
BEGIN
  FOREACH day IN ARRAY array_remove(days, NULL) LOOP
    IF octet_length(day) < 3 OR get_byte(day, 0) / 16 NOT IN (1, 2, 4, 6) OR get_byte(day, 0) % 16 NOT IN (1, 2, 4, 6)
      OR (octet_length(day) - 1) % (get_byte(day, 0) / 16 + get_byte(day, 0) % 16) > 0
    THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;
COMMENT ON FUNCTION are_packed_origins IS 'Whether each day has the length of whole entries, of numbers with known widths.';

CREATE TABLE origin_months (
  asset integer NOT NULL,
  company integer NOT NULL,
  month date NOT NULL CHECK (extract(day FROM month) = 1),
  places json NOT NULL CHECK (json_typeof(places) = 'array'),
  days bytea[] NOT NULL CHECK (array_dims(days) = '[1:31]' AND array_remove(days, NULL) <> '{}'),
  PRIMARY KEY (asset, month),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  CONSTRAINT days_are_packed CHECK (are_packed_origins(days)),
  CONSTRAINT days_are_of_month CHECK (
    array_remove(days[extract(day FROM month + interval '1 month - 1 day')::integer + 1 :], NULL) = '{}')
-- A month grows every night. With full pages, 3 % of its updates stay on their page, and the table takes twice the space.
) WITH (fillfactor = 70);
COMMENT ON TABLE origin_months IS 'Impressions of an asset in a month of local dates by home city of the audience.';
COMMENT ON COLUMN origin_months.month IS 'Its first day.';
COMMENT ON COLUMN origin_months.places IS 'Regions and cities, as in "DE-BE Berlin". Those of stored days keep their index: others are added behind them.';
COMMENT ON COLUMN origin_months.days IS 'Impressions by index of the place, by day of the month, packed as in db/calendar/packed-origins.ts. Null for a day without any.';

CREATE VIEW origins WITH (security_invoker = true) AS
  SELECT m.asset, m.company, m.month, m.month + d.day::integer - 1 AS date, left(p.place, 2) AS country,
    split_part(p.place, ' ', 1) AS region, substr(p.place, strpos(p.place, ' ') + 1) AS city, e.impressions
  FROM (
    SELECT asset, company, month, ARRAY(SELECT json_array_elements_text(places)) AS places, days FROM origin_months
    OFFSET 0 -- Otherwise PostgreSQL reads the places for each count.
  ) AS m
    CROSS JOIN unnest(m.days) WITH ORDINALITY AS d (packed, day)
    CROSS JOIN LATERAL (
      SELECT ('x' || lpad(encode(substring(packed FROM at FOR place_width), 'hex'), 16, '0'))::bit(64)::bigint::integer AS place,
        ('x' || lpad(encode(substring(packed FROM at + place_width FOR count_width), 'hex'), 16,
          '0'))::bit(64)::bigint AS impressions
      FROM (SELECT get_byte(packed, 0) / 16, get_byte(packed, 0) % 16) AS w (place_width, count_width),
        generate_series(2, octet_length(packed), place_width + count_width) AS at
    ) AS e
    CROSS JOIN LATERAL (SELECT m.places[e.place + 1] COLLATE "C" AS place) AS p;
COMMENT ON VIEW origins IS 'Impressions of an asset on a local day by home city of the audience.';

CREATE FUNCTION sum_of_origins(packed bytea) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT sum(('x' || lpad(encode(substring(packed FROM at + place_width FOR count_width), 'hex'), 16, '0'))::bit(64)::bigint)::bigint
  FROM (SELECT get_byte(packed, 0) / 16, get_byte(packed, 0) % 16) AS w (place_width, count_width),
    generate_series(2, octet_length(packed), place_width + count_width) AS at
$$;
COMMENT ON FUNCTION sum_of_origins IS 'The total of a day of origins, as it is packed.';
