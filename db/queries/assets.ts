/** Reads assets, one row an asset, from their own table alone. */
import type { Asset } from '../../schema/generated'
import { grainName } from '../calendar/grains'
import { COMPANY_SCOPE, type RawRow, type ScopedReader, type Statement } from '../postgres/scoped-reader'
import { type AssetFilter, matching, valuesOf } from './asset-filters'
import { idsOfPage } from './pages'

/** An asset as it is read; what is nested under it is read apart. */
export type AssetRow = Omit<Asset, 'company' | 'sensors' | 'impressions' | 'demographics'>

const SELECT = `
SELECT a.id, a.legacy_id AS "legacyId", a.company_id AS "companyId", a.name, a.description, a.media_type AS "mediaType", a.format,
  a.venue_type_id AS "venueTypeId", a.status, a.indoors, a.facing_degrees AS "facingDegrees", a.width_m AS "widthM",
  a.height_m AS "heightM", a.latitude, a.longitude, a.address, a.city, a.region, a.postal_code AS "postalCode", a.country,
  a.time_zone AS "timeZone", ${grainName('a.sensor_minutes')} AS "finestGrain", a.sensor_ids AS "sensorIds",
  a.measured_from AS "measuredFrom", a.measured_to AS "measuredTo", a.created_at AS "createdAt", a.updated_at AS "updatedAt"
FROM assets a
WHERE a.company = ANY (${COMPANY_SCOPE})`

const ASSET: Statement = { name: 'asset', text: `${SELECT} AND a.id = $1` }

const ASSETS: Statement = {
  name: 'assets',
  text: `${SELECT} AND a.id = ANY (${idsOfPage('assets', '$1', '$2')}) ORDER BY a.id`,
}

const SOME_ASSETS: Statement = { name: 'assets-among-ids', text: `${SELECT} AND a.id = ANY ($1::text[])` }

/** By what assets can be put in order; the id decides between equals. */
const ORDERS = {
  id: 'a.id',
  name: 'lower(a.name)',
  created: 'a.created_at',
  updated: 'a.updated_at',
  measured_to: `coalesce(a.measured_to, '-infinity')`,
} as const

export type AssetOrder = keyof typeof ORDERS

const inOrder = (order: AssetOrder, direction: 'ASC' | 'DESC'): Statement => ({
  name: `assets-by-${order}-${direction.toLowerCase()}`,
  text: `${SELECT}
  AND ($1 = '' OR (${ORDERS[order]}, a.id) ${direction === 'ASC' ? '>' : '<'} (
    SELECT ${ORDERS[order]}, a.id FROM assets a WHERE a.id = $1 AND a.company = ANY (${COMPANY_SCOPE})))
  AND ${matching(3)}
ORDER BY ${ORDERS[order]} ${direction}, a.id ${direction} LIMIT $2`,
})

const IN_ORDER = Object.fromEntries(
  (Object.keys(ORDERS) as AssetOrder[]).map(order => [
    order,
    { up: inOrder(order, 'ASC'), down: inOrder(order, 'DESC') },
  ]),
) as Record<AssetOrder, { up: Statement; down: Statement }>

const COUNT: Statement = {
  name: 'count-assets',
  text: `SELECT count(*)::integer AS count FROM assets a WHERE a.company = ANY (${COMPANY_SCOPE}) AND ${matching(1)}`,
}

/** The asset of this id, undefined when it is unknown or out of scope. */
export async function readAsset(reader: ScopedReader, id: string): Promise<AssetRow | undefined> {
  const [asset] = await reader.read<AssetRow>(ASSET, [id])
  return asset
}

/** Up to `limit` assets by ascending id, from the one behind `after` on ('' for the first). */
export function readAssets(reader: ScopedReader, after: string, limit: number): Promise<AssetRow[]> {
  return reader.read(ASSETS, [after, limit])
}

/** The same, undecoded. */
export function readRawAssets(reader: ScopedReader, after: string, limit: number): Promise<RawRow[]> {
  return reader.readRaw(ASSETS, [after, limit])
}

/** The assets of these ids that are in scope, in no order. */
export function readSomeAssets(reader: ScopedReader, ids: readonly string[]): Promise<AssetRow[]> {
  return reader.read(SOME_ASSETS, [ids])
}

/** Up to `limit` of the assets that a filter leaves, in an order, from the one behind `after` on ('' for the first). */
export function readAssetsInOrder(
  reader: ScopedReader,
  filter: AssetFilter,
  order: AssetOrder,
  descending: boolean,
  after: string,
  limit: number,
): Promise<AssetRow[]> {
  return reader.read(IN_ORDER[order][descending ? 'down' : 'up'], [after, limit, ...valuesOf(filter)])
}

/** How many assets a filter leaves. */
export async function countAssets(reader: ScopedReader, filter: AssetFilter): Promise<number> {
  const [row] = await reader.read<{ count: number }>(COUNT, valuesOf(filter))
  return row?.count ?? 0
}
