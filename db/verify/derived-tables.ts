/** The tables, and columns of tables, that the database derives from other rows. */
/** The local days of a month that are checked. */
export interface Part {
  /** Months since year 0. */
  month: number
  first: string
  last: string
  /** SQL that follows a column: whether a stored row is in the part; `dayOfMonth` follows a date, and is of the whole month. */
  stored: { month: string; date: string; dayOfMonth: string }
}

export interface DerivedTable {
  table: string
  /** SQL of the name of a row, for people. */
  row: string
  /** The columns by which a stored row and a defined one are the same. */
  key: string
  /** SQL of the columns that are compared; all by default. */
  columns?: string
  /** Returns the SQL of the stored rows, where the table has them in another form. */
  stored?(part: Part): string
  /** The column of the key by which it is compared in parts; without one it is compared at once. */
  time?: 'month' | 'date'
  /** Returns the SQL of the rows by the definition. */
  definition(part: Part): string
  /** Returns the SQL that touches the keys that `different` selects, so that they are refreshed. Without it there is no repair. */
  touch?(different: string, definition: string): string
}

const MONTH = `to_char(month_start(month), 'YYYY-MM')`

const ASSET = `(SELECT id FROM assets WHERE number = asset)`

/** Replaces the rows of a table without triggers and refresh of its own. */
const replace = (table: string, key: string) => (different: string, definition: string) =>
  `
  DELETE FROM ${table} WHERE (${key}) IN (${different});
  INSERT INTO ${table} SELECT * FROM (${definition}) AS d WHERE (${key}) IN (${different})`

/** Touches days of assets, and deletes those of assets that do not exist. */
const touchDays = (days: string): string => `
  INSERT INTO touched (kind, asset, company, month, days)
  SELECT d.kind, d.asset, a.company, d.month, bit_or(1 << extract(day FROM d.date)::integer - 1) FROM (${days}) AS d JOIN assets a ON a.number = d.asset
  GROUP BY d.kind, d.asset, a.company, d.month;
  DELETE FROM asset_months WHERE asset NOT IN (SELECT number FROM assets)`

const FORMER_TOTALS = {
  ...{
    table: 'former_totals',
    row: `concat(kind, ' of ', ${ASSET}, ' on ', date)`,
    key: 'asset, kind, month, date, until',
  },
  // By dates, which the index has.
  stored: ({ stored }: Part) =>
    `(SELECT *, month_number(date) AS month FROM former_totals WHERE date ${stored.dayOfMonth}) AS f`,
  time: 'month',
} as const

