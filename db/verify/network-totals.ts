/** Checks the totals of classes and companies, and the bitmaps of measured assets, which derive from the months of assets. */
import type { ClientBase } from 'pg'
import type { OnDifference } from './differences'

const SUMS = ['impressions', ...Array.from({ length: 31 }, (_, i) => `day_${i + 1}`)]

/** SQL of the rows of a table as `key`, `row` and `value`: as they are stored, and as they should be. */
interface Check {
  table: string
  column: string
  stored: string
  expected: string
}

/** SQL of the name of a month since year 0. */
const MONTH = `to_char(make_date(month / 12, month % 12 + 1, 1), 'YYYY-MM')`

const sums = (sum: (column: string) => string): string => `ARRAY[${SUMS.map(sum).join(', ')}]::text`

/** Where all sums are 0, the row may be missing. */
const monthCheck = (table: string, key: string): Check => ({
  table,
  column: 'days',
  stored: `SELECT ${key}::text || ' in ' || ${MONTH} AS row, ${sums(column => column)} AS value
    FROM ${table} WHERE ${SUMS.map(column => `${column} <> 0`).join(' OR ')}`,
  expected: `SELECT ${key}::text || ' in ' || ${MONTH} AS row, ${sums(column => `coalesce(sum(${column}), 0)`)} AS value
    FROM asset_months GROUP BY ${key}, month HAVING ${SUMS.map(column => `sum(${column}) <> 0`).join(' OR ')}`,
})

const CHECKS: Check[] = [
  monthCheck('class_months', 'class'),
  monthCheck('company_months', 'company'),
  {
    table: 'measured_assets',
    column: 'assets',
    stored: `SELECT concat_ws(' ', 'company', company, 'block', block, 'on', date) AS row, assets::text AS value FROM measured_assets`,
    expected: `SELECT concat_ws(' ', 'company', company, 'block', asset / 2048, 'on', make_date(month / 12, month % 12 + 1, 1) + day::integer - 1) AS row,
        bit_or(set_bit(B'0'::bit(2048), asset % 2048, 1))::text AS value
      FROM asset_months, unnest(ARRAY[${SUMS.slice(1).join(', ')}]) WITH ORDINALITY AS days (impressions, day)
      WHERE days.impressions IS NOT NULL GROUP BY company, asset / 2048, month, day`,
  },
]

/** Reports all differences, and returns the numbers of rows by table. */
export async function checkNetworkTotals(
  client: ClientBase,
  onDifference: OnDifference,
): Promise<Record<string, number>> {
  const checked: Record<string, number> = {}
  for (const { table, column, stored, expected } of CHECKS) {
    const { rows } = await client.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)
    checked[table] = rows[0]?.count ?? 0
    const found = await client.query<{ row: string; stored: string | null; expected: string | null }>(
      `SELECT row, s.value AS stored, e.value AS expected FROM (${stored}) s FULL JOIN (${expected}) e USING (row)
       WHERE s.value IS DISTINCT FROM e.value ORDER BY row`,
    )
    for (const difference of found.rows) await onDifference({ table, column, ...difference, repairable: true })
  }
  return checked
}

/** Computes all totals again, in parts. */
export async function repairNetworkTotals(client: ClientBase): Promise<void> {
  for (const { table } of CHECKS) await client.query(`DELETE FROM ${table}`)
  await client.query(`SELECT add_to_networks('{}', array_agg(m)) FROM asset_months m GROUP BY asset / 1000`)
}
