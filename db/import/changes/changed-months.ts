/**
 * The months of assets that the current transaction changed, according to their data versions: triggers record each change
 * of counts, origins and demographics.
 */

/** SQL of rows `(asset, id, name, first)`: number, id and name of the asset, and the first day of the month. */
export const CHANGED_MONTHS = `
  SELECT a.number AS asset, a.id, a.name, make_date(month / 12, month % 12 + 1, 1) AS first
  FROM assets a CROSS JOIN LATERAL generate_subscripts(a.month_versions, 1) AS month
  WHERE a.version_xid = pg_current_xact_id() AND a.month_versions[month] = a.data_version`
