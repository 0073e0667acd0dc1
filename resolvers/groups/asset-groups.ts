/** Resolvers for the totals of a group of assets. What several fields need is read once. */
import { buildConditions } from '../../db/queries/asset-filters'
import { readTotal } from '../../db/queries/groups/asset-groups'
import { invalidParameter } from '../../schema/errors'
import type { GroupAssetResolvers, GroupImpressionsResolvers, ResolversParentTypes } from '../../schema/generated'
import type { Context } from '../context'
import { checkRange, type DateRange, toDates } from '../limits/ranges'
import { checkLimit } from '../limits/rows'
import { share } from '../series/ratios'
import { nextTurn } from '../turns'
import { compareAssets, compareSums } from './comparisons'
import { type MeasuredAsset, measureAssets } from './measured-assets'

type Group = ResolversParentTypes['GroupImpressions']

const loadMeasured = (group: Group, range: DateRange, { loaders, reader }: Context): Promise<MeasuredAsset[]> =>
  loaders.once(group, `assets of ${toDates(range)}`, () =>
    measureAssets(reader, buildConditions(group.filter), toDates(range)),
  )

export const GroupImpressions: GroupImpressionsResolvers<Context> = {
  total: ({ filter, ...range }, _, { reader }) => readTotal(reader, buildConditions(filter), toDates(range)),

  async top(group, { limit, against, sort }, context) {
    checkLimit(limit)
    const { by = 'impressions', descending = true } = sort ?? {}
    if (against) checkRange(against)
    else if (by !== 'impressions') {
      throw invalidParameter('sort.by', by, 'impressions without against', 'A change needs the range to compare with.')
    }
    const [assets, others] = await Promise.all([
      loadMeasured(group, group, context),
      against ? loadMeasured(group, against, context) : [],
    ])
    // Each of several fields sorts all assets.
    await nextTurn()
    const total = assets.reduce((sum, { impressions }) => sum + (impressions ?? 0), 0)
    const rows = compareAssets(assets, others, { by, descending }, limit)
    return rows.map(row => ({ ...row, share: share(row.impressions, total) }))
  },

  async compare(group, range, context) {
    checkRange(range)
    const [assets, others] = await Promise.all([
      loadMeasured(group, group, context),
      loadMeasured(group, range, context),
    ])
    return compareSums(assets, others)
  },
}

export const GroupAsset: GroupAssetResolvers<Context> = {
  async name({ assetId }, _, { loaders }) {
    const asset = await loaders.assets().load(assetId)
    if (!asset) throw new Error('an asset of the group no longer exists')
    return asset.name
  },
}
