/** The tables, and columns of tables, that the database derives from other rows. */
import type { Part } from './compare'

export interface DerivedTable {
  table: string
  /** SQL of the name of a row, for people. */
  row: string
  /** The columns by which a stored row and a defined one are the same. */
  key: string
  /** SQL of the columns that are compared; all by default. */
  columns?: string
  /** The column of the key by which it is compared in parts; without one it is compared at once. */
  time?: 'month' | 'date'
  /** Returns the SQL of the rows by the definition. */
  definition(part: Part): string
  /** Returns the SQL that touches the keys that `different` selects, so that they are refreshed. */
  touch(different: string, definition: string): string
}

const MONTH = `to_char(month_start(month), 'YYYY-MM')`

const ASSET = `(SELECT id FROM assets WHERE number = asset)`

const BY_MONTH = { row: `${ASSET} || ' in ' || ${MONTH}`, key: 'asset, month', time: 'month' } as const

/** Replaces the rows of a table without triggers and refresh of its own. */
const replace = (table: string, key: string) => (different: string, definition: string) =>
  `
  DELETE FROM ${table} WHERE (${key}) IN (${different});
  INSERT INTO ${table} SELECT * FROM (${definition}) AS d WHERE (${key}) IN (${different})`

/** Refreshes totals of classes, then those of companies, which are sums of them and may differ only now. */
const refresh = (table: string) => (different: string) =>
  `SELECT replace_rows('${table}', $keys$${different}$keys$); `.repeat(2)

const touchMonths = (kind: string, different: string) => `
  INSERT INTO touched (kind, asset, company, month, from_date, to_date)
  SELECT '${kind}', asset, (SELECT company FROM assets WHERE number = asset), month, month_start(month), month_start(month + 1) - 1
  FROM (${different}) AS d`

/** Describes totals by class of assets; those of the class 0 are the sums of each company. */
const byClass = (table: string, row: string, time: 'month' | 'date', times: DerivedTable['definition']) => ({
  ...{ table, time, row: `concat('class ', class, ' of company ', company, ${row})`, key: `company, class, ${time}` },
  definition: (part: Part) => `SELECT d.*
    FROM (SELECT company, number AS class FROM asset_classes UNION ALL SELECT number, 0 FROM companies) AS k
      CROSS JOIN ${times(part)} CROSS JOIN LATERAL define_${table}(k.company, k.class, ${time}) AS d`,
  touch: refresh(table),
})

const byClassAndMonth = (table: string) =>
  byClass(table, `' in ', ${MONTH}`, 'month', ({ month }) => `generate_series(${month}, ${month}) AS month`)

