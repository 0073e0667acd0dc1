/**
 * The ledger: what the totals of local days were before they changed, when the day was over, and the months that are closed. It is
 * written where everything derived is refreshed, so that no change bypasses it.
 */
import type { Knex } from 'knex'

const DAYS = Array.from({ length: 31 }, (_, i) => `day_${i + 1}`).join(', ')

const GROUPS = '12_17 18_24 25_34 35_44 45_54 55_64 65 unknown'
  .split(' ')
  .flatMap(age => ['male', 'female', 'unknown'].map(gender => `coalesce(${gender}_${age}, 0)`))
  .join(' + ')

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE companies ADD COLUMN final_through date;
COMMENT ON COLUMN companies.final_through IS 'The last day of the last closed month; null without one.';

CREATE TABLE revisions (
  number bigint PRIMARY KEY,
  reason text COLLATE "C" NOT NULL CHECK (reason IN ('import', 'deletion', 'set_aside', 'restored', 'move', 'time_zone', 'zone_rules',
    'repair', 'begin')),
  note text CHECK (char_length(note) BETWEEN 1 AND 500),
  note_is_public boolean NOT NULL DEFAULT false,
  operation bigint
);
COMMENT ON TABLE revisions IS 'Transactions that changed days that were over, or installations. The first one is the beginning of the ledger.';
COMMENT ON COLUMN revisions.number IS 'As in feed_transactions, which keeps only the last million.';
COMMENT ON COLUMN revisions.note IS 'What the operator gave as the reason.';
COMMENT ON COLUMN revisions.operation IS 'The record in operations; null without one.';
INSERT INTO revisions (number, reason) VALUES (to_microseconds(clock_timestamp()), 'begin');

CREATE TABLE restatements (
  asset integer NOT NULL REFERENCES assets (number) ON DELETE CASCADE,
  company integer NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics')),
  date date NOT NULL,
  revision bigint NOT NULL REFERENCES revisions (number),
  total_before bigint,
  total_after bigint,
  observed_before integer,
  observed_after integer,
  final boolean NOT NULL,
  PRIMARY KEY (asset, kind, date, revision)
);
COMMENT ON TABLE restatements IS 'Changes of the stored total of a local day that was over and had had a value, or of its observed intervals.';
COMMENT ON COLUMN restatements.total_before IS 'Null: nothing, as in the other columns.';
COMMENT ON COLUMN restatements.observed_before IS 'Native intervals with a count; of impressions.';
COMMENT ON COLUMN restatements.final IS 'Whether the month was closed.';
CREATE INDEX ON restatements (company, revision);
CREATE INDEX ON restatements (revision);

CREATE TABLE late_days (
  company integer NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics')),
  from_date date NOT NULL,
  to_date date NOT NULL CHECK (to_date >= from_date),
  revision bigint NOT NULL REFERENCES revisions (number),
  assets int4multirange NOT NULL,
  PRIMARY KEY (company, kind, to_date, from_date, revision)
);
COMMENT ON TABLE late_days IS 'Days whose first value came when they were over already: until then they had none.';
COMMENT ON COLUMN late_days.assets IS 'Their numbers. Those of deleted assets may be among them.';
CREATE INDEX ON late_days (revision);

CREATE TABLE installation_revisions (
  asset integer NOT NULL REFERENCES assets (number) ON DELETE CASCADE,
  company integer NOT NULL,
  revision bigint NOT NULL REFERENCES revisions (number),
  installations json NOT NULL,
  rules integer NOT NULL REFERENCES zone_rules (number),
  PRIMARY KEY (asset, revision)
);
COMMENT ON TABLE installation_revisions IS 'The installations of an asset, and the rules of its time zone, until a transaction changed them: as in assets.';
CREATE INDEX ON installation_revisions (company, revision);
CREATE INDEX ON installation_revisions (revision);

CREATE UNLOGGED TABLE former_days (
  kind text NOT NULL,
  asset integer NOT NULL,
  date date NOT NULL,
  total bigint NOT NULL,
  observed integer,
  PRIMARY KEY (kind, asset, date)
);
COMMENT ON TABLE former_days IS 'Totals that the running transaction replaces; empty otherwise.';

