/** Checks the sums of demographics and the bitmaps of described assets, which derive from demographic_days. */
import type { ClientBase } from 'pg'
import { GROUP_COLUMNS } from '../queries/demographics'
import type { OnDifference } from './differences'

/** SQL of the rows of a table as `row`, `column` and `value`: as they are stored, and as they should be. */
interface Check {
  table: string
  column: string
  stored: string
  expected: string
}

const STORED = `ARRAY[asset_days, ${GROUP_COLUMNS}]::text AS value`

const EXPECTED = `ARRAY[count(*), ${GROUP_COLUMNS.map(group => `coalesce(sum(${group}), 0)`)}]::text AS value`

const NETWORK = `concat_ws(' ', 'company', d.company, 'class ' || class, 'in the', span, 'of', start) AS row`

const CHECKS: Check[] = [
  {
    table: 'network_demographics',
    column: 'sums',
    stored: `SELECT ${NETWORK}, ${STORED} FROM network_demographics d`,
    expected: `SELECT ${NETWORK}, ${EXPECTED}
      FROM demographic_days d JOIN assets a ON a.number = d.asset
        CROSS JOIN LATERAL (VALUES ('day', date), ('month', date_trunc('month', date)::date)) AS spans (span, start)
      GROUP BY GROUPING SETS ((d.company, span, start, class), (d.company, span, start))`,
  },
  {
    table: 'asset_demographics',
    column: 'sums',
    stored: `SELECT concat_ws(' ', 'asset', asset, 'in the month of', start) AS row, ${STORED} FROM asset_demographics`,
    expected: `SELECT concat_ws(' ', 'asset', asset, 'in the month of', date_trunc('month', date)::date) AS row, ${EXPECTED}
      FROM demographic_days GROUP BY asset, date_trunc('month', date)`,
  },
  {
    table: 'described_assets',
    column: 'assets',
    stored: `SELECT concat_ws(' ', 'company', company, 'block', block, 'on', date) AS row, assets::text AS value FROM described_assets`,
    expected: `SELECT concat_ws(' ', 'company', company, 'block', asset / 2048, 'on', date) AS row,
        bit_or(set_bit(B'0'::bit(2048), mod(asset, 2048), 1))::text AS value
      FROM demographic_days GROUP BY company, asset / 2048, date`,
  },
]

/** Reports all differences, and returns the numbers of rows by table. */
export async function checkDemographicTotals(
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

/** Computes all sums again, in parts. */
export async function repairDemographicTotals(client: ClientBase): Promise<void> {
  for (const { table } of CHECKS) await client.query(`DELETE FROM ${table}`)
  await client.query('SELECT add_demographics(array_agg(number)) FROM assets GROUP BY number / 1000')
}
