/** Daily counts that are set aside belong to an asset and a date: on the day of a move a sensor may have one at each asset. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE set_aside_counts
  ADD asset integer,
  ADD FOREIGN KEY (asset) REFERENCES assets (number) ON DELETE CASCADE NOT VALID,
  DROP CONSTRAINT set_aside_counts_pkey,
  ADD UNIQUE NULLS NOT DISTINCT (set_aside, native_minutes, day, asset);
COMMENT ON COLUMN set_aside_counts.asset IS 'The asset of daily counts; null of others, and where the sensor was never installed.';

CREATE FUNCTION find_set_aside_assets() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  UPDATE set_aside_counts c SET asset = (
    SELECT asset
    FROM set_asides t JOIN installations i USING (sensor) JOIN assets a ON a.number = i.asset
      CROSS JOIN LATERAL (
        SELECT local_date(rules, installed_at - interval '1 ms') >= c.day AS is_later,
          local_date(rules, removed_at - interval '1 ms') < c.day IS TRUE AS is_earlier,
          local_date(rules, from_time - interval '1 ms') < c.day AND local_date(rules, to_time - interval '1 ms') >= c.day AS is_set_aside
      ) AS begin
    WHERE t.id = c.set_aside
    ORDER BY is_later OR is_earlier, is_set_aside DESC, is_later, CASE WHEN is_later THEN installed_at END, installed_at DESC LIMIT 1)
  WHERE native_minutes = 1440 AND asset IS NULL
$$;
COMMENT ON FUNCTION find_set_aside_assets() IS 'Sets the asset of daily counts that were set aside without one: that at which their date begins, in the stretch if there are several; else the nearest.';
REVOKE ALL ON FUNCTION find_set_aside_assets FROM PUBLIC;
SELECT find_set_aside_assets()`)
}

export { down } from '../migrate/forward-only'
