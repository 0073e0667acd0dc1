/**
 * Stores origins as a row for each asset and month, with the places once and the counts of each day packed: a 23rd of the
 * space of a row for each asset, day and city. The view `origins` has these rows.
 */
import type { Knex } from 'knex'
import { statementTriggers } from '../migrate/statement-triggers'

/** SQL of the first day of the month of a date. */
const monthOf = (date: string): string => `${date} - extract(day FROM ${date})::integer + 1`

/** SQL of the bytes of a bigint, big-endian, in one of the widths. */
const bytesOf = (integer: string, width: string): string => `substring(int8send(${integer}) FROM 9 - ${width})`

const widthOf = (max: string): string =>
  `CASE WHEN ${max} < 1 << 8 THEN 1 WHEN ${max} < 1 << 16 THEN 2 WHEN ${max} < 1::bigint << 32 THEN 4 ELSE 6 END`

/** SQL of the integer in bytes of `packed`, of which the first one has the number 1. */
const integerAt = (from: string, width: string): string =>
  `('x' || lpad(encode(substring(packed FROM ${from} FOR ${width}), 'hex'), 16, '0'))::bit(64)::bigint`

const DAYS = Array.from({ length: 31 }, (_, i) => i + 1)

/** SQL of the touched days of months, from rows with `day`. */
const touch = (days: string): string => `
    INSERT INTO touched (kind, asset, company, month, from_date, to_date)
      SELECT 'origins', asset, company, month_number(month), (month + min(day) - 1)::date, (month + max(day) - 1)::date
      FROM (${days}) AS days GROUP BY asset, company, month;`

const daysOf = (rows: string): string =>
  `SELECT asset, company, month, day::integer FROM ${rows}, unnest(days) WITH ORDINALITY AS d (packed, day) WHERE packed IS NOT NULL`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE FUNCTION pack_origins(places integer[], impressions bigint[]) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT decode(to_hex(w.place * 16 + w.count), 'hex')
    || string_agg(${bytesOf('e.place', 'w.place')} || ${bytesOf('e.count', 'w.count')}, '' ORDER BY e.place)
  FROM unnest($1, $2) AS e (place, count), (
    SELECT ${widthOf('max(place)')}, ${widthOf('max(count)')} FROM unnest($1, $2) AS e (place, count)
  ) AS w (place, count)
  GROUP BY w.place, w.count
$$;
COMMENT ON FUNCTION pack_origins IS 'Impressions by index of the place, packed as in db/calendar/packed-origins.ts.';

CREATE FUNCTION unpack_origins(packed bytea) RETURNS TABLE (place integer, impressions bigint) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ${integerAt('at', 'place_width')}::integer, ${integerAt('at + place_width', 'count_width')}
  FROM (SELECT get_byte(packed, 0) / 16, get_byte(packed, 0) % 16) AS w (place_width, count_width),
    generate_series(2, octet_length(packed), place_width + count_width) AS at
$$;
COMMENT ON FUNCTION unpack_origins IS 'The opposite of pack_origins.';

CREATE TABLE origin_months (
  asset integer NOT NULL,
  company integer NOT NULL,
  month date NOT NULL CHECK (extract(day FROM month) = 1),
  places json NOT NULL CHECK (json_typeof(places) = 'array'),
  days bytea[] NOT NULL CHECK (array_dims(days) = '[1:31]' AND array_remove(days, NULL) <> '{}'),
  PRIMARY KEY (asset, month),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company)
);
COMMENT ON TABLE origin_months IS 'Impressions of an asset in a month of local dates by home city of the audience.';
COMMENT ON COLUMN origin_months.month IS 'Its first day.';
COMMENT ON COLUMN origin_months.places IS 'Regions and cities, as in "DE-BE Berlin". Those of stored days keep their index: others are added behind them.';
COMMENT ON COLUMN origin_months.days IS 'Impressions by index of the place, by day of the month, packed as in db/calendar/packed-origins.ts. Null for a day without any.';

INSERT INTO origin_months (asset, company, month, places, days)
WITH months AS MATERIALIZED (
  SELECT asset, month, array_agg(place ORDER BY place) AS places
  FROM (SELECT DISTINCT asset, ${monthOf('date')} AS month, concat(region, ' ', city) COLLATE "C" AS place FROM origins) AS places
  GROUP BY asset, month
), days AS (
  SELECT o.asset, o.company, m.month, m.places, o.date, pack_origins(
    array_agg(array_position(m.places, concat(o.region, ' ', o.city) COLLATE "C") - 1), array_agg(o.impressions)) AS packed
  FROM origins o JOIN months m ON m.asset = o.asset AND m.month = ${monthOf('o.date')}
  GROUP BY o.asset, o.company, m.month, m.places, o.date
)
SELECT asset, company, month, array_to_json(places),
  ARRAY[${DAYS.map(day => `(array_agg(packed) FILTER (WHERE extract(day FROM date) = ${day}))[1]`).join(', ')}]
FROM days GROUP BY asset, company, month, places ORDER BY month, asset;

DROP TABLE origins;

CREATE VIEW origins WITH (security_invoker = true) AS
  SELECT m.asset, m.company, m.month, m.month + d.day::integer - 1 AS date, left(p.place, 2) AS country,
    split_part(p.place, ' ', 1) AS region, substr(p.place, strpos(p.place, ' ') + 1) AS city, e.impressions
  FROM (
    SELECT asset, company, month, ARRAY(SELECT json_array_elements_text(places)) AS places, days FROM origin_months
    OFFSET 0 -- Otherwise PostgreSQL reads the places for each count.
  ) AS m
    CROSS JOIN unnest(m.days) WITH ORDINALITY AS d (packed, day)
    CROSS JOIN unpack_origins(d.packed) AS e
    CROSS JOIN LATERAL (SELECT m.places[e.place + 1] COLLATE "C" AS place) AS p;
COMMENT ON VIEW origins IS 'Impressions of an asset on a local day by home city of the audience.';

CREATE FUNCTION touch_origins() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
-- The plan of a statement that changed no row is kept, and would compare each row with each.
SET enable_nestloop = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN${touch(daysOf('after'))}
  ELSIF TG_OP = 'DELETE' THEN${touch(daysOf('before'))}
  ELSE${touch(`
      SELECT asset, a.company, month, day::integer FROM before b JOIN after a USING (asset, month)
        CROSS JOIN unnest(b.days, a.days) WITH ORDINALITY AS d (packed_before, packed_after, day)
      WHERE packed_before IS DISTINCT FROM packed_after
        OR packed_after IS NOT NULL AND NOT starts_with(a.places::text, left(b.places::text, -1))
      UNION ALL
      ${daysOf('before')} AND NOT EXISTS (SELECT FROM after a WHERE (a.asset, a.month) = (before.asset, before.month))
      UNION ALL
      ${daysOf('after')} AND NOT EXISTS (SELECT FROM before b WHERE (b.asset, b.month) = (after.asset, after.month))`)}
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_origins() IS 'Adds the days of months that differ to what the transaction has touched.';
${statementTriggers('origin_months', 'touch_origins')}
CREATE TRIGGER touch_facts_on_truncate AFTER TRUNCATE ON origin_months
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('origins');

ALTER TABLE origin_months ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON origin_months TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON origin_months FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));
`)
}

export { down } from '../migrate/forward-only'
