/**
 * Deletes companies, assets, sensors, and counts of a range of dates. A deletion is planned and executed in one transaction,
 * so that exactly what the plan shows is deleted.
 */
import type { ClientBase } from 'pg'
import { FACT_FIGURES, FACT_KINDS, FACTS, type FactFigure, type FactKind } from '../facts'
import { findNumbers } from '../references'

/** A request to delete. References are ids or natural keys; dates are local to the asset and inclusive. */
export type DeletionRequest =
  | { kind: 'companies' | 'assets' | 'sensors'; ids: readonly string[] }
  | { kind: FactKind; of: readonly string[]; from: string; to: string }
  /** All facts up to a date. */
  | { kind: 'everything'; to: string }

/** Numbers of the rows that are deleted. */
interface Selection {
  companies: number[]
  assets: number[]
  sensors: number[]
  facts: FactSelection[]
  /** The last day of which the ledger forgets what it was. */
  forgotten?: string
}

export interface DeletionPlan {
  /** The figures of the deletion. `counts` are native intervals, `impressions` is their sum; `set_aside` are counts besides. */
  deleted: Record<'companies' | 'assets' | 'sensors' | 'installations' | FactFigure, number>
  /** The same for each asset that has any of it. */
  changes: AssetFacts[]
  companies: { id: string; name: string }[]
  /** The keys that lose a company; those that are active and lose their last one are deactivated. */
  keys: { id: string; label: string | null; deactivated: boolean }[]
  /** Whether a closed month of a company has days of it. */
  in_closed_months: boolean
}

export const isEmpty = ({ deleted }: DeletionPlan): boolean => Object.values(deleted).every(figure => figure === 0)

/**
 * Plans a deletion and returns it with a function that executes it, to be called in the same transaction.
 *
 * @throws OperatorError when something that is to be deleted is unknown
 */
export async function planDeletion(
  client: ClientBase,
  request: DeletionRequest,
): Promise<{ plan: DeletionPlan; execute(): Promise<void> }> {
  const selection = await select(client, request)
  const { companies, assets, sensors, facts } = selection
  const changes = await measureFacts(client, facts)
  const read = async (text: string, ...values: unknown[]) => (await client.query(text, values)).rows
  const [{ installations }] = await read(COUNT_INSTALLATIONS, assets, sensors)
  const firstDays = [changes.map(({ asset_id }) => asset_id), changes.map(({ from_date }) => from_date)]
  const [{ in_closed_months }] = await read(IN_CLOSED_MONTHS, ...firstDays)
  const sum = (figure: FactFigure) => changes.reduce((total, facts) => total + facts[figure], 0)
  const figures = FACT_FIGURES.map(figure => [figure, sum(figure)])
  const plan: DeletionPlan = {
    deleted: {
      ...{ companies: companies.length, assets: assets.length, sensors: sensors.length, installations },
      ...(Object.fromEntries(figures) as Record<FactFigure, number>),
    },
    changes,
    companies: await read('SELECT id, name FROM companies WHERE number = ANY ($1) ORDER BY id', companies),
    keys: await read(AFFECTED_KEYS, companies),
    in_closed_months,
  }
  return { plan, execute: () => deleteSelection(client, selection) }
}

const COUNT_INSTALLATIONS =
  'SELECT count(*) AS installations FROM installations WHERE asset = ANY ($1) OR sensor = ANY ($2)'

const IN_CLOSED_MONTHS = `
SELECT EXISTS (SELECT FROM unnest($1::text[], $2::date[]) AS d (id, first) JOIN assets USING (id)
  JOIN companies c ON c.number = company AND first <= final_through) AS in_closed_months`

/** In the order of their issue. Keys of all companies lose none. */
const AFFECTED_KEYS = `
SELECT id, label, deactivated_at IS NULL AND companies <@ $1::integer[] AS deactivated FROM api_keys
WHERE NOT all_companies AND companies && $1::integer[] ORDER BY created_at, id`