CREATE UNLOGGED TABLE former_installations (
  asset integer PRIMARY KEY,
  installations json NOT NULL,
  rules integer NOT NULL
);
COMMENT ON TABLE former_installations IS 'Installations and rules of time zones that the running transaction replaces; empty otherwise. Set by trigger.';

CREATE FUNCTION sum_of_groups(d demographic_days) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT (${GROUPS.replaceAll('coalesce(', 'coalesce(d.')})::bigint
$$;
COMMENT ON FUNCTION sum_of_groups IS 'The total of a day of demographics.';

CREATE FUNCTION sum_of_origins(packed bytea) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT sum(('x' || lpad(encode(substring(packed FROM at + place_width FOR count_width), 'hex'), 16, '0'))::bit(64)::bigint)::bigint
  FROM (SELECT get_byte(packed, 0) / 16, get_byte(packed, 0) % 16) AS w (place_width, count_width),
    generate_series(2, octet_length(packed), place_width + count_width) AS at
$$;
COMMENT ON FUNCTION sum_of_origins IS 'The total of a day of origins, as it is packed.';

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
        SELECT 'demographics', asset, date, ${GROUPS} FROM before
        ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION note_former_origins() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
-- As in touch_origins.
SET enable_nestloop = off AS $$
BEGIN
  INSERT INTO former_days (kind, asset, date, total)
    SELECT 'origins', asset, month + day::integer - 1, sum_of_origins(packed)
    FROM before, unnest(days) WITH ORDINALITY AS d (packed, day)
    WHERE packed IS NOT NULL AND EXISTS (SELECT FROM touched t WHERE t.kind = 'origins' AND t.asset = before.asset
      AND before.month + day::integer - 1 BETWEEN from_date AND to_date)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION note_former_origins IS 'Notes the totals of touched days. By its name it runs after touch_origins.';
CREATE TRIGGER touched_origins_on_update AFTER UPDATE ON origin_months REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION note_former_origins();
CREATE TRIGGER touched_origins_on_delete AFTER DELETE ON origin_months REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION note_former_origins();

CREATE FUNCTION note_former_installations() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- Not by a join, as in touch_sensors.
  INSERT INTO former_installations
    SELECT number, installations::json, rules FROM (
      SELECT number, installations::text, rules FROM before EXCEPT SELECT number, installations::text, rules FROM after) AS changed
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_former_installations AFTER UPDATE ON assets REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION note_former_installations();

CREATE FUNCTION note_former_impressions() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  INSERT INTO former_days
    SELECT 'impressions', asset, month_start(month) + d.day::integer - 1, d.total, d.observed
    FROM (SELECT asset, month, min(from_date) AS first, max(to_date) AS last FROM touched WHERE kind = 'impressions'
        GROUP BY asset, month) AS t
      JOIN asset_months m USING (asset, month)
      CROSS JOIN LATERAL unnest(ARRAY[${DAYS}], m.observed) WITH ORDINALITY AS d (total, observed, day)
    WHERE d.total IS NOT NULL AND month_start(month) + d.day::integer - 1 BETWEEN first AND last
$$;
COMMENT ON FUNCTION note_former_impressions IS 'Notes the totals of touched days, before they are refreshed.';

