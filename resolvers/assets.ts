/** Resolvers for assets. A row is returned as it was read; only fields nested under it have resolvers. */
import type { GraphQLFieldResolver } from 'graphql'
import { reachOf } from '../db/queries/asset-filters'
import {
  type AssetRow,
  countAssets,
  readAsset,
  readAssets,
  readAssetsInOrder,
  readRawAssets,
  readRawMatchingAssets,
  readUnknownIds,
} from '../db/queries/assets'
import { readAggregateDemographics } from '../db/queries/groups/group-demographics'
import { ApiError } from '../schema/errors'
import type { AssetFilter, AssetPageResolvers, AssetResolvers, InputMaybe } from '../schema/generated'
import { conditionsOf } from './conditions'
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
  const conditions = conditionsOf(filter)
  // The list without conditions has a faster statement.
  const rows =
    reachOf(conditions) === 'all' && sort === null
      ? await readAssets(reader, after ?? '', limit + 1)
      : await readAssetsInOrder(reader, conditions, sort?.by ?? 'id', sort?.descending ?? false, after ?? '', limit + 1)
  return { ...pageOf(rows, limit, page => [...page]), filter }
}

const MAPPING: NodeMapping<AssetRow> = { typeName: 'Asset', toNode: row => row }

/** The arguments of a list of assets. */
export type FilteredPage = PageArguments & { filter?: InputMaybe<AssetFilter> }

/** The list that partners page through, as JSON. */
export const rawAssets: GraphQLFieldResolver<
  unknown,
  Context,
  FilteredPage,
  Promise<Page<RawJson> & { filter: InputMaybe<AssetFilter> }>
> = async (_, { limit, after, filter }, { reader, now }, info) => {
  const conditions = conditionsOf(filter ?? null)
  const page = await rawPage(info, MAPPING, limit, now, rows =>
    reachOf(conditions) === 'all'
      ? readRawAssets(reader, after ?? '', rows)
      : readRawMatchingAssets(reader, conditions, after ?? '', rows),
  )
  return { ...page, filter: filter ?? null }
}

export const AssetPage: AssetPageResolvers<Context> = {
  unknownIds: ({ filter }, _, { reader }) => (filter?.id ? readUnknownIds(reader, filter.id) : []),

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

/** What belongs to an asset that was just read is there. */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ApiError('NOT_FOUND')
  return value
}
