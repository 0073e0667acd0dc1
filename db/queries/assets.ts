/** Reads assets: one row per asset. */
import type { Knex } from 'knex'
import { type AssetRow, ATTRIBUTES } from '../assets/attributes'
import { COMPANY_SCOPE, inScope, type ScopedReader, type Statement } from '../postgres/scoped-reader'
import { type AssetFilter, whereMatches } from './asset-filters'
import { buildCount, buildOnce, idsOfPage, isOnPageOf, knex, parameter, readCount } from './statements'

const COLUMNS = ATTRIBUTES.map(({ field, sql }) => `${sql} AS "${field}"`).join(', ')

const IN_SCOPE = inScope('a.company')

const SELECT = `SELECT ${COLUMNS} FROM assets a JOIN asset_versions v ON v.asset = a.number WHERE ${IN_SCOPE}`

const ASSET: Statement = { name: 'asset', text: `${SELECT} AND a.id = $1` }

const ASSETS: Statement = {
  name: 'assets',
  text: `${SELECT} AND a.id = ANY (${idsOfPage('assets', '$1', '$2')}) ORDER BY a.id`,
}

const SOME_ASSETS: Statement = { name: 'assets-among-ids', text: `${SELECT} AND a.id = ANY ($1::text[])` }

/** The columns by which assets can be sorted besides their ids. Equal ones are in the order of their ids. */
const ORDERS = {
  name: 'lower(a.name)',
  created: 'a.created_at',
  updated: 'a.updated_at',
  measured_to: `coalesce(v.measured_to, '-infinity')`,
} as const

type AssetOrder = 'id' | keyof typeof ORDERS

type Direction = 'asc' | 'desc'

/** Looks up each version: joined otherwise, those of all companies may be read. */
const selectAssets = (): Knex.QueryBuilder =>
  knex
    .from('assets as a')
    .joinRaw('CROSS JOIN LATERAL (SELECT * FROM asset_versions WHERE asset = a.number OFFSET 0) AS v')
    .select(knex.raw(COLUMNS))
    .whereRaw(IN_SCOPE)

/** A page by ids reads no more rows than it has to. */
const sortedById = (direction: Direction): Knex.QueryBuilder =>
  selectAssets()
    .where(isOnPageOf(knex.from('assets as a').modify(whereMatches), 'a', direction))
    .orderBy('a.id', direction)

const sortedBy = (key: string, direction: Direction): Knex.QueryBuilder =>
  selectAssets()
    .whereRaw(
      `(:after = '' OR (${key}, a.id) ${direction === 'asc' ? '>' : '<'} (
        SELECT ${key}, a.id FROM assets a JOIN asset_versions v ON v.asset = a.number WHERE a.id = :after AND ${IN_SCOPE}))`,
      { after: parameter('after') },
    )
    .modify(whereMatches)
    // Knex's limit() takes no parameter.
    .orderByRaw(`${key} ${direction}, a.id ${direction} LIMIT :limit`, { limit: parameter('limit') })

const COUNT = buildCount<AssetFilter>('count-assets', knex.from('assets as a').whereRaw(IN_SCOPE).modify(whereMatches))

const UNKNOWN_IDS: Statement = {
  name: 'unknown-asset-ids',
  text: `SELECT id FROM unnest($1::text[]) AS id EXCEPT SELECT id FROM assets a WHERE ${IN_SCOPE} AND a.id = ANY ($1) ORDER BY id`,
}

/** Reads one id of each system and company: the next key after all those of a system is not below `system;`. */
const SYSTEMS: Statement = {
  name: 'external-systems',
  text: `WITH RECURSIVE found AS (
    SELECT scope.company, (SELECT min(key) FROM asset_external_ids e WHERE e.company = scope.company AND ${inScope('e.company')}) AS key
    FROM unnest(${COMPANY_SCOPE}) AS scope (company)
    UNION ALL
    SELECT company, (SELECT min(e.key) FROM asset_external_ids e WHERE e.company = found.company AND ${inScope('e.company')}
      AND e.key > split_part(found.key, ':', 1) || ';')
    FROM found WHERE key IS NOT NULL
  ) SELECT DISTINCT split_part(key, ':', 1) COLLATE "C" AS system FROM found WHERE key IS NOT NULL ORDER BY 1`,
}

/** Returns the names of the systems in which assets in scope have ids, ascending. */
export async function readSystems(reader: ScopedReader): Promise<string[]> {
  const rows = await reader.read<{ system: string }>(SYSTEMS)
  return rows.map(({ system }) => system)
}

/** Returns the asset with this id; undefined when it is unknown or out of scope. */
export async function readAsset(reader: ScopedReader, id: string): Promise<AssetRow | undefined> {
  const [asset] = await reader.read<AssetRow>(ASSET, [id])
  return asset
}

/** Reads up to `limit` assets after the id `after` ('' for the first page), by ascending id. */
export function readAssets(reader: ScopedReader, after: string, limit: number): Promise<AssetRow[]> {
  return reader.read(ASSETS, [after, limit])
}

/** Returns the assets with these ids that are in scope, in no order. */
export function readSomeAssets(reader: ScopedReader, ids: readonly string[]): Promise<AssetRow[]> {
  return reader.read(SOME_ASSETS, [ids])
}

/**
 * Returns up to `limit` assets that match a filter, in an order, after the one with the id `after` ('' for the first
 * page).
 */
export function readAssetsInOrder(
  reader: ScopedReader,
  filter: AssetFilter,
  order: AssetOrder,
  descending: boolean,
  after: string,
  limit: number,
): Promise<AssetRow[]> {
  const direction = descending ? 'desc' : 'asc'
  const statement = buildOnce<object>(`assets-by-${order}-${direction}`, () =>
    order === 'id' ? sortedById(direction) : sortedBy(ORDERS[order], direction),
  )
  return reader.read(statement, statement.bindValues({ ...filter, after, limit }))
}

/** Returns the ids of a filter that are unknown or out of scope, ascending. Without ids, nothing is read. */
export async function readUnknownIds(
  reader: ScopedReader,
  ids: readonly string[] | null | undefined,
): Promise<string[]> {
  if (ids == null) return []
  const unknown = await reader.read<{ id: string }>(UNKNOWN_IDS, [ids])
  return unknown.map(({ id }) => id)
}

/** Returns the number of assets that match a filter. */
export const countAssets = (reader: ScopedReader, filter: AssetFilter): Promise<number> =>
  readCount(reader, COUNT, filter)
