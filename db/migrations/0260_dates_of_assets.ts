/** Records the first and last date with counts of each asset, and no version of its data. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
DROP VIEW defined_asset_versions;
ALTER TABLE asset_versions DROP COLUMN data_version, DROP COLUMN base_version, DROP COLUMN asset_id;
COMMENT ON TABLE asset_versions IS 'The range of the data of assets: a narrow row beside that of assets, because imports change it.';
COMMENT ON VIEW asset_spans IS 'The definition of asset_versions.';

CREATE OR REPLACE FUNCTION record_versions(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM asset_versions WHERE asset IN (SELECT asset FROM touched WHERE kind = 'removed');
  INSERT INTO asset_versions AS v (asset, company)
    SELECT number, company FROM assets WHERE number IN (SELECT asset FROM touched WHERE kind = 'asset')
    ON CONFLICT (asset) DO UPDATE SET company = excluded.company WHERE v.company <> excluded.company;
  UPDATE asset_versions v SET (measured_from, measured_to) = (d.measured_from, d.measured_to)
  FROM (
    SELECT asset, min(from_date) AS first, max(to_date) AS last FROM touched
    WHERE kind IN ('impressions', 'rules', 'installations') GROUP BY asset
  ) AS t CROSS JOIN LATERAL (SELECT * FROM asset_spans s WHERE s.asset = t.asset OFFSET 0) AS d
  WHERE t.asset = v.asset
    -- Neither has changed unless it was touched.
    AND (first > v.measured_from AND last < v.measured_to) IS NOT TRUE
    AND (v.measured_from, v.measured_to) IS DISTINCT FROM (d.measured_from, d.measured_to);
END $$;
COMMENT ON FUNCTION record_versions IS 'Records the first and last dates with counts of the touched assets.'`)
}

export { down } from '../migrate/forward-only'