async function select(client: ClientBase, request: DeletionRequest): Promise<Selection> {
  const nothing: Selection = { companies: [], assets: [], sensors: [], facts: [] }
  switch (request.kind) {
    case 'companies': {
      const companies = await findNumbers(client, 'companies', request.ids)
      const assets = await queryNumbers(
        client,
        'SELECT number FROM assets WHERE company = ANY ($1) ORDER BY id',
        companies,
      )
      return {
        companies,
        assets,
        sensors: await queryNumbers(client, SENSORS_ONLY_AT, assets),
        facts: selectFacts(assets),
      }
    }
    case 'assets': {
      const assets = await findNumbers(client, 'assets', request.ids)
      return { ...nothing, assets, facts: selectFacts(assets) }
    }
    case 'sensors': {
      const sensors = await findNumbers(client, 'sensors', request.ids)
      return { ...nothing, sensors, facts: [{ kind: 'impressions', by: 'sensor', numbers: sensors }] }
    }
    case 'everything': {
      const { to } = request
      const assets = await queryNumbers(client, 'SELECT number FROM assets ORDER BY number')
      return { ...nothing, facts: selectFacts(assets).map(facts => ({ ...facts, to })), forgotten: to }
    }
    default: {
      const { kind, from, to } = request
      const { of } = FACTS[kind]
      const numbers = await findNumbers(client, `${of}s`, request.of)
      return { ...nothing, facts: [{ kind, by: of, numbers, from, to }] }
    }
  }
}

const selectFacts = (assets: readonly number[]): FactSelection[] =>
  FACT_KINDS.map(kind => ({ kind, by: 'asset', numbers: assets }))

/** The sensors whose every installation was on one of some assets. */
const SENSORS_ONLY_AT = `
SELECT sensor AS number FROM installations WHERE asset = ANY ($1)
EXCEPT SELECT sensor FROM installations WHERE asset <> ALL ($1)`

async function queryNumbers(client: ClientBase, query: string, ...values: (readonly number[])[]): Promise<number[]> {
  const { rows } = await client.query<{ number: number }>(query, values)
  return rows.map(({ number }) => number)
}

async function deleteSelection(client: ClientBase, selection: Selection): Promise<void> {
  const { companies, assets, sensors, facts, forgotten } = selection
  const run = (text: string, ...values: unknown[]) => client.query(text, values)
  for (const each of facts) await deleteFacts(client, each)
  if (forgotten !== undefined) await run(FORGET, forgotten)
  // While the assets exist, so that a closed month is found; what the ledger notes goes with them.
  if (assets.length > 0 && companies.length === 0) {
    await client.query('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED')
  }
  if (sensors.length > 0) {
    await run('DELETE FROM installations WHERE sensor = ANY ($1)', sensors)
    await run('DELETE FROM sensors WHERE number = ANY ($1)', sensors)
  }
  if (assets.length > 0) {
    // Their sensors stay.
    await run('DELETE FROM installations WHERE asset = ANY ($1)', assets)
    await run('DELETE FROM assets WHERE number = ANY ($1)', assets)
  }
  if (companies.length === 0) return
  await run(REMOVE_FROM_KEYS, companies)
  await run('DELETE FROM companies WHERE number = ANY ($1)', companies)
}

/** A key that loses its last company is deactivated. */
const REMOVE_FROM_KEYS = `
UPDATE api_keys SET companies = ARRAY(SELECT unnest(companies) EXCEPT SELECT unnest($1::integer[]) ORDER BY 1),
  deactivated_at = CASE WHEN companies <@ $1::integer[] AND NOT all_companies
    THEN coalesce(deactivated_at, now()) ELSE deactivated_at END
WHERE companies && $1::integer[]`

/** Removes days from the history. Public reasons are notes on these days, which copies have to read again. */
const FORGET = `
WITH forgotten AS (DELETE FROM former_totals WHERE date <= $1 RETURNING asset, until)
INSERT INTO touched (kind, asset)
  SELECT DISTINCT 'notes', asset FROM forgotten JOIN transactions v ON v.commit_number = until WHERE v.note_is_public`

/** Facts of some assets or sensors, between two local dates, both inclusive. */
interface FactSelection {
  kind: FactKind
  by: 'asset' | 'sensor'
  numbers: readonly number[]
  /** All dates by default. */
  from?: string
  to?: string
}

/** The figures of a selection for one asset. */
type AssetFacts = Record<FactFigure, number> & {
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

async function measureFacts(client: ClientBase, selections: readonly FactSelection[]): Promise<AssetFacts[]> {
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

async function deleteFacts(client: ClientBase, selection: FactSelection): Promise<void> {
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
