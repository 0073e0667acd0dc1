/** Resolvers for assets. A row is returned as it was read; only fields nested under it have resolvers. */
import { buildConditions, hasConditions } from '../db/queries/asset-filters'
import { countAssets, readAsset, readAssets, readMatchingAssets, readUnknownIds } from '../db/queries/assets'
import { ApiError } from '../schema/errors'
import type { AssetPageResolvers, AssetResolvers, Gap } from '../schema/generated'
import type { Context, Query } from './context'
import { describeAudience } from './demographics'
import { checkRange, toDates } from './limits/ranges'
import { checkLimit, cutPage, MAX_ROWS } from './limits/rows'
import { describeSensor } from './sensors'
import { listGaps } from './series/gaps'

export const asset: Query['asset'] = async (_, { id }, { reader }) => (await readAsset(reader, id)) ?? null

export const assets: Query['assets'] = async (_, { limit, after, filter = null }, { reader }) => {
  checkLimit(limit)
  const conditions = buildConditions(filter)
  // The list without conditions has a faster statement.
  const rows = hasConditions(conditions)
    ? readMatchingAssets(reader, conditions, after ?? '', limit + 1)
    : readAssets(reader, after ?? '', limit + 1)
  const [read, unknown] = await Promise.all([rows, readUnknownIds(reader, filter?.id)])
  return unknown.length > 0 ? null : { ...cutPage(read, limit), filter }
}

export const AssetPage: AssetPageResolvers<Context> = {
  count: ({ filter }, _, { reader }) => countAssets(reader, buildConditions(filter)),

  impressions({ filter }, range) {
    checkRange(range)
    return { filter, ...range }
  },

  async gaps({ nodes }, range, { loaders }) {
    checkRange(range)
    const dates = toDates(range)
    const assets = await Promise.all(nodes.map(({ id }) => loaders.gaps(dates).load(id)))
    const budget = { max: MAX_ROWS, left: MAX_ROWS }
    const gaps: Gap[] = []
    for (const asset of assets) if (asset) gaps.push(...(await listGaps(asset, dates, budget)))
    return gaps
  },
}

export const Asset: AssetResolvers<Context> = {
  company: async ({ companyId }, _, { loaders }) => present(await loaders.companies().load(companyId)),

  sensors: async ({ id }, _, { loaders, now }) =>
    ((await loaders.sensors().load(id)) ?? []).map(row => describeSensor(row, now)),

  installations: async ({ id }, _, { loaders }) => present(await loaders.installations().load(id)),

  impressions: ({ id }, range) => ({ assetId: id, ...range, nested: true }),

  async demographics({ id }, range, { loaders }) {
    checkRange(range)
    const found = present(await loaders.demographics(toDates(range)).load(id))
    return describeAudience(id, found, range)
  },
}

/** Returns a value that belongs to an asset that was just read. @throws ApiError NOT_FOUND if it has been deleted since */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ApiError('NOT_FOUND')
  return value
}
