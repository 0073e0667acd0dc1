/** Stores origins as a row for each asset and day, with the places and their impressions in two arrays. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE origin_places (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  company integer NOT NULL REFERENCES companies (number) ON DELETE CASCADE,
  region text COLLATE "C" NOT NULL CHECK (region ~ '^[A-Z]{2}-[A-Z0-9]{1,3}$'),
  city text COLLATE "C" NOT NULL CHECK (char_length(city) BETWEEN 1 AND 200),
  UNIQUE (company, region, city)
);
COMMENT ON TABLE origin_places IS 'Home cities of the audience, by company.';
COMMENT ON COLUMN origin_places.region IS 'ISO 3166-2. It begins with the country.';

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
COMMENT ON FUNCTION is_ascending IS 'Whether each number is greater than the one before.';

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
COMMENT ON COLUMN origin_days.places IS 'Numbers of origin_places, ascending.';
COMMENT ON COLUMN origin_days.impressions IS 'As many as places, in their order.';

ALTER TABLE origin_places ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE origin_days ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON origin_places TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner ON origin_days TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON origin_places FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));
CREATE POLICY company_scope ON origin_days FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));

INSERT INTO origin_places (company, region, city) SELECT DISTINCT company, region, city FROM origins ORDER BY 1, 2, 3;
INSERT INTO origin_days (asset, company, date, places, impressions)
  SELECT asset, company, date, array_agg(number ORDER BY number), array_agg(impressions::integer ORDER BY number)
  FROM origins JOIN origin_places USING (company, region, city) GROUP BY asset, company, date;

DROP VIEW origins;
DROP TABLE origin_months;
DROP FUNCTION touch_origins, note_former_origins, are_packed_origins, sum_of_origins;

CREATE OR REPLACE FUNCTION touch_facts() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    INSERT INTO touched (kind, asset, company, month, from_date, to_date)
      SELECT TG_ARGV[0], asset, company, month_number(date), min(date), max(date)
      FROM after GROUP BY asset, company, month_number(date);
  END IF;
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    INSERT INTO touched (kind, asset, company, month, from_date, to_date)
      SELECT TG_ARGV[0], asset, company, month_number(date), min(date), max(date)
      FROM before GROUP BY asset, company, month_number(date);
    IF TG_ARGV[0] = 'demographics' THEN
      INSERT INTO former_days (kind, asset, date, total)
        SELECT 'demographics', asset, date, sum_of_groups(ROW (before.*)::demographic_days) FROM before
        ON CONFLICT DO NOTHING;
    ELSIF TG_ARGV[0] = 'origins' THEN
      INSERT INTO former_days (kind, asset, date, total)
        SELECT 'origins', asset, date, (SELECT sum(i) FROM unnest(impressions) AS i) FROM before
        ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER touch_facts_on_insert AFTER INSERT ON origin_days REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('origins');
CREATE TRIGGER touch_facts_on_update AFTER UPDATE ON origin_days REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('origins');
CREATE TRIGGER touch_facts_on_delete AFTER DELETE ON origin_days REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('origins');

CREATE VIEW origins WITH (security_invoker = true) AS
  SELECT asset, d.company, date, left(region, 2) AS country, region, city, p.impressions
  FROM origin_days d CROSS JOIN unnest(places, d.impressions) AS p (place, impressions) JOIN origin_places ON number = place;
COMMENT ON VIEW origins IS 'Impressions of an asset on a local day, a row for each home city of the audience.';

CREATE OR REPLACE FUNCTION record_restatements(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp SET jit = off AS $$
DECLARE
  why text = coalesce(nullif(current_setting('partner_metrics.reason', true), ''), 'import');
  given_note text = nullif(current_setting('partner_metrics.note', true), '');
  is_public boolean = coalesce(current_setting('partner_metrics.note_is_public', true) = 'true', false);
  is_restated boolean = coalesce(current_setting('partner_metrics.restate', true) = 'true', false);
  at timestamptz = to_timestamp(current / 1000000);
  closed json;
BEGIN
  IF why = 'unrecorded' THEN RETURN; END IF;
  ANALYZE former_days;
  WITH months AS (
    SELECT kind, asset, month, min(from_date) AS first, max(to_date) AS last FROM touched
    WHERE kind IN ('impressions', 'origins', 'demographics') GROUP BY kind, asset, month
  ), today AS (
    SELECT number AS rules, first_open_day(number, at) AS day FROM zone_rules
  ), open AS (
    -- Days before this one are over, by the rules of the time zone or by former ones, until these were replaced; or they are final.
    SELECT a.number AS asset, a.company, c.final_through, greatest(r.day, f.day, c.final_through + 1, (
      -- Days that were over by rules replaced two days ago or earlier are over by the present ones, too.
      SELECT max(first_open_day(p.rules, to_timestamp(p.revision / 1000000))) FROM installation_revisions p
      WHERE p.asset = a.number AND p.revision > to_microseconds(at - interval '2 days'))) AS day
    FROM (SELECT DISTINCT asset FROM months) AS t JOIN assets a ON a.number = t.asset JOIN companies c ON c.number = a.company
      JOIN today r ON r.rules = a.rules
      LEFT JOIN former_installations i ON i.asset = a.number LEFT JOIN today f ON f.rules = i.rules
  ), present AS (
    SELECT 'impressions' AS kind, asset, d.date, d.total, d.observed
    FROM months t JOIN open o USING (asset) JOIN asset_days d USING (asset, month)
    WHERE t.kind = 'impressions' AND d.date BETWEEN first AND least(last, o.day - 1)
    UNION ALL
    SELECT 'demographics', asset, d.date, sum_of_groups(d), NULL
    FROM months t JOIN open o USING (asset) JOIN demographic_days d USING (asset)
    WHERE t.kind = 'demographics' AND d.date BETWEEN first AND least(last, o.day - 1)
    UNION ALL
    SELECT 'origins', asset, d.date, (SELECT sum(i) FROM unnest(d.impressions) AS i), NULL
    FROM months t JOIN open o USING (asset) JOIN origin_days d USING (asset)
    WHERE t.kind = 'origins' AND d.date BETWEEN first AND least(last, o.day - 1)
  ), changed AS (
    SELECT kind, asset, date, f.total AS total_before, p.total AS total_after, f.observed AS observed_before, p.observed AS observed_after
    FROM former_days f FULL JOIN present p USING (kind, asset, date)
    WHERE (f.total, f.observed) IS DISTINCT FROM (p.total, p.observed)
  ), steps AS MATERIALIZED (
    SELECT o.company, c.*, coalesce(c.date <= o.final_through, false) AS final, c.total_before IS NULL AND NOT EXISTS (
      SELECT FROM restatements r WHERE (r.asset, r.kind, r.date) = (c.asset, c.kind, c.date)) AS is_late
    FROM changed c JOIN open o USING (asset) WHERE c.date < o.day
  ), restated AS (
    INSERT INTO restatements
      SELECT asset, company, kind, date, current, total_before, total_after, observed_before, observed_after, final
      FROM steps WHERE NOT is_late
  ), late AS (
    -- Neighbouring days of an asset are one range, and assets with the same range one row.
    INSERT INTO late_days
      SELECT company, kind, from_date, to_date, current, range_agg(int4range(asset, asset, '[]'))
      FROM (
        SELECT company, kind, asset, min(date) AS from_date, max(date) AS to_date
        FROM (SELECT *, date - row_number() OVER (PARTITION BY kind, asset ORDER BY date)::integer AS run FROM steps WHERE is_late) AS s
        GROUP BY company, kind, asset, run
      ) AS runs GROUP BY company, kind, from_date, to_date
  ), moved AS (
    INSERT INTO installation_revisions
      SELECT asset, a.company, current, i.installations, i.rules FROM former_installations i JOIN assets a ON a.number = i.asset
  ), noted AS (
    -- A public reason is a note on the asset, unless what was set aside is one already.
    INSERT INTO touched (kind, asset)
      SELECT DISTINCT 'notes', asset FROM steps
      WHERE NOT is_late AND total_before IS DISTINCT FROM total_after AND is_public AND given_note IS NOT NULL AND why <> 'set_aside'
  ), revision AS (
    INSERT INTO revisions
      SELECT current, why, given_note, is_public, nullif(current_setting('partner_metrics.operation', true), '')::bigint
      WHERE EXISTS (SELECT FROM steps) OR EXISTS (SELECT FROM former_installations)
  )
  SELECT json_agg(json_build_object('asset', a.id, 'kind', s.kind, 'from', from_date, 'to', to_date, 'days', days) ORDER BY a.id, s.kind)
    INTO closed
    FROM (
      SELECT asset, kind, min(date) AS from_date, max(date) AS to_date, count(*) AS days FROM steps
      WHERE final AND total_before IS DISTINCT FROM total_after GROUP BY asset, kind
    ) AS s JOIN assets a ON a.number = s.asset;
  IF closed IS NOT NULL AND NOT is_restated THEN
    RAISE SQLSTATE 'PM001' USING MESSAGE = 'totals of a closed month would change', DETAIL = closed::text;
  END IF;
END $$`)
}

export { down } from '../migrate/forward-only'
