/** Resolvers for assets. A row is returned as it was read; only fields nested under it have resolvers. */
import type { GraphQLFieldResolver } from 'graphql'
import type { AssetFilter as Conditions } from '../db/queries/asset-filters'
import {
  type AssetRow,
  countAssets,
  readAsset,
  readAssets,
  readAssetsInOrder,
  readRawAssets,
} from '../db/queries/assets'
import { readAggregateDemographics } from '../db/queries/groups/group-demographics'
import { ApiError } from '../schema/errors'
import type { AssetFilter, AssetPageResolvers, AssetResolvers, InputMaybe } from '../schema/generated'
import type { Context, Query } from './context'
import { groupsOf } from './demographics'
import { type NodeMapping, rawPage } from './json/page-json'
import type { RawJson } from './json/raw-json'
import { checkLimit, type Page, type PageArguments, pageOf } from './limits/pages'
import { checkRange } from './limits/ranges'
import { sensorOf } from './sensors'

export const asset: Query['asset'] = async (_, { id }, { reader }) => (await readAsset(reader, id)) ?? null

export const assets: Query['assets'] = async (_, { limit, after, filter = null, sort = null }, { reader }) => {
  checkLimit(limit)
  // The list without conditions has a faster statement.
  const rows =
    filter === null && sort === null
      ? await readAssets(reader, after ?? '', limit + 1)
      : await readAssetsInOrder(
          reader,
          conditionsOf(filter),
          sort?.by ?? 'id',
          sort?.descending ?? false,
          after ?? '',
          limit + 1,
        )
  return { ...pageOf(rows, limit, page => [...page]), filter }
}

const MAPPING: NodeMapping<AssetRow> = { typeName: 'Asset', toNode: row => row }

/** The list that partners page through, as JSON. */
export const rawAssets: GraphQLFieldResolver<unknown, Context, PageArguments, Promise<Page<RawJson>>> = (
  _,
  { limit, after },
  { reader, now },
  info,
) => rawPage(info, MAPPING, limit, now, rows => readRawAssets(reader, after ?? '', rows))

export const AssetPage: AssetPageResolvers<Context> = {
  count: ({ filter }, _, { reader }) => countAssets(reader, conditionsOf(filter)),

  impressions({ filter }, range) {
    checkRange(range)
    return { filter, ...range }
  },

  async demographics({ filter }, range, { reader }) {
    checkRange(range)
    const { ids, ...conditions } = conditionsOf(filter)
    const found = await readAggregateDemographics(reader, [range.fromDate, range.toDate], {
      ...conditions,
      ids: ids ?? null,
    })
    if (!found) throw new ApiError('NOT_FOUND')
    return { assetCount: found.assetCount, ...groupsOf(found.cells, range) }
  },
}

export const Asset: AssetResolvers<Context> = {
  company: async ({ companyId }, _, { loaders }) => present(await loaders.companies().load(companyId)),

  sensors: async ({ id }, _, { loaders, now }) =>
    ((await loaders.sensors().load(id)) ?? []).map(row => sensorOf(row, now)),

  impressions: ({ id }, range) => ({ assetId: id, ...range, nested: true }),

  async demographics({ id }, range, { loaders }) {
    checkRange(range)
    const cells = present(await loaders.demographics([range.fromDate, range.toDate]).load(id))
    return { assetId: id, ...groupsOf(cells, range) }
  },
}

/** A filter as the database takes it. */
export function conditionsOf(filter: InputMaybe<AssetFilter>): Conditions {
  if (!filter) return {}
  const { box, near } = filter
  return {
    ids: filter.id ?? null,
    companyIds: filter.companyId ?? null,
    countries: filter.country ?? null,
    regions: filter.region ?? null,
    cities: filter.city ?? null,
    venueTypeIds: filter.venueTypeId ?? null,
    mediaTypes: filter.mediaType ?? null,
    formats: filter.format ?? null,
    statuses: filter.status ?? null,
    nameContains: filter.nameContains ?? null,
    box: box ? [box.south, box.west, box.north, box.east] : null,
    near: near ? [near.latitude, near.longitude, near.meters] : null,
    hasOwnSensor: filter.hasOwnSensor ?? null,
  }
}

/** What belongs to an asset that was just read is there. */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ApiError('NOT_FOUND')
  return value
}
