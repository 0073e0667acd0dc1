/**
 * Writes the ledger where everything derived is refreshed, so that no import, deletion, move, zone correction or repair bypasses it, and
 * refuses what would change a closed month.
 */
import type { Knex } from 'knex'

const DAYS = Array.from({ length: 31 }, (_, i) => `day_${i + 1}`).join(', ')

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE VIEW asset_days WITH (security_invoker = true) AS
  SELECT asset, month, month_start(month) + d.day::integer - 1 AS date, d.total, d.observed
  FROM asset_months m CROSS JOIN LATERAL unnest(ARRAY[${DAYS}], m.observed) WITH ORDINALITY AS d (total, observed, day)
  WHERE d.total IS NOT NULL;
COMMENT ON VIEW asset_days IS 'The rows of asset_months by day: impressions, and native intervals with a count.';

CREATE FUNCTION note_former_impressions() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  INSERT INTO former_days
    SELECT 'impressions', asset, date, total, observed
    FROM (SELECT asset, month, min(from_date) AS first, max(to_date) AS last FROM touched WHERE kind = 'impressions'
        GROUP BY asset, month) AS t
      JOIN asset_days d USING (asset, month)
    WHERE date BETWEEN first AND last
$$;
COMMENT ON FUNCTION note_former_impressions IS 'Notes the totals of touched days, before they are refreshed.';

CREATE FUNCTION record_restatements(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp SET jit = off AS $$
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
END $$;`)
}

export { down } from '../migrate/forward-only'