/** In the order in which they are repaired: assets derive from sensors, and totals of classes from those of assets. */
export const DERIVED_TABLES: readonly DerivedTable[] = [
  {
    ...{ table: 'sensors', row: 'id', key: 'id' },
    columns: 'id, vendor_name, native_minutes, asset_id, asset, company, installed_at::text, removed_at::text',
    // By the last installation. A sensor that never was on an asset may have both instants.
    definition: () => `
      SELECT s.id, v.name AS vendor_name, v.native_minutes, a.id AS asset_id, a.number AS asset, a.company,
        i.installed_at::text, i.removed_at::text
      FROM sensors s JOIN vendors v ON v.number = s.vendor CROSS JOIN LATERAL (
        SELECT CASE WHEN removed_at IS NULL THEN asset END AS asset, installed_at, removed_at, installed_at AS begun
          FROM installations WHERE sensor = s.number
        UNION ALL SELECT s.asset, s.installed_at, s.removed_at, '-infinity' ORDER BY begun DESC LIMIT 1
      ) AS i LEFT JOIN assets a ON a.number = i.asset`,
    touch: (different, definition) => `
      UPDATE sensors s SET (vendor_name, native_minutes, asset_id, asset, company, installed_at, removed_at) = (d.vendor_name,
        d.native_minutes, d.asset_id, d.asset, d.company, d.installed_at::timestamptz, d.removed_at::timestamptz)
      FROM (${definition}) AS d WHERE d.id = s.id AND s.id IN (${different})`,
  },
  {
    ...{ table: 'assets', row: 'id', key: 'id' },
    columns: 'id, company_id, class, sensor_ids::text, sensor_minutes, installations::text',
    definition: () => `
      SELECT a.id, c.id AS company_id, k.number AS class, i.sensor_ids::text, i.sensor_minutes, i.installations::text
      FROM assets a JOIN companies c ON c.number = a.company JOIN asset_installations i ON i.asset = a.number
        LEFT JOIN asset_classes k ON (k.company, k.country, k.media_type, k.format, k.status)
          = (a.company, a.country, a.media_type, a.format, a.status)
          AND (k.region, k.city) IS NOT DISTINCT FROM (a.region, a.city)`,
    touch: different => `
      UPDATE assets a SET company_id = c.id, class = class_of(a) FROM companies c WHERE c.number = a.company AND a.id IN (${different});
      SELECT copy_installations(ARRAY(SELECT number FROM assets WHERE id IN (${different})))`,
  },
  {
    ...{ table: 'asset_external_ids', row: `${ASSET} || ' ' || key`, key: 'asset, key' },
    definition: () => `SELECT company, (ids.system || ':' || ids.id) COLLATE "C" AS key, number AS asset
      FROM assets, jsonb_each_text(external_ids) AS ids (system, id)`,
    touch: replace('asset_external_ids', 'asset, key'),
  },
  {
    ...{ table: 'api_keys', row: 'id', key: 'id' },
    columns: 'id, claims::text',
    definition: () => `SELECT id, json_build_object('id', id, 'label', label, 'scopes', scopes, 'reseller', reseller,
        'all_companies', all_companies, 'rate', CASE WHEN rate_requests IS NOT NULL
          THEN json_build_object('requests', rate_requests, 'seconds', rate_seconds) END, 'expires_at',
        (to_json(expires_at AT TIME ZONE 'UTC') #>> '{}') || 'Z')::text AS claims FROM api_keys`,
    // A trigger sets the column.
    touch: different => `UPDATE api_keys SET id = id WHERE id IN (${different})`,
  },
  {
    ...{ table: 'asset_months', ...BY_MONTH },
    definition: ({ month }) =>
      `SELECT d.* FROM assets a CROSS JOIN LATERAL define_asset_months(a.number, ${month}) AS d`,
    // The refresh keeps the company of a row.
    touch: different => `UPDATE asset_months m SET company = a.company FROM assets a
        WHERE a.number = m.asset AND a.company <> m.company AND (m.asset, m.month) IN (${different});
      ${touchMonths('impressions', different)}`,
  },
  byClassAndMonth('class_months'),
  {
    ...{ table: 'asset_demographics', ...BY_MONTH },
    definition: ({ month }) =>
      `SELECT d.* FROM assets a CROSS JOIN LATERAL define_asset_demographics(a.number, ${month}) AS d`,
    // The second statement notes the days as they are, which a repair leaves so.
    touch: different => `${touchMonths('demographics', different)};
      UPDATE demographic_days d SET date = d.date FROM (${different}) AS k
        WHERE d.asset = k.asset AND d.date BETWEEN month_start(k.month) AND month_start(k.month + 1) - 1`,
  },
  byClass(
    'class_demographic_days',
    `' on ', date`,
    'date',
    ({ first, last }) => `(SELECT date '${first}' + generate_series(0, date '${last}' - '${first}') AS date) AS days`,
  ),
  byClassAndMonth('class_demographics'),
  {
    ...{ table: 'class_sensors', key: 'company, class, rules, native_minutes' },
    row: `concat('class ', class, ' of company ', company, ' in ',
      (SELECT zone FROM zone_rules z WHERE z.number = rules), ' by ', native_minutes, ' minutes')`,
    definition: () => `SELECT d.* FROM (
        SELECT DISTINCT a.company, unnest(ARRAY[class, 0]) AS class, rules, native_minutes
        FROM assets a JOIN installations ON asset = number
      ) AS k CROSS JOIN LATERAL define_class_sensors(company, class, rules, native_minutes) AS d`,
    touch: refresh('class_sensors'),
  },
  {
    ...{ table: 'measured_assets', key: 'kind, company, date, block', time: 'date' },
    row: `concat_ws(' ', kind, 'of company', company, 'block', block, 'on', date)`,
    definition: ({ stored }) => `SELECT * FROM defined_measured_assets WHERE date ${stored.date}`,
    touch: replace('measured_assets', 'kind, company, date, block'),
  },
  {
    ...{ table: 'asset_versions', row: ASSET, key: 'asset' },
    definition: () => 'SELECT * FROM asset_spans',
    touch: replace('asset_versions', 'asset'),
  },
]
