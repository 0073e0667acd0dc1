/** The columns that are copied or derived from other rows. */
import type { DerivedTable } from './compare'

/** SQL: the class that has the attributes of the asset `a`. */
const CLASS = `(SELECT number FROM asset_classes c
  WHERE (c.company, c.country, c.region, c.city, c.media_type, c.format, c.status)
    IS NOT DISTINCT FROM (a.company, a.country, a.region, a.city, a.media_type, a.format, a.status))`

/** SQL: the last installation of a sensor `s`, which leaves the asset when that gets an end. */
const LAST = `LATERAL (
  SELECT *, CASE WHEN removed_at IS NULL THEN asset END AS present FROM installations
  WHERE sensor = s.number ORDER BY installed_at DESC LIMIT 1
) i ON true`

const WHOLE = { row: 'id', key: 'id', by: 'nothing', stored: () => 'true' } as const

/** In the order in which they are repaired: assets derive from sensors. */
export const COPIED_COLUMNS: Record<string, DerivedTable> = {
  sensors: {
    ...WHOLE,
    columns: `id, vendor_name, native_minutes, asset_id, asset, installed_at::text, removed_at::text`,
    // A sensor that never was on an asset may have both instants.
    definition: () => `SELECT s.id, v.name AS vendor_name, v.native_minutes, a.id AS asset_id,
        CASE WHEN i.sensor IS NULL THEN s.asset ELSE i.present END AS asset,
        CASE WHEN i.sensor IS NULL THEN s.installed_at ELSE i.installed_at END::text AS installed_at,
        CASE WHEN i.sensor IS NULL THEN s.removed_at ELSE i.removed_at END::text AS removed_at
      FROM sensors s LEFT JOIN vendors v ON v.number = s.vendor LEFT JOIN assets a ON a.number = s.asset LEFT JOIN ${LAST}`,
    repair: () => `
      UPDATE sensors u SET asset = i.present, company = CASE WHEN i.removed_at IS NULL THEN i.company END,
          installed_at = i.installed_at, removed_at = i.removed_at
        FROM sensors s JOIN ${LAST} WHERE u.number = s.number
          AND (u.asset, u.installed_at, u.removed_at) IS DISTINCT FROM (i.present, i.installed_at, i.removed_at);
      UPDATE sensors s SET vendor_name = v.name, native_minutes = v.native_minutes FROM vendors v
        WHERE v.number = s.vendor AND (s.vendor_name, s.native_minutes) <> (v.name, v.native_minutes);
      UPDATE sensors s SET asset_id = a.id FROM assets a WHERE a.number = s.asset AND s.asset_id <> a.id`,
  },
  assets: {
    ...WHOLE,
    columns: 'id, company_id, class, sensor_ids::text, sensor_minutes, installations::text',
    definition:
      () => `SELECT a.id, c.id AS company_id, ${CLASS} AS class, i.sensor_ids::text, i.sensor_minutes, i.installations::text
      FROM assets a JOIN companies c ON c.number = a.company JOIN asset_installations i ON i.asset = a.number`,
    repair: () => `
      UPDATE assets a SET company_id = c.id FROM companies c WHERE c.number = a.company AND c.id <> a.company_id;
      UPDATE assets a SET class = class_of(a) WHERE a.class IS DISTINCT FROM ${CLASS};
      SELECT copy_installations(ARRAY(SELECT number FROM assets))`,
  },
  asset_external_ids: {
    ...WHOLE,
    row: `(SELECT id FROM assets WHERE number = asset) || ' ' || key`,
    key: 'asset, key',
    columns: 'company, key, asset',
    definition: () => `SELECT company, (ids.system || ':' || ids.id) COLLATE "C" AS key, number AS asset
      FROM assets, jsonb_each_text(external_ids) AS ids (system, id)`,
    repair: () => `
      DELETE FROM asset_external_ids;
      INSERT INTO asset_external_ids SELECT company, ids.system || ':' || ids.id, number
        FROM assets, jsonb_each_text(external_ids) AS ids (system, id)`,
  },
  api_keys: {
    ...WHOLE,
    columns: 'id, claims::text',
    definition: () => `SELECT id, json_build_object('id', id, 'label', label, 'scopes', scopes, 'reseller', reseller,
        'all_companies', all_companies, 'rate', CASE WHEN rate_requests IS NOT NULL
          THEN json_build_object('requests', rate_requests, 'seconds', rate_seconds) END, 'expires_at',
        (to_json(expires_at AT TIME ZONE 'UTC') #>> '{}') || 'Z')::text AS claims FROM api_keys`,
    // A trigger sets the column.
    repair: () => 'UPDATE api_keys SET id = id',
  },
}
