/**
 * Runs the statements that follow from changed totals or installations only in transactions that have some: to plan them takes
 * two thirds of the commit of any other.
 */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE OR REPLACE FUNCTION record_changes(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  WITH deleted AS (
    DELETE FROM changes WHERE (company, asset_id) IN (SELECT company,
      asset_id FROM touched WHERE kind = 'removed') AND kind <> 'removed'
    RETURNING company, asset_id, kind, created_number
  )
  INSERT INTO changes (company, asset_id, kind, month, number, created_number)
    SELECT company, asset_id, 'removed', 0, current, created_number FROM deleted WHERE kind = 'asset'
    ON CONFLICT (company, asset_id, (kind <> 'removed'), kind, month) DO UPDATE SET number = excluded.number;
  -- All days that have changed before.
  UPDATE changes SET number = current, from_date = least(from_date, earlier_from), to_date = greatest(to_date,
    earlier_to),
    earlier_number = NULL, earlier_from = NULL, earlier_to = NULL, previous_number = NULL, last_from = NULL,
      last_to = NULL
  WHERE kind = 'impressions' AND (company, asset_id) IN (
    SELECT company, id FROM assets WHERE number IN (SELECT asset FROM touched WHERE kind = 'time_zone'));
  -- Coverage, and notes on sensors, follow from installations and time zone rules.
  IF EXISTS (SELECT FROM touched_installations) OR EXISTS (SELECT FROM touched WHERE kind = 'rules') THEN
    INSERT INTO touched (asset, kind, month, from_date, to_date)
      SELECT asset, 'impressions', month, from_date, to_date FROM touched_coverage
      UNION ALL
      -- The notes on sensors that were installed or removed, or whose local days are others.
      SELECT i.asset, 'notes', NULL, NULL, NULL
      FROM (
        SELECT asset, sensor, periods FROM touched_installations
        UNION ALL
        SELECT asset, sensor, tstzmultirange(tstzrange(installed_at, removed_at))
        FROM touched t JOIN installations USING (asset) WHERE t.kind = 'rules'
        UNION ALL
        -- Of the same company: a sensor that left it is no longer named in its notes on the assets where it was before.
        SELECT i.asset, i.sensor, tstzmultirange(tstzrange(installed_at, removed_at))
        FROM installations i JOIN assets a ON a.number = i.asset
        WHERE (i.sensor, a.company) IN (
          SELECT sensor, company FROM touched_installations JOIN assets ON number = asset
          UNION ALL
          SELECT sensor, company FROM touched_installations JOIN touched USING (asset) WHERE kind = 'removed')
      ) AS i JOIN sensor_note_periods n ON n.sensor = i.sensor AND n.period && i.periods;
  END IF;
  INSERT INTO changes AS c (company, asset_id, kind, month, from_date, to_date, number, created_number)
    SELECT a.company, a.id, t.kind, t.month, min(from_date), max(to_date), current,
      CASE t.kind WHEN 'asset' THEN current END
    FROM (
      SELECT asset, kind, coalesce(month, 0) AS month, from_date, to_date FROM touched
        WHERE kind IN ('asset', 'sensors', 'notes', 'impressions', 'origins', 'demographics')
    ) AS t JOIN assets a ON a.number = t.asset
    GROUP BY a.company, a.id, t.kind, t.month
  ON CONFLICT (company, asset_id, (kind <> 'removed'), kind, month) DO UPDATE SET
    (number, from_date, to_date, earlier_number, earlier_from, earlier_to, previous_number, last_from, last_to) = (
      SELECT excluded.number,
        CASE WHEN is_same THEN least(c.from_date, excluded.from_date)
          WHEN is_within THEN c.from_date ELSE excluded.from_date END,
        CASE WHEN is_same THEN greatest(c.to_date, excluded.to_date)
          WHEN is_within THEN c.to_date ELSE excluded.to_date END,
        CASE WHEN is_same OR is_within OR is_around THEN c.earlier_number ELSE c.number END,
        CASE WHEN is_same OR is_within OR is_around THEN c.earlier_from ELSE least(c.from_date, c.earlier_from) END,
        CASE WHEN is_same OR is_within OR is_around THEN c.earlier_to ELSE greatest(c.to_date, c.earlier_to) END,
        CASE WHEN is_same OR is_within IS NOT TRUE THEN NULL
          WHEN excluded.from_date <= c.last_from AND excluded.to_date >= c.last_to THEN c.previous_number ELSE c.number END,
        CASE WHEN NOT is_same AND is_within THEN excluded.from_date END,
        CASE WHEN NOT is_same AND is_within THEN excluded.to_date END
      FROM (SELECT c.number = excluded.number AS is_same,
        c.from_date <= excluded.from_date AND c.to_date >= excluded.to_date AS is_within,
        excluded.from_date <= c.from_date AND excluded.to_date >= c.to_date AS is_around) AS days
    );
END $$;
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
  IF 'impressions' = ANY (kinds) THEN
    PERFORM note_former_impressions();
    PERFORM refresh_asset_months();
  END IF;
  IF kinds && ARRAY['impressions', 'class'] THEN
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
  IF kinds && ARRAY['impressions', 'origins', 'demographics'] OR EXISTS (SELECT FROM former_installations) THEN
    PERFORM record_restatements(current);
  END IF;
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
