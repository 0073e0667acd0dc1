/** Lists notes on a sensor in the feed of changes whenever the sensor moves: whether a reader is told its id depends on where it is now. */
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
        -- A sensor that moved to another company is no longer named in its notes on the assets where it was before.
        SELECT asset, sensor, tstzmultirange(tstzrange(installed_at, removed_at))
        FROM installations WHERE sensor IN (SELECT sensor FROM touched_installations)
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
