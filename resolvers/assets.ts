/** Resolvers for assets. A row is returned as it was read; only fields nested under it have resolvers. */
import { buildConditions, chooseSource } from '../db/queries/asset-filters'
import { countAssets, readAsset, readAssets, readAssetsInOrder, readUnknownIds } from '../db/queries/assets'
import { ApiError } from '../schema/errors'
import type { AssetPageResolvers, AssetResolvers } from '../schema/generated'
import type { Context, Query } from './context'
import { computeGroups } from './demographics'
import { checkLimit, cutPage } from './limits/numbers'
import { checkRange } from './limits/ranges'
import { describeSensor } from './sensors'

export const asset: Query['asset'] = async (_, { id }, { reader }) => (await readAsset(reader, id)) ?? null

export const assets: Query['assets'] = async (_, { limit, after, filter = null, sort = null }, { reader }) => {
  checkLimit(limit)
  const conditions = buildConditions(filter)
  // The list without conditions has a faster statement.
  const rows =
    chooseSource(conditions) === 'all' && sort === null
      ? readAssets(reader, after ?? '', limit + 1)
      : readAssetsInOrder(reader, conditions, sort?.by ?? 'id', sort?.descending ?? false, after ?? '', limit + 1)
  const [read, unknown] = await Promise.all([rows, readUnknownIds(reader, filter?.id)])
  return unknown.length > 0 ? null : { ...cutPage(read, limit), filter }
}

export const AssetPage: AssetPageResolvers<Context> = {
  count: ({ filter }, _, { reader }) => countAssets(reader, buildConditions(filter)),

  impressions({ filter }, range) {
    checkRange(range)
    return { filter, ...range }
  },
}

export const Asset: AssetResolvers<Context> = {
  company: async ({ companyId }, _, { loaders }) => present(await loaders.companies().load(companyId)),

  sensors: async ({ id }, _, { loaders, now }) =>
    ((await loaders.sensors().load(id)) ?? []).map(row => describeSensor(row, now)),

  impressions: ({ id }, range) => ({ assetId: id, ...range, nested: true }),

  async demographics({ id }, range, { loaders }) {
    checkRange(range)
    const cells = present(await loaders.demographics([range.fromDate, range.toDate]).load(id))
    return { assetId: id, ...computeGroups(cells, range) }
  },
}

/** Returns a value that belongs to an asset that was just read. @throws ApiError NOT_FOUND if it has been deleted since */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ApiError('NOT_FOUND')
  return value
}
