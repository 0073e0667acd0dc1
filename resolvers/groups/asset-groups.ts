/** Resolvers for the totals of a group of assets. What several fields need is read once. */
import type { Dates } from '../../db/calendar/local-days'
import { buildConditions } from '../../db/queries/asset-filters'
import { type AssetChange, readAssetChanges } from '../../db/queries/groups/asset-changes'
import { readTotal } from '../../db/queries/groups/asset-groups'
import { readTopAssets, type TopAsset } from '../../db/queries/groups/asset-sums'
import { invalidParameter } from '../../schema/errors'
import type {
  GroupAssetResolvers,
  GroupImpressionsResolvers,
  GroupImpressionsTopArgs,
  RequireFields,
  ResolversParentTypes,
} from '../../schema/generated'
import type { Context } from '../context'
import { checkLimit } from '../limits/numbers'
import { checkRange, type DateRange, lengthOf } from '../limits/ranges'
import { checkGroups, MAX_ROWS } from '../limits/rows'
import { readGroupSeries } from '../series/group-series'
import { comparison, share } from '../series/ratios'
import { readHoursOfWeek, weekdayRows } from './typical-week'

type Group = ResolversParentTypes['GroupImpressions']

const toDates = ({ fromDate, toDate }: DateRange): Dates => [fromDate, toDate]

const loadTotal = (group: Group, { loaders, reader }: Context): Promise<number> =>
  loaders.once(group, 'total', () => readTotal(reader, buildConditions(group.filter), toDates(group)))

export const GroupImpressions: GroupImpressionsResolvers<Context> = {
  total: (group, _, context) => loadTotal(group, context),

  async top(group, args, context) {
    checkLimit(args.limit)
    const [total, rows] = await Promise.all([loadTotal(group, context), readTop(group, args, context)])
    return rows.flatMap(({ id, impressions, comparedWith = null }) =>
      impressions === null
        ? []
        : [{ assetId: id, share: share(impressions, total), ...compare(impressions, comparedWith), impressions }],
    )
  },

  async byWeekday(group, { groupBy }, { reader }) {
    const conditions = buildConditions(group.filter)
    if (groupBy) await checkGroups(reader, conditions, groupBy, Math.min(7, lengthOf(group)), MAX_ROWS)
    return weekdayRows(await readGroupSeries(reader, conditions, toDates(group), 'day', groupBy ?? undefined, false))
  },

  byHourOfWeek(group, _, { reader }) {
    checkRange(group, 'hour')
    return readHoursOfWeek(reader, buildConditions(group.filter), group)
  },

  async compare(group, range, context) {
    checkRange(range)
    const [total, other] = await Promise.all([
      loadTotal(group, context),
      readTotal(context.reader, buildConditions(group.filter), toDates(range)),
    ])
    return comparison(total, other)
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

/**
 * Reads the first assets: by impressions alone, there is a faster statement.
 *
 * @throws ApiError INVALID_PARAMETER for an order by the change without a range; and those of the range
 */
function readTop(
  group: Group,
  { limit, against, sort }: RequireFields<GroupImpressionsTopArgs, 'limit'>,
  { reader }: Context,
): Promise<(TopAsset & Partial<AssetChange>)[]> {
  const { by = 'impressions', descending = true } = sort ?? {}
  const [conditions, dates] = [buildConditions(group.filter), toDates(group)]
  if (!against && by === 'impressions' && descending) return readTopAssets(reader, conditions, dates, limit)
  if (against) checkRange(against)
  else if (by !== 'impressions') {
    throw invalidParameter('sort.by', by, 'impressions without against', 'A change needs the range to compare with.')
  }
  const others = against ? toDates(against) : undefined
  return readAssetChanges(reader, conditions, dates, others, { by, descending }, limit)
}

/** Returns the change between two ranges, of which one may have no data. */
function compare(impressions: number | null, comparedWith: number | null) {
  if (impressions === null || comparedWith === null) return { comparedWith, change: null, changeRate: null }
  return comparison(impressions, comparedWith)
}
