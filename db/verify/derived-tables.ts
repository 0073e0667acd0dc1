/** Checks the derived tables against their definitions, and replaces what differs by what these say. */
import type { ClientBase } from 'pg'
import type { OnDifference } from './differences'

interface DerivedTable {
  /** SQL of the name of a row, for people. */
  row: string
  /** The primary key. */
  key: string
  /** SQL of all rows by the definition. */
  definition: string
  /** SQL that replaces all rows. */
  repair: string
}

const MONTH = `to_char(month_start(month), 'YYYY-MM')`

const ASSET = `(SELECT id FROM assets WHERE number = asset)`

/** Returns the SQL of the months in which facts of an asset may be, by asset. */
const months = (facts: string): string => `
  SELECT number AS asset, company, class, month FROM assets a
  CROSS JOIN LATERAL (SELECT min(date) AS first, max(date) AS last FROM ${facts} WHERE asset = a.number) AS dates
  CROSS JOIN generate_series(month_number(first), month_number(last)) AS month`

/** Describes a table of totals, of which the function `define_…` returns the row of a key. The keys come from `source`. */
const totals = (table: string, row: string, key: string, source: string): DerivedTable => ({
  row,
  key,
  definition: `SELECT d.* FROM (SELECT DISTINCT ${key} FROM (${source}) AS s) AS k CROSS JOIN LATERAL define_${table}(${key}) AS d`,
  repair: `SELECT replace_rows('${table}', $keys$SELECT ${key} FROM (${source}) AS s UNION SELECT ${key} FROM ${table}$keys$)`,
})

/**
 * Describes one by class of assets, and by company, whose rows are sums of those of its classes: they are replaced later.
 *
 * @param more the other columns of the key
 */
function classTotals(table: string, row: string, more: string, source: string): DerivedTable {
  const columns = `company, class, ${more}`
  const keys = `SELECT ${columns} FROM (${source}) AS s UNION SELECT company, 0, ${more} FROM (${source}) AS s`
  const checked = totals(table, `concat('class ', class, ' of company ', company, ${row})`, columns, keys)
  const replace = (condition: string) =>
    `SELECT replace_rows('${table}', $keys$SELECT * FROM (${keys} UNION SELECT ${columns} FROM ${table}) AS k WHERE ${condition}$keys$)`
  return { ...checked, repair: `${replace('class > 0')}; ${replace('class = 0')}` }
}

/** In the order in which they are repaired: totals of classes derive from those of assets, and months from days. */
const TABLES: Record<string, DerivedTable> = {
  asset_months: totals('asset_months', `${ASSET} || ' in ' || ${MONTH}`, 'asset, month', months('sensor_days')),
  class_months: classTotals('class_months', `' in ', ${MONTH}`, 'month', months('sensor_days')),
  asset_demographics: totals(
    'asset_demographics',
    `${ASSET} || ' in ' || ${MONTH}`,
    'asset, month',
    months('demographic_days'),
  ),
  class_demographic_days: classTotals(
    'class_demographic_days',
    `' on ', date`,
    'date',
    'SELECT a.company, class, date FROM assets a JOIN demographic_days ON asset = number',
  ),
  class_demographics: classTotals('class_demographics', `' in ', ${MONTH}`, 'month', months('demographic_days')),
  class_sensors: classTotals(
    'class_sensors',
    `' in ', (SELECT zone FROM zone_rules z WHERE z.number = rules), ' by ', native_minutes, ' minutes'`,
    'rules, native_minutes',
    'SELECT a.company, class, rules, native_minutes FROM assets a JOIN installations ON asset = number',
  ),
  measured_assets: {
    row: `concat_ws(' ', kind, 'of company', company, 'block', block, 'on', date)`,
    key: 'kind, company, date, block',
    definition: 'SELECT * FROM defined_measured_assets',
    repair: 'DELETE FROM measured_assets; INSERT INTO measured_assets SELECT * FROM defined_measured_assets',
  },
  asset_versions: {
    row: ASSET,
    key: 'asset',
    definition: 'SELECT * FROM defined_asset_versions',
    repair: `
      DELETE FROM asset_versions WHERE asset NOT IN (SELECT number FROM assets);
      INSERT INTO asset_versions AS v SELECT * FROM defined_asset_versions ON CONFLICT (asset) DO UPDATE SET
        (data_version, base_version, company, asset_id, measured_from, measured_to) = (excluded.data_version, excluded.base_version,
          excluded.company, excluded.asset_id, excluded.measured_from, excluded.measured_to)`,
  },
}

/** Differences in memory at once. */
const BATCH = 200

interface Row {
  row: string
  stored: Record<string, unknown> | null
  expected: Record<string, unknown> | null
}

/** Reports all differences, a column each, and returns the numbers of rows by table. */
export async function checkDerivedTables(
  client: ClientBase,
  onDifference: OnDifference,
): Promise<Record<string, number>> {
  const checked: Record<string, number> = {}
  for (const [table, { row, key, definition }] of Object.entries(TABLES)) {
    const { rows } = await client.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)
    checked[table] = rows[0]?.count ?? 0
    await client.query(`
      DECLARE differences CURSOR FOR SELECT ${row} AS row, to_jsonb(s) AS stored, to_jsonb(d) AS expected
      FROM ${table} AS s FULL JOIN (${definition}) AS d USING (${key}) WHERE s IS DISTINCT FROM d ORDER BY ${key}`)
    for (;;) {
      const found = await client.query<Row>(`FETCH ${BATCH} FROM differences`)
      for (const { row, stored, expected } of found.rows) {
        for (const column of Object.keys(stored ?? expected ?? {})) {
          const [before, after] = [stored, expected].map(values => toText(values?.[column]))
          if (before === after) continue
          await onDifference({ table, row, column, stored: before ?? null, expected: after ?? null, repairable: true })
        }
      }
      if (found.rows.length < BATCH) break
    }
    await client.query('CLOSE differences')
  }
  return checked
}

/** Replaces all rows of the derived tables. */
export async function repairDerivedTables(client: ClientBase): Promise<void> {
  // Refreshes first what the transaction has changed so far.
  await client.query('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED')
  for (const { repair } of Object.values(TABLES)) await client.query(repair)
}

function toText(value: unknown): string | null {
  if (value == null) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
