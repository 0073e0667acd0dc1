/** Notes on the data of assets and sensors, and their place in the feed of changes. */
import type { Knex } from 'knex'
import { protectTables } from '../migrate/row-level-security'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE notes (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  asset integer REFERENCES assets (number) ON DELETE CASCADE,
  sensor integer REFERENCES sensors (number) ON DELETE CASCADE,
  from_date date NOT NULL,
  to_date date CHECK (to_date >= from_date),
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('caveat', 'break')),
  text text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 2000),
  is_internal boolean NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT of_an_asset_or_a_sensor CHECK (num_nonnulls(asset, sensor) = 1)
);
COMMENT ON TABLE notes IS 'Remarks for readers of the data of an asset, or of the assets of a sensor.';
COMMENT ON COLUMN notes.sensor IS 'A note on a sensor is shown at the assets on which it was installed within the dates of the note.';
COMMENT ON COLUMN notes.from_date IS 'Local dates at the asset, as is to_date: inclusive, null for no end.';
COMMENT ON COLUMN notes.is_internal IS 'Whether only analysts see it.';
CREATE UNIQUE INDEX note_once ON notes (asset, sensor, from_date, kind, md5(text)) NULLS NOT DISTINCT;
CREATE INDEX ON notes (sensor);

${protectTables('notes')}
CREATE POLICY company_scope ON notes FOR SELECT USING (
  EXISTS (SELECT FROM assets a WHERE a.number = notes.asset AND a.company = ANY ((SELECT companies_in_scope())::integer[]))
  OR EXISTS (SELECT FROM installations i WHERE i.sensor = notes.sensor AND i.company = ANY ((SELECT companies_in_scope())::integer[])));

CREATE FUNCTION period_of_dates(from_date date, to_date date) RETURNS tstzrange LANGUAGE sql IMMUTABLE AS $$
  SELECT tstzrange((from_date - 1)::timestamp AT TIME ZONE 'UTC', (to_date + 2)::timestamp AT TIME ZONE 'UTC')
$$;
COMMENT ON FUNCTION period_of_dates IS 'A period that includes these local dates of any time zone.';

CREATE VIEW sensor_note_periods WITH (security_invoker = true) AS
  SELECT sensor, period_of_dates(from_date, to_date) AS period FROM notes WHERE sensor IS NOT NULL AND NOT is_internal
  UNION ALL
  SELECT sensor, tstzrange(from_time, to_time) FROM set_asides;
COMMENT ON VIEW sensor_note_periods IS 'The periods of the notes on sensors that partners see: what is set aside is one.';

ALTER TABLE touched DROP CONSTRAINT touched_kind_check, ADD CONSTRAINT touched_kind_check CHECK (kind IN ('impressions', 'origins',
  'demographics', 'asset', 'removed', 'class', 'time_zone', 'rules', 'installations', 'sensors', 'notes')) NOT VALID;
ALTER TABLE changes DROP CONSTRAINT changes_kind_check, ADD CONSTRAINT changes_kind_check CHECK (kind IN ('asset',
  'demographics', 'impressions', 'notes', 'origins', 'removed', 'sensors')) NOT VALID;

CREATE FUNCTION assets_with_sensor(sensor integer, period tstzrange) RETURNS SETOF integer LANGUAGE sql STABLE
SET search_path = public, pg_temp AS $$
  SELECT asset FROM installations i WHERE i.sensor = $1 AND tstzrange(installed_at, removed_at) && period
  UNION
  SELECT asset FROM touched_installations t WHERE t.sensor = $1 AND periods && period
$$;
COMMENT ON FUNCTION assets_with_sensor IS 'The assets on which a sensor is installed in a period, or was before the running transaction.';

CREATE FUNCTION touch_notes() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    INSERT INTO touched (kind, asset) SELECT 'notes', asset FROM after WHERE asset IS NOT NULL AND NOT is_internal
      UNION SELECT 'notes', assets_with_sensor(sensor, period_of_dates(from_date, to_date)) FROM after WHERE NOT is_internal;
  END IF;
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    INSERT INTO touched (kind, asset) SELECT 'notes', asset FROM before WHERE asset IS NOT NULL AND NOT is_internal
      UNION SELECT 'notes', assets_with_sensor(sensor, period_of_dates(from_date, to_date)) FROM before WHERE NOT is_internal;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_notes() IS 'Adds the assets of notes to what the transaction has touched, but of internal ones: the feed does not show that there are any.';

CREATE FUNCTION touch_set_asides() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    INSERT INTO touched (kind, asset) SELECT DISTINCT 'notes', assets_with_sensor(sensor, tstzrange(from_time, to_time)) FROM after;
  END IF;
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    INSERT INTO touched (kind, asset) SELECT DISTINCT 'notes', assets_with_sensor(sensor, tstzrange(from_time, to_time)) FROM before;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_set_asides() IS 'Adds the assets of stretches that are set aside, which are notes, to what the transaction has touched.';

CREATE TRIGGER touch_notes_on_insert AFTER INSERT ON notes REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_notes();
CREATE TRIGGER touch_notes_on_update AFTER UPDATE ON notes REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_notes();
CREATE TRIGGER touch_notes_on_delete AFTER DELETE ON notes REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_notes();
CREATE TRIGGER touch_set_asides_on_insert AFTER INSERT ON set_asides REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_set_asides();
CREATE TRIGGER touch_set_asides_on_update AFTER UPDATE ON set_asides REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_set_asides();
CREATE TRIGGER touch_set_asides_on_delete AFTER DELETE ON set_asides REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_set_asides();

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
  INSERT INTO changes AS c (company, asset_id, kind, month, from_date, to_date, number, created_number)
    SELECT a.company, a.id, t.kind, t.month, min(from_date), max(to_date), current,
      CASE t.kind WHEN 'asset' THEN current END
    FROM (
      SELECT asset, kind, coalesce(month, 0) AS month, from_date, to_date FROM touched
        WHERE kind IN ('asset', 'sensors', 'notes', 'impressions', 'origins', 'demographics')
      UNION ALL
      SELECT asset, 'impressions', month, from_date, to_date FROM touched_coverage
      UNION ALL
      -- The notes on sensors that were installed or removed, or whose local days are others.
      SELECT i.asset, 'notes', 0, NULL, NULL
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
      ) AS i JOIN sensor_note_periods n ON n.sensor = i.sensor AND n.period && i.periods
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
END $$;`)
}

export { down } from '../migrate/forward-only'
