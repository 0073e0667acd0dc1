/**
 * The months of assets that the current transaction changed, according to their data versions: triggers record each change
 * of counts, origins and demographics.
 */

/** SQL of rows `(asset, id, name, first)`: number, id and name of the asset, and the first day of the month. */
export const CHANGED_MONTHS = `
  SELECT a.number AS asset, a.id, a.name, make_date(m.month / 12, m.month % 12 + 1, 1) AS first
  FROM asset_versions v JOIN assets a ON a.number = v.asset JOIN asset_months m ON m.asset = v.asset
  WHERE v.version_xid = pg_current_xact_id() AND m.version = v.data_version`