/** Returns the SQL of what was served of days with a history, and of what is served, each with what follows it. */
const history = ({ stored }: Part): string => `
  SELECT *, lead(since) OVER history AS next_since, lead(total) OVER history AS following, lead(observed) OVER history AS following_observed
  FROM (
    SELECT asset, kind, month_number(date) AS month, date, since, until, total, observed, next_total, next_observed, true AS is_former
    FROM former_totals WHERE date ${stored.dayOfMonth}
    UNION ALL
    SELECT f.asset, f.kind, m.month, f.date, m.since[day], NULL, m.totals[day], m.observed[day], NULL, NULL, false
    FROM (SELECT DISTINCT asset, kind, date, extract(day FROM date)::integer AS day FROM former_totals WHERE date ${stored.dayOfMonth}) AS f
      JOIN asset_month_arrays m ON m.asset = f.asset AND m.kind = f.kind AND m.month = month_number(f.date)
  ) AS d WINDOW history AS (PARTITION BY asset, kind, date ORDER BY since)`

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
    columns: 'id, company_id, sensor_ids::text, sensor_minutes, installations::text',
    definition: () => `
      SELECT a.id, c.id AS company_id, i.sensor_ids::text, i.sensor_minutes, i.installations::text
      FROM assets a JOIN companies c ON c.number = a.company JOIN asset_installations i ON i.asset = a.number`,
    touch: different => `
      UPDATE assets a SET company_id = c.id FROM companies c WHERE c.number = a.company AND a.id IN (${different});
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
    definition: () => 'SELECT id, claims_of(k)::text AS claims FROM api_keys k',
    // A trigger sets the column.
    touch: different => `UPDATE api_keys SET id = id WHERE id IN (${different})`,
  },
  {
    ...{
      table: 'asset_months',
      row: `concat(kind, ' of ', ${ASSET}, ' on ', date)`,
      key: 'asset, kind, month, date',
      time: 'month',
    },
    stored: () =>
      '(SELECT asset, company, kind, month, date, total, observed FROM asset_days WHERE total IS NOT NULL) AS d',
    definition: ({ month }) => `
      SELECT d.asset, a.company, d.kind, ${month} AS month, d.date, d.total, d.observed FROM assets a CROSS JOIN LATERAL (
        SELECT * FROM defined_days WHERE asset = a.number AND date >= month_start(${month}) AND date < month_start(${month} + 1) OFFSET 0) AS d`,
    // The refresh keeps the company of a row.
    touch: different => `UPDATE asset_months m SET company = a.company FROM assets a
        WHERE a.number = m.asset AND a.company <> m.company AND (m.asset, m.kind, m.month) IN (SELECT asset, kind, month FROM (${different}) AS d);
      ${touchDays(different)}`,
  },
  {
    ...{
      table: 'asset_months',
      row: `concat(kind, ' of ', ${ASSET}, ' in ', ${MONTH})`,
      key: 'asset, kind, month',
      time: 'month',
    },
    columns: 'asset, company, kind, month, total, observed_total, days_with_data, number, oldest',
    definition: ({ stored }) => `
      SELECT asset, company, kind, month, coalesce(sum(total), 0)::bigint AS total, coalesce(sum(observed), 0)::integer AS observed_total,
        count(total)::smallint AS days_with_data, least(max(since), (SELECT max(number) FROM transactions)) AS number,
        min(since) AS oldest
      FROM asset_days WHERE month ${stored.month} GROUP BY asset, company, kind, month`,
    touch: different =>
      touchDays(`SELECT asset, kind, month, date FROM asset_days WHERE (asset, kind, month) IN (${different})`),
  },
  {
    // Numbers have no gap, and the instants beside them never fall.
    ...{ table: 'transactions', row: `'number ' || number`, key: 'number' },
    columns: 'number, committed_at',
    definition:
      () => `SELECT lag(number, 1, 0::bigint) OVER commits + 1 AS number, max(committed_at) OVER commits AS committed_at
      FROM transactions WINDOW commits AS (ORDER BY number)`,
  },
  {
    // The history has no hole: what was served until a transaction is followed by what is served since then.
    ...FORMER_TOTALS,
    definition: part => `SELECT d.asset, a.company, kind, month, date, next_since AS until, a.id AS asset_id
      FROM (${history(part)}) AS d JOIN assets a ON a.number = d.asset WHERE is_former`,
    columns: 'asset, company, kind, month, date, until, asset_id',
  },
  {
    ...FORMER_TOTALS,
    definition:
      part => `SELECT asset, kind, month, date, until, CASE WHEN until = next_since THEN following ELSE next_total END AS next_total,
        CASE WHEN until = next_since THEN following_observed ELSE next_observed END AS next_observed
      FROM (${history(part)}) AS d WHERE is_former`,
    columns: 'asset, kind, month, date, until, next_total, next_observed',
    touch: (different, definition) => `
      UPDATE former_totals f SET next_total = d.next_total, next_observed = d.next_observed FROM (${definition}) AS d
      WHERE (f.asset, f.kind, f.date, f.until) = (d.asset, d.kind, d.date, d.until)
        AND (f.asset, f.kind, month_number(f.date), f.date, f.until) IN (${different})`,
  },
  {
    ...{ table: 'asset_demographics', row: `${ASSET} || ' in ' || ${MONTH}`, key: 'asset, month', time: 'month' },
    definition: ({ month }) => `SELECT * FROM defined_asset_demographics WHERE month = ${month}`,
    touch: replace('asset_demographics', 'asset, month'),
  },
  {
    ...{ table: 'measured_assets', key: 'kind, company, date, block', time: 'date' },
    row: `concat_ws(' ', kind, 'of company', company, 'block', block, 'on', date)`,
    definition: ({ stored }) => `SELECT * FROM defined_measured_assets WHERE date ${stored.date}`,
    touch: replace('measured_assets', 'kind, company, date, block'),
  },
  {
    ...{ table: 'asset_versions', row: ASSET, key: 'asset' },
    definition: () => 'SELECT * FROM defined_asset_versions',
    touch: replace('asset_versions', 'asset'),
  },
]
