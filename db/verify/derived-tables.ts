/** The derived tables, with the SQL of their definitions. */
import type { DerivedTable } from './compare'
import { type Bounds, inAssets, inCompanies, inDays, inDaysOfMonths, inMonths } from './parts'

type Select = (bounds: Bounds) => string

const MONTH = `to_char(month_start(month), 'YYYY-MM')`

const ASSET = `(SELECT id FROM assets WHERE number = asset)`

/** Selects the months in which facts of an asset may be, by asset. */
const months =
  (facts: string): Select =>
  bounds =>
    `
  SELECT number AS asset, company, class, month FROM assets a
  CROSS JOIN LATERAL (
    SELECT min(date) AS first, max(date) AS last FROM ${facts} WHERE asset = a.number AND ${inDaysOfMonths(bounds, 'date')}
  ) AS dates
  CROSS JOIN generate_series(month_number(first), month_number(last)) AS month
  WHERE ${inAssets(bounds, 'number')} AND ${inCompanies(bounds, 'company')}`

/** The columns of times in keys, by which days since a date are found. */
const TIMES: Record<string, (bounds: Bounds, column: string) => string> = { month: inMonths, date: inDays }

const inTime = (bounds: Bounds, key: string): string =>
  Object.entries(TIMES).find(([column]) => key.endsWith(column))?.[1](bounds, key.split(', ').at(-1)!) ?? 'true'

/** Describes a table of totals, of which the function `define_…` returns the row of a key. The keys come from `source`. */
const totals = (table: string, row: string, key: string, by: DerivedTable['by'], source: Select): DerivedTable => {
  const stored: Select = bounds =>
    `${by === 'assets' ? inAssets(bounds, 'asset') : inCompanies(bounds, 'company')} AND ${inTime(bounds, key)}`
  return {
    ...{ row, key, by, stored },
    definition: bounds =>
      `SELECT d.* FROM (SELECT DISTINCT ${key} FROM (${source(bounds)}) AS s) AS k CROSS JOIN LATERAL define_${table}(${key}) AS d`,
    repair: bounds =>
      `SELECT replace_rows('${table}', $keys$SELECT ${key} FROM (${source(bounds)}) AS s UNION SELECT ${key} FROM ${table} WHERE ${stored(bounds)}$keys$)`,
  }
}

/**
 * Describes one by class of assets, and by company, whose rows are sums of those of its classes: they are replaced later.
 *
 * @param more the other columns of the key
 */
function classTotals(table: string, row: string, more: string, source: Select): DerivedTable {
  const columns = `company, class, ${more}`
  const keys: Select = bounds =>
    `SELECT ${columns} FROM (${source(bounds)}) AS s UNION SELECT company, 0, ${more} FROM (${source(bounds)}) AS s`
  const checked = totals(table, `concat('class ', class, ' of company ', company, ${row})`, columns, 'companies', keys)
  const replace = (bounds: Bounds, condition: string) =>
    `SELECT replace_rows('${table}', $keys$SELECT * FROM (
      ${keys(bounds)} UNION SELECT ${columns} FROM ${table} WHERE ${checked.stored(bounds)}) AS k WHERE ${condition}$keys$)`
  return { ...checked, repair: bounds => `${replace(bounds, 'class > 0')}; ${replace(bounds, 'class = 0')}` }
}

const ASSET_MONTHS = totals(
  'asset_months',
  `${ASSET} || ' in ' || ${MONTH}`,
  'asset, month',
  'assets',
  months('sensor_days'),
)

/** In the order in which they are repaired: totals of classes derive from those of assets, and months from days. */
export const DERIVED_TABLES: Record<string, DerivedTable> = {
  asset_months: {
    ...ASSET_MONTHS,
    // As touched, so that the ledger and the feed show what a repair changes.
    repair: bounds => `
      INSERT INTO touched (kind, asset, company, month, from_date, to_date)
        SELECT 'impressions', asset, coalesce(s.company, d.company), month, month_start(month), month_start(month + 1) - 1
        FROM (SELECT * FROM asset_months WHERE ${ASSET_MONTHS.stored(bounds)}) AS s
          FULL JOIN (${ASSET_MONTHS.definition(bounds)}) AS d USING (asset, month) WHERE s IS DISTINCT FROM d;
      SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED`,
  },
  class_months: classTotals('class_months', `' in ', ${MONTH}`, 'month', months('sensor_days')),
  asset_demographics: totals(
    'asset_demographics',
    `${ASSET} || ' in ' || ${MONTH}`,
    'asset, month',
    'assets',
    months('demographic_days'),
  ),
  class_demographic_days: classTotals(
    'class_demographic_days',
    `' on ', date`,
    'date',
    bounds => `SELECT a.company, class, date FROM assets a JOIN demographic_days ON asset = number
      WHERE ${inCompanies(bounds, 'a.company')} AND ${inDays(bounds, 'date')}`,
  ),
  class_demographics: classTotals('class_demographics', `' in ', ${MONTH}`, 'month', months('demographic_days')),
  class_sensors: classTotals(
    'class_sensors',
    `' in ', (SELECT zone FROM zone_rules z WHERE z.number = rules), ' by ', native_minutes, ' minutes'`,
    'rules, native_minutes',
    bounds => `SELECT a.company, class, rules, native_minutes FROM assets a JOIN installations ON asset = number
      WHERE ${inCompanies(bounds, 'a.company')}`,
  ),
  measured_assets: {
    row: `concat_ws(' ', kind, 'of company', company, 'block', block, 'on', date)`,
    key: 'kind, company, date, block',
    by: 'nothing',
    stored: bounds => inDays(bounds, 'date'),
    definition: bounds => `SELECT * FROM defined_measured_assets WHERE ${inDays(bounds, 'date')}`,
    repair: bounds => `DELETE FROM measured_assets WHERE ${inDays(bounds, 'date')};
      INSERT INTO measured_assets SELECT * FROM defined_measured_assets WHERE ${inDays(bounds, 'date')}`,
  },
  asset_versions: {
    row: ASSET,
    key: 'asset',
    by: 'assets',
    stored: bounds => inAssets(bounds, 'asset'),
    definition: bounds => `SELECT * FROM asset_spans WHERE ${inAssets(bounds, 'asset')}`,
    repair: () => `
      DELETE FROM asset_versions WHERE asset NOT IN (SELECT number FROM assets);
      INSERT INTO asset_versions SELECT * FROM asset_spans ON CONFLICT (asset) DO UPDATE SET
        (company, measured_from, measured_to) = (excluded.company, excluded.measured_from, excluded.measured_to)`,
  },
}
