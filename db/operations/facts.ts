/** Measures and deletes counts, origins and demographics. */
import type { ClientBase } from 'pg'
import { GROUP_COLUMNS } from '../queries/demographics'

export type FactTable = 'sensor_days' | 'origins' | 'demographic_days'

export const FACT_TABLES: readonly FactTable[] = ['sensor_days', 'origins', 'demographic_days']

/** Rows of a table: those of some assets or sensors, between two local dates, both inclusive. */
export interface FactSelection {
  table: FactTable
  by: 'asset' | 'sensor'
  /** Numbers of the assets or sensors. */
  numbers: readonly number[]
  /** All dates by default. */
  from?: string
  to?: string
}

/** What a selection has of one asset. */
export interface AssetFacts {
  asset_id: string
  /** Number of the asset. */
  asset: number
  from_date: string
  to_date: string
  /** Native intervals with a count, and their sum. */
  counts: number
  impressions: number
  /** Rows as an import has them: a row for each home city, and for each age band and gender. */
  origins: number
  demographics: number
}

/** Assets or sensors whose rows one statement deletes, because PostgreSQL keeps the deleted rows for the triggers. */
const BATCH = 50

/** SQL of the figures of a table. */
const FIGURES: Record<FactTable, string> = {
  sensor_days: 'sum(d.observed) AS counts, sum(d.impressions) AS impressions, 0 AS origins, 0 AS demographics',
  origins: '0 AS counts, 0 AS impressions, count(*) AS origins, 0 AS demographics',
  demographic_days: `0 AS counts, 0 AS impressions, 0 AS origins, sum(num_nonnulls(${GROUP_COLUMNS.join(', ')})) AS demographics`,
}

/** What the selections have, by asset. */
export async function measureFacts(client: ClientBase, selections: readonly FactSelection[]): Promise<AssetFacts[]> {
  const measured = new Map<string, AssetFacts>()
  for (const selection of selections) {
    const { rows } = await client.query<AssetFacts>(
      `SELECT a.id AS asset_id, a.number AS asset, min(d.date) AS from_date, max(d.date) AS to_date, ${FIGURES[selection.table]}
       FROM ${selection.table} d JOIN assets a ON a.number = d.asset WHERE ${conditionOf(selection)}
       GROUP BY a.id, a.number ORDER BY a.id`,
      valuesOf(selection, selection.numbers),
    )
    for (const row of rows) measured.set(row.asset_id, added(measured.get(row.asset_id), row))
  }
  return [...measured.values()].sort((a, b) => (a.asset_id < b.asset_id ? -1 : 1))
}

export async function deleteFacts(client: ClientBase, selection: FactSelection): Promise<void> {
  const { table, numbers } = selection
  for (let i = 0; i < numbers.length; i += BATCH) {
    const values = valuesOf(selection, numbers.slice(i, i + BATCH))
    await client.query(`DELETE FROM ${table} d WHERE ${conditionOf(selection)}`, values)
  }
}

const conditionOf = ({ by }: FactSelection): string => `d.${by} = ANY ($1) AND d.date BETWEEN $2 AND $3`

const valuesOf = ({ from, to }: FactSelection, numbers: readonly number[]): unknown[] => [
  numbers,
  from ?? '-infinity',
  to ?? 'infinity',
]

function added(one: AssetFacts | undefined, other: AssetFacts): AssetFacts {
  if (!one) return other
  const dates = [one.from_date, one.to_date, other.from_date, other.to_date].sort()
  return {
    ...one,
    from_date: dates[0] as string,
    to_date: dates[3] as string,
    counts: one.counts + other.counts,
    impressions: one.impressions + other.impressions,
    origins: one.origins + other.origins,
    demographics: one.demographics + other.demographics,
  }
}
