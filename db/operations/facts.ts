/** Measures and deletes counts, those that are set aside too, origins and demographics. */
import type { ClientBase } from 'pg'
import { FACT_FIGURES, FACTS, type FactFigure, type FactKind } from '../facts'

/** Facts of some assets or sensors, between two local dates, both inclusive. */
export interface FactSelection {
  kind: FactKind
  by: 'asset' | 'sensor'
  /** Numbers of the assets or sensors. */
  numbers: readonly number[]
  /** All dates by default. */
  from?: string
  to?: string
}

/** The figures of a selection for one asset. */
export type AssetFacts = Record<FactFigure, number> & {
  asset_id: string
  /** Its name. */
  asset: string
  from_date: string
  to_date: string
}

/** Assets or sensors whose rows one statement deletes, because PostgreSQL keeps the deleted rows for the triggers. */
const BATCH = 50

/** Returns the SQL of all figures, as one kind has them. */
const buildFigures = (kind: FactKind): string => {
  const figures: Partial<Record<FactFigure, string>> = FACTS[kind].figures
  return FACT_FIGURES.map(figure => `${figures[figure] ?? 0} AS ${figure}`).join(', ')
}

/** Returns the figures of the selections, by asset. */
export async function measureFacts(client: ClientBase, selections: readonly FactSelection[]): Promise<AssetFacts[]> {
  const measured = new Map<string, AssetFacts>()
  for (const selection of selections) {
    const { rows } = await client.query<AssetFacts>(
      `SELECT a.id AS asset_id, a.name AS asset, min(d.date) AS from_date, max(d.date) AS to_date, ${buildFigures(selection.kind)}
       FROM ${FACTS[selection.kind].rows} AS d JOIN assets a ON a.number = d.asset WHERE ${buildCondition(selection)}
       GROUP BY a.id, a.name ORDER BY a.id`,
      bindValues(selection, selection.numbers),
    )
    for (const row of rows) measured.set(row.asset_id, added(measured.get(row.asset_id), row))
  }
  return [...measured.values()].sort((a, b) => (a.asset_id < b.asset_id ? -1 : 1))
}

export async function deleteFacts(client: ClientBase, selection: FactSelection): Promise<void> {
  const { kind, numbers } = selection
  for (let i = 0; i < numbers.length; i += BATCH) {
    const values = bindValues(selection, numbers.slice(i, i + BATCH))
    for (const table of FACTS[kind].tables)
      await client.query(`DELETE FROM ${table} d WHERE ${buildCondition(selection)}`, values)
  }
}

const buildCondition = ({ by }: FactSelection): string => `d.${by} = ANY ($1) AND d.date BETWEEN $2 AND $3`

const bindValues = ({ from, to }: FactSelection, numbers: readonly number[]): unknown[] => [
  numbers,
  from ?? '-infinity',
  to ?? 'infinity',
]

function added(one: AssetFacts | undefined, other: AssetFacts): AssetFacts {
  if (!one) return other
  const dates = [one.from_date, one.to_date, other.from_date, other.to_date].sort()
  const sums = FACT_FIGURES.map(figure => [figure, one[figure] + other[figure]])
  return { ...one, from_date: dates[0]!, to_date: dates[3]!, ...Object.fromEntries(sums) }
}
