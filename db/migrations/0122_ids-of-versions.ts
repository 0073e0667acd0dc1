/** Copies the ids of assets beside their versions, so that what needs nothing else of an asset does not read its row. */
import type { Knex } from 'knex'

export const offline = 'fills and indexes a column of asset_versions'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE asset_versions ADD COLUMN asset_id text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE asset_versions ALTER COLUMN asset_id DROP DEFAULT;
UPDATE asset_versions v SET asset_id = a.id FROM assets a WHERE a.number = v.asset;
-- Not unique: two assets that exchange their ids are written one after the other.
CREATE INDEX ON asset_versions (asset_id);
COMMENT ON COLUMN asset_versions.asset_id IS 'Copy of assets.id.';

CREATE OR REPLACE VIEW defined_asset_versions WITH (security_invoker = true) AS
  SELECT greatest(v.data_version, v.base_version, c.number) AS data_version, greatest(v.base_version, 0) AS base_version, s.*, c.asset_id
  FROM asset_spans s LEFT JOIN asset_versions v USING (asset)
    CROSS JOIN LATERAL (
      SELECT a.id AS asset_id, (
          SELECT max(c.number) FROM changes c
          WHERE (c.company, c.asset_id) = (a.company, a.id) AND c.kind IN ('impressions', 'origins', 'demographics')
        ) AS number
      FROM assets a WHERE a.number = s.asset
    ) AS c;

CREATE OR REPLACE FUNCTION record_versions(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM asset_versions WHERE asset IN (SELECT asset FROM touched WHERE kind = 'removed');
  INSERT INTO asset_versions AS v (asset, company, asset_id, data_version, base_version)
    SELECT number, company, id, current, current FROM assets WHERE number IN (SELECT asset FROM touched WHERE kind = 'asset')
    ON CONFLICT (asset) DO UPDATE SET (company, asset_id) = (excluded.company, excluded.asset_id)
    WHERE (v.company, v.asset_id) IS DISTINCT FROM (excluded.company, excluded.asset_id);
  UPDATE asset_versions v SET
    data_version = CASE v.data_version WHEN current THEN current ELSE greatest(current, (v.data_version / 1000000 + 1) * 1000000) END,
    base_version = CASE WHEN is_base THEN current ELSE v.base_version END,
    -- Neither has changed unless it was touched.
    measured_from = CASE WHEN first > v.measured_from THEN v.measured_from
      ELSE (SELECT measured_from FROM asset_spans d WHERE d.asset = v.asset) END,
    measured_to = CASE WHEN last < v.measured_to THEN v.measured_to
      ELSE (SELECT measured_to FROM asset_spans d WHERE d.asset = v.asset) END
  FROM (
    SELECT asset, bool_or(kind IN ('time_zone', 'installations')) AS is_base, min(from_date) AS first, max(to_date) AS last
    FROM touched WHERE kind IN ('impressions', 'origins', 'demographics', 'time_zone', 'installations') GROUP BY asset
  ) AS t
  WHERE t.asset = v.asset;
END $$;
`)
}

export { down } from '../migrate/forward-only'
