/** Resolvers for the totals of a group of assets. What several fields need is read once. */
import type { Dates } from '../../db/calendar/local-days'
import { buildConditions } from '../../db/queries/asset-filters'
import { readTotal } from '../../db/queries/groups/asset-groups'
import { readTopAssets } from '../../db/queries/groups/asset-sums'
import { invalidParameter } from '../../schema/errors'
import type { GroupAssetResolvers, GroupImpressionsResolvers, ResolversParentTypes } from '../../schema/generated'
import type { Context } from '../context'
import { checkLimit } from '../limits/numbers'
import { checkRange, type DateRange } from '../limits/ranges'
import { isSelected } from '../selection'
import { share } from '../series/ratios'
import { nextTurn } from '../turns'
import { type ComparedRow, compareAssets, compareSums, type Order } from './comparisons'
import { type MeasuredAsset, measureAssets } from './measured-assets'

type Group = ResolversParentTypes['GroupImpressions']

const toDates = ({ fromDate, toDate }: DateRange): Dates => [fromDate, toDate]

const loadTotal = (group: Group, { loaders, reader }: Context): Promise<number> =>
  loaders.once(group, 'total', () => readTotal(reader, buildConditions(group.filter), toDates(group)))

const loadMeasured = (group: Group, range: DateRange, { loaders, reader }: Context): Promise<MeasuredAsset[]> =>
  loaders.once(group, `assets of ${toDates(range)}`, () =>
    measureAssets(reader, buildConditions(group.filter), toDates(range)),
  )

export const GroupImpressions: GroupImpressionsResolvers<Context> = {
  total: (group, _, context) => loadTotal(group, context),

  async top(group, { limit, against, sort }, context, info) {
    checkLimit(limit)
    const { by = 'impressions', descending = true } = sort ?? {}
    if (against) checkRange(against)
    else if (by !== 'impressions') {
      throw invalidParameter('sort.by', by, 'impressions without against', 'A change needs the range to compare with.')
    }
    // By impressions alone, there is a faster statement.
    const isPlain = !against && descending && !isSelected(info, ['daysWithData', 'coverage'])
    const [total, rows] = await Promise.all([
      loadTotal(group, context),
      isPlain ? readTop(group, limit, context) : readCompared(group, against, { by, descending }, limit, context),
    ])
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

async function loadAsset({ assetId }: { assetId: string }, _: object, { loaders }: Context) {
  const asset = await loaders.assets().load(assetId)
  if (!asset) throw new Error('an asset of the group no longer exists')
  return asset
}

export const GroupAsset: GroupAssetResolvers<Context> = {
  asset: loadAsset,
  name: async (group, args, context) => (await loadAsset(group, args, context)).name,
}

/** Reads the first assets, whose other figures are not selected. Those without counts may be missing. */
async function readTop({ filter, ...range }: Group, limit: number, { reader }: Context): Promise<ComparedRow[]> {
  const rows = await readTopAssets(reader, buildConditions(filter), toDates(range), limit)
  const assets = rows.map(row => ({ ...row, daysWithData: 0, observed: 0, expected: 0 }))
  return compareAssets(assets, [], { by: 'impressions', descending: true }, limit)
}

/** Reads the first assets, compared with themselves in another range if there is one. */
async function readCompared(
  group: Group,
  against: DateRange | null | undefined,
  order: Order,
  limit: number,
  context: Context,
): Promise<ComparedRow[]> {
  const [assets, others] = await Promise.all([
    loadMeasured(group, group, context),
    against ? loadMeasured(group, against, context) : [],
  ])
  // Each of several fields sorts all assets.
  await nextTurn()
  return compareAssets(assets, others, order, limit)
}
