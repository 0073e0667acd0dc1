/**
 * Finds the assets of a note on a sensor by the local dates on which the sensor was there, exactly: the feed of a company names no
 * asset for a note on days at another company.
 */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE FUNCTION has_dates(rules integer, period tstzrange, from_date date, to_date date) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT local_date(rules, lower(period)) <= coalesce(to_date, 'infinity')
    AND coalesce(local_date(rules, upper(period) - interval '1 millisecond'), 'infinity') >= from_date
$$;
COMMENT ON FUNCTION has_dates IS 'Whether a period includes a time of one of these dates, by the rules of a time zone; no last date: all later ones.';

CREATE FUNCTION assets_of_note(asset integer, sensor integer, from_date date, to_date date) RETURNS SETOF integer LANGUAGE sql STABLE
SET search_path = public, pg_temp AS $$
  SELECT asset WHERE asset IS NOT NULL
  UNION
  SELECT i.asset FROM (
    SELECT i.asset, tstzrange(installed_at, removed_at) AS period FROM installations i WHERE i.sensor = $2
    UNION ALL
    SELECT t.asset, unnest(periods) FROM touched_installations t WHERE t.sensor = $2
  ) AS i JOIN assets a ON a.number = i.asset
  WHERE has_dates(a.rules, period, from_date, to_date)
$$;
COMMENT ON FUNCTION assets_of_note IS 'The asset of a note, or those on which its sensor is installed on its dates, or was before the running transaction.';

CREATE OR REPLACE FUNCTION touch_notes() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    INSERT INTO touched (kind, asset)
      SELECT DISTINCT 'notes', assets_of_note(asset, sensor, from_date, to_date) FROM after WHERE NOT is_internal;
  END IF;
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    INSERT INTO touched (kind, asset)
      SELECT DISTINCT 'notes', assets_of_note(asset, sensor, from_date, to_date) FROM before WHERE NOT is_internal;
  END IF;
  RETURN NULL;
END $$;

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
      ) AS i CROSS JOIN LATERAL unnest(periods) AS period
      WHERE EXISTS (
          SELECT FROM set_asides s WHERE s.sensor = i.sensor AND tstzrange(from_time, to_time) && period)
        OR EXISTS (
          SELECT FROM notes n CROSS JOIN (
            SELECT rules FROM assets WHERE number = i.asset
            UNION
            SELECT rules FROM former_installations f WHERE f.asset = i.asset) AS r
          WHERE n.sensor = i.sensor AND NOT is_internal AND has_dates(rules, period, from_date, to_date));
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
DROP VIEW sensor_note_periods;
DROP FUNCTION period_of_dates`)
}

export { down } from '../migrate/forward-only'
