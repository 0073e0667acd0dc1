/** Reads assets: one row per asset. */
import { type AssetRow, ATTRIBUTES, GROUPS, type Group, type GroupBy } from '../assets/attributes'
import { COMPANY_SCOPE, inScope, type ScopedReader } from '../postgres/scoped-reader'
import { type AssetFilter, MATCHES } from './asset-filters'
import { idsOfPage, named, readRow, readRows } from './statements'

const COLUMNS = ATTRIBUTES.map(({ field, sql }) => `${sql} AS "${field}"`).join(', ')

const IN_SCOPE = inScope('a.company')

const SELECT = `SELECT ${COLUMNS} FROM assets a JOIN asset_versions v ON v.asset = a.number WHERE ${IN_SCOPE}`

/** Reads one id of each system and company: the next key after all those of a system is not below `system;`. */
const SYSTEMS = `
WITH RECURSIVE found AS (
  SELECT scope.company, (SELECT min(key) FROM asset_external_ids e WHERE e.company = scope.company AND ${inScope('e.company')}) AS key
  FROM unnest(${COMPANY_SCOPE}) AS scope (company)
  UNION ALL
  SELECT company, (SELECT min(e.key) FROM asset_external_ids e WHERE e.company = found.company AND ${inScope('e.company')}
    AND e.key > split_part(found.key, ':', 1) || ';')
  FROM found WHERE key IS NOT NULL
) SELECT DISTINCT split_part(key, ':', 1) COLLATE "C" AS system FROM found WHERE key IS NOT NULL ORDER BY 1`

/** Returns the names of the systems in which assets in scope have ids, ascending. */
export async function readSystems(reader: ScopedReader): Promise<string[]> {
  const rows = await readRows<{ system: string }>(reader, 'external-systems', () => SYSTEMS)
  return rows.map(({ system }) => system)
}

/** Returns the asset with this id; undefined when it is unknown or out of scope. */
export const readAsset = (reader: ScopedReader, id: string): Promise<AssetRow | undefined> =>
  readRow(reader, 'asset', () => `${SELECT} AND a.id = :id`, { id })

/** Reads up to `limit` assets after the id `after` ('' for the first page), by ascending id. */
export const readAssets = (reader: ScopedReader, after: string, limit: number): Promise<AssetRow[]> =>
  readRows(reader, 'assets', () => `${SELECT} AND a.id = ANY (${idsOfPage('assets a', 'a')}) ORDER BY a.id`, {
    after,
    limit,
  })

/** Returns the assets with these ids that are in scope, in no order. */
export const readSomeAssets = (reader: ScopedReader, ids: readonly string[]): Promise<AssetRow[]> =>
  readRows(reader, 'assets-among-ids', () => `${SELECT} AND a.id = ANY (:ids::text[])`, { ids })

/** Returns up to `limit` assets that match a filter, after the id `after`, by ascending id. */
export function readMatchingAssets(
  reader: ScopedReader,
  filter: AssetFilter,
  after: string,
  limit: number,
): Promise<AssetRow[]> {
  // Each version is looked up: joined otherwise, those of all companies may be read.
  const sql = () => `SELECT ${COLUMNS} FROM assets a
    CROSS JOIN LATERAL (SELECT * FROM asset_versions WHERE asset = a.number OFFSET 0) AS v
    WHERE ${IN_SCOPE} AND a.id = ANY (${idsOfPage('assets a', 'a', MATCHES)}) ORDER BY a.id`
  return readRows(reader, 'matching-assets', sql, { ...filter, after, limit })
}

const UNKNOWN_IDS = `SELECT id FROM unnest(:ids::text[]) AS id
  EXCEPT SELECT id FROM assets a WHERE ${IN_SCOPE} AND a.id = ANY (:ids) ORDER BY id`

/** Returns the ids of a filter that are unknown or out of scope, ascending. Without ids, nothing is read. */
export async function readUnknownIds(
  reader: ScopedReader,
  ids: readonly string[] | null | undefined,
): Promise<string[]> {
  if (ids == null) return []
  const unknown = await readRows<{ id: string }>(reader, 'unknown-asset-ids', () => UNKNOWN_IDS, { ids })
  return unknown.map(({ id }) => id)
}

const MATCHING = `FROM assets a WHERE ${IN_SCOPE} AND ${MATCHES}`

export async function countAssets(reader: ScopedReader, filter: AssetFilter): Promise<number> {
  const sql = () => `SELECT count(*)::integer AS count ${MATCHING}`
  const row = await readRow<{ count: number }>(reader, 'count-assets', sql, filter)
  return row!.count
}

/** The groups that assets make up by an attribute, in no order: their number, and of each the number of assets. */
export interface Groups {
  by: GroupBy
  number: number
  rows: (Group & { count: number; number: number })[]
}

/** Returns the groups of the assets that match a filter. Of more than `most`, their number and one row are read. */
export async function readGroups(
  reader: ScopedReader,
  filter: AssetFilter,
  by: GroupBy,
  most: number,
): Promise<Groups> {
  const counts = 'count(*)::integer AS count, (count(*) OVER ())::integer AS number, row_number() OVER () AS row_number'
  const sql = () => `SELECT * FROM (
    SELECT ${named(GROUPS[by])}, ${counts} ${MATCHING} GROUP BY ${Object.values(GROUPS[by])}
  ) AS g WHERE number <= :most OR row_number = 1`
  const rows = await readRows<Groups['rows'][number]>(reader, `groups-by-${by}`, sql, { ...filter, most })
  return { by, number: rows[0]?.number ?? 0, rows }
}
