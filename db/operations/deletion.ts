/**
 * Deletes companies, assets, sensors, and counts of a range of dates. A deletion is planned and executed in one transaction,
 * so that exactly what the plan shows is deleted.
 */
import type { ClientBase } from 'pg'
import { FACT_FIGURES, FACT_KINDS, FACTS, type FactFigure, type FactKind } from '../facts'
import { findNumbers } from '../references'
import { type AssetFacts, deleteFacts, type FactSelection, measureFacts } from './facts'
import { countInstallations, deleteInstallationsAt, deleteSensors, findSensorsOnlyAt } from './installations'
import { type AffectedKey, readAffectedKeys, removeFromKeys } from './keys-of-companies'

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
  /** The companies that are deleted. */
  companies: { id: string; name: string }[]
  /** The keys that lose a company. */
  keys: AffectedKey[]
  /** Whether a closed month of a company has days of it. */
  in_closed_months: boolean
}

/** Returns whether there is anything to delete. */
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
  const measured = await measureFacts(client, facts)
  const sum = (figure: FactFigure) => measured.reduce((total, facts) => total + facts[figure], 0)
  const plan: DeletionPlan = {
    deleted: {
      companies: companies.length,
      assets: assets.length,
      sensors: sensors.length,
      installations: await countInstallations(client, { assets, sensors }),
      ...(Object.fromEntries(FACT_FIGURES.map(figure => [figure, sum(figure)])) as Record<FactFigure, number>),
    },
    changes: measured,
    companies: await readCompanies(client, companies),
    keys: await readAffectedKeys(client, companies),
    in_closed_months: await hasClosedDays(client, measured),
  }
  return { plan, execute: () => deleteSelection(client, selection) }
}

async function readCompanies(client: ClientBase, companies: readonly number[]): Promise<DeletionPlan['companies']> {
  const { rows } = await client.query('SELECT id, name FROM companies WHERE number = ANY ($1) ORDER BY id', [companies])
  return rows
}

async function hasClosedDays(client: ClientBase, changes: readonly AssetFacts[]): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM unnest($1::text[], $2::date[]) AS d (id, first) JOIN assets USING (id)
       JOIN companies c ON c.number = company AND first <= final_through) AS found`,
    [changes.map(({ asset_id }) => asset_id), changes.map(({ from_date }) => from_date)],
  )
  return rows[0]?.found === true
}

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
      return { companies, assets, sensors: await findSensorsOnlyAt(client, assets), facts: selectFacts(assets) }
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
      const assets = await queryNumbers(
        client,
        'SELECT number FROM assets WHERE $1::integer[] IS NOT NULL ORDER BY number',
        [],
      )
      return {
        ...nothing,
        facts: selectFacts(assets).map(facts => ({ ...facts, to: request.to })),
        forgotten: request.to,
      }
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

async function queryNumbers(client: ClientBase, query: string, values: readonly number[]): Promise<number[]> {
  const { rows } = await client.query<{ number: number }>(query, [values])
  return rows.map(({ number }) => number)
}

async function deleteSelection(client: ClientBase, selection: Selection): Promise<void> {
  const { companies, assets, sensors, facts, forgotten } = selection
  for (const each of facts) await deleteFacts(client, each)
  if (forgotten !== undefined) await client.query(FORGET, [forgotten])
  // While the assets exist, so that a closed month is found; what the ledger notes goes with them.
  if (assets.length > 0 && companies.length === 0) {
    await client.query('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED')
  }
  if (sensors.length > 0) await deleteSensors(client, sensors)
  if (assets.length > 0) await deleteInstallationsAt(client, assets)
  if (assets.length > 0) await client.query('DELETE FROM assets WHERE number = ANY ($1)', [assets])
  if (companies.length === 0) return
  await removeFromKeys(client, companies)
  await client.query('DELETE FROM companies WHERE number = ANY ($1)', [companies])
}

/** Removes days from the history. Public reasons are notes on these days, which copies have to read again. */
const FORGET = `
WITH forgotten AS (DELETE FROM former_totals WHERE date <= $1 RETURNING asset, until)
INSERT INTO touched (kind, asset)
  SELECT DISTINCT 'notes', asset FROM forgotten JOIN transactions v ON v.number = until WHERE v.note_is_public`