CREATE FUNCTION record_restatements(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp SET jit = off AS $$
DECLARE
  why text = coalesce(nullif(current_setting('partner_metrics.reason', true), ''), 'import');
  is_restated boolean = current_setting('partner_metrics.restate', true) = 'true';
  closed json;
BEGIN
  IF why = 'unrecorded' THEN RETURN; END IF;
  ANALYZE former_days;
  WITH months AS (
    SELECT kind, asset, month, min(from_date) AS first, max(to_date) AS last FROM touched
    WHERE kind IN ('impressions', 'origins', 'demographics') GROUP BY kind, asset, month
  ), today AS (
    -- The first local day that is not over, by the rules of a time zone.
    SELECT number AS rules, local_date(number, to_timestamp(current / 1000000) - interval '6 hours') AS day FROM zone_rules
  ), open AS (
    -- Days before this one are over, by the rules of the time zone or by the former ones; or they are final.
    SELECT a.number AS asset, a.company, c.final_through, greatest(r.day, f.day, c.final_through + 1) AS day
    FROM (SELECT DISTINCT asset FROM months) AS t JOIN assets a ON a.number = t.asset JOIN companies c ON c.number = a.company
      JOIN today r ON r.rules = a.rules
      LEFT JOIN former_installations i ON i.asset = a.number LEFT JOIN today f ON f.rules = i.rules
  ), present AS (
    SELECT 'impressions' AS kind, asset, month_start(month) + n.day::integer - 1 AS date, n.total, n.observed
    FROM months t JOIN asset_months m USING (asset, month) JOIN open o USING (asset)
      CROSS JOIN LATERAL unnest(ARRAY[${DAYS}], m.observed) WITH ORDINALITY AS n (total, observed, day)
    WHERE t.kind = 'impressions' AND n.total IS NOT NULL
      AND month_start(month) + n.day::integer - 1 BETWEEN first AND least(last, o.day - 1)
    UNION ALL
    SELECT 'demographics', asset, d.date, sum_of_groups(d), NULL
    FROM months t JOIN open o USING (asset) JOIN demographic_days d USING (asset)
    WHERE t.kind = 'demographics' AND d.date BETWEEN first AND least(last, o.day - 1)
    UNION ALL
    SELECT 'origins', o.asset, m.month + n.day::integer - 1, sum_of_origins(packed), NULL
    FROM months t JOIN open o USING (asset) JOIN origin_months m ON m.asset = t.asset AND m.month = month_start(t.month)
      CROSS JOIN LATERAL unnest(m.days) WITH ORDINALITY AS n (packed, day)
    WHERE t.kind = 'origins' AND packed IS NOT NULL AND m.month + n.day::integer - 1 BETWEEN first AND least(last, o.day - 1)
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
  ), revision AS (
    INSERT INTO revisions
      SELECT current, why, nullif(current_setting('partner_metrics.note', true), ''),
        coalesce(current_setting('partner_metrics.note_is_public', true) = 'true', false),
        nullif(current_setting('partner_metrics.operation', true), '')::bigint
      WHERE EXISTS (SELECT FROM steps) OR EXISTS (SELECT FROM former_installations)
  )
  SELECT json_agg(json_build_object('asset', a.id, 'kind', s.kind, 'from', from_date, 'to', to_date, 'days', days) ORDER BY a.id, s.kind)
    INTO closed
    FROM (
      SELECT asset, kind, min(date) AS from_date, max(date) AS to_date, count(*) AS days FROM steps
      WHERE final AND total_before IS DISTINCT FROM total_after GROUP BY asset, kind
    ) AS s JOIN assets a ON a.number = s.asset;
  IF closed IS NOT NULL AND NOT coalesce(is_restated, false) THEN
    RAISE SQLSTATE 'PM001' USING MESSAGE = 'totals of a closed month would change', DETAIL = closed::text;
  END IF;
END $$;
COMMENT ON FUNCTION record_restatements IS 'Writes what the transaction changes of days that are over to the ledger. Raises PM001 where a closed month would change.';
REVOKE ALL ON FUNCTION record_restatements FROM PUBLIC;
CREATE OR REPLACE FUNCTION finish_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path = public,
  pg_temp SET jit = off AS $$
DECLARE
  kinds text[] = ARRAY(SELECT DISTINCT kind FROM touched);
  current bigint;
  classes integer[];
BEGIN
  -- Until the transaction has committed. A statement after this one sees what others have committed; a transaction whose
  -- snapshot is older fails here, because the row was updated.
  UPDATE locks SET name = name WHERE name = 'feed';
  -- Plans depend on how much was touched.
  ANALYZE touched, touched_installations;
  IF 'impressions' = ANY (kinds) THEN PERFORM note_former_impressions(); END IF;
  IF kinds && ARRAY['impressions', 'class'] THEN
    PERFORM refresh_asset_months();
    PERFORM replace_rows('class_months', $keys$
      SELECT c.company, c.class, t.month FROM touched_classes c JOIN touched t USING (asset) WHERE kind = 'impressions'
      UNION ALL
      SELECT t.company, t.class, m.month FROM touched t JOIN asset_months m USING (asset) WHERE kind = 'class'$keys$, and_companies => true);
  END IF;
  IF kinds && ARRAY['demographics', 'class'] THEN
    PERFORM replace_rows('asset_demographics', 'SELECT asset, month FROM touched WHERE kind = ''demographics''');
    PERFORM replace_rows('class_demographic_days', $keys$
      SELECT c.company, c.class, from_date + generate_series(0, to_date - from_date)
        FROM touched_classes c JOIN touched t USING (asset) WHERE kind = 'demographics'
      UNION ALL
      SELECT t.company, t.class, d.date FROM touched t JOIN demographic_days d USING (asset) WHERE kind = 'class'$keys$, and_companies => true);
    PERFORM replace_rows('class_demographics', $keys$
      SELECT c.company, c.class, t.month FROM touched_classes c JOIN touched t USING (asset) WHERE kind = 'demographics'
      UNION ALL
      SELECT t.company, t.class, m.month FROM touched t JOIN asset_demographics m USING (asset) WHERE kind = 'class'$keys$, and_companies => true);
  END IF;
  IF kinds && ARRAY['installations', 'rules', 'class', 'removed'] THEN
    PERFORM replace_rows('class_sensors', $keys$
      SELECT s.company, s.class, s.rules, s.native_minutes
        FROM touched_classes c JOIN class_sensors s ON s.company = c.company AND s.class = c.class
      UNION ALL
      SELECT c.company, c.class, a.rules, i.native_minutes
        FROM touched_classes c JOIN assets a ON a.number = c.asset JOIN installations i ON i.asset = a.number$keys$);
    PERFORM replace_rows('class_sensors', $keys$
      SELECT s.company, s.class, s.rules, s.native_minutes
        FROM touched_classes c JOIN class_sensors s ON s.company = c.company AND s.class = 0
      UNION ALL
      SELECT c.company, 0, a.rules, i.native_minutes
        FROM touched_classes c JOIN assets a ON a.number = c.asset JOIN installations i ON i.asset = a.number$keys$);
  END IF;
  IF kinds && ARRAY['impressions', 'demographics'] THEN PERFORM refresh_measured_assets(); END IF;
  current = greatest(to_microseconds(clock_timestamp()), (SELECT max(number) + 1 FROM feed_transactions),
    (SELECT max(number) + 1 FROM revisions));
  PERFORM record_restatements(current);
  PERFORM record_versions(current);
  PERFORM record_changes(current);
  IF kinds && ARRAY['class', 'removed'] THEN
    -- A class to which another transaction is adding an asset is skipped. Nothing can be added to a locked one, and the second
    -- statement sees what was added just before.
    classes = ARRAY(SELECT number FROM asset_classes
      WHERE number IN (SELECT class FROM touched WHERE class IS NOT NULL) FOR UPDATE SKIP LOCKED);
    DELETE FROM asset_classes c WHERE number = ANY (classes) AND NOT EXISTS (SELECT 1 FROM assets WHERE class = c.number);
  END IF;
  DELETE FROM touched;
  DELETE FROM touched_installations;
  DELETE FROM former_days;
  DELETE FROM former_installations;
  UPDATE feed_transactions SET number = current WHERE id = NEW.id;
  DELETE FROM feed_transactions WHERE id <= NEW.id - 1000000;
  RETURN NULL;
END $$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['revisions', 'restatements', 'late_days', 'installation_revisions', 'former_days', 'former_installations'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true) WITH CHECK (true)', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['restatements', 'late_days', 'installation_revisions'] LOOP
    EXECUTE format('CREATE POLICY company_scope ON %I FOR SELECT
      USING (company = ANY ((SELECT companies_in_scope())::integer[]))', name);
  END LOOP;
END $$;
CREATE POLICY company_scope ON revisions FOR SELECT USING (EXISTS (
  SELECT FROM restatements r WHERE r.revision = number AND r.company = ANY ((SELECT companies_in_scope())::integer[])))`)
}

export { down } from '../migrate/forward-only'
