/** Resolvers for the totals of a group of assets. What several fields need is read once. */

import type { GroupBy } from '../../db/assets/attributes'
import type { Dates } from '../../db/calendar/local-days'
import { buildConditions } from '../../db/queries/asset-filters'
import { countAssets } from '../../db/queries/assets'
import { readCompanies } from '../../db/queries/companies'
import { type AssetChange, readAssetChanges } from '../../db/queries/groups/asset-changes'
import { readSums, type Sum } from '../../db/queries/groups/asset-groups'
import { readTopAssets } from '../../db/queries/groups/asset-sums'
import { readAssetsWithCounts } from '../../db/queries/groups/measured-assets'
import { ApiError } from '../../schema/errors'
import type {
  GroupAssetResolvers,
  GroupImpressionsByAssetArgs,
  GroupImpressionsResolvers,
  ResolversParentTypes,
} from '../../schema/generated'
import type { Context } from '../context'
import { checkLimit } from '../limits/pages'
import { checkRange, type DateRange } from '../limits/ranges'
import { checkRows, MAX_ROWS } from '../limits/rows'
import { readGroupSeries } from '../series/group-series'
import { share } from '../series/ratios'
import { bucketRows } from './aggregates'
import { comparison } from './comparisons'
import { readHoursOfWeek, weekdayRows } from './typical-week'

type Group = ResolversParentTypes['GroupImpressions']

const toDates = ({ fromDate, toDate }: DateRange): Dates => [fromDate, toDate]

const readTotal = (group: Group, { loaders, reader }: Context): Promise<number> =>
  loaders.once(group, 'total', async () =>
    addImpressions(await readSums(reader, buildConditions(group.filter), toDates(group))),
  )

const addImpressions = (sums: readonly Sum[]): number => sums.reduce((total, { impressions }) => total + impressions, 0)

export const GroupImpressions: GroupImpressionsResolvers<Context> = {
  total: (group, _, context) => readTotal(group, context),

  assetCount: (group, _, { reader }) => countAssets(reader, buildConditions(group.filter)),

  async daysWithData(group, _, { reader }) {
    const days = await readAssetsWithCounts(reader, buildConditions(group.filter), toDates(group), 'day')
    return days.filter(({ assets }) => assets > 0).length
  },

  async series(group, { grain, groupBy }, { reader }) {
    const conditions = buildConditions(group.filter)
    const series = await readGroupSeries(reader, conditions, toDates(group), grain, groupBy ?? undefined, false)
    return (await bucketRows(series, MAX_ROWS)).map(({ start, ...row }) => ({ date: start!, ...row }))
  },

  async byCompany(group, _, context) {
    const [companies, rows] = await Promise.all([readCompanies(context.reader), readShares(group, 'company', context)])
    const byId = new Map(rows.map(({ id, ...row }) => [id, row]))
    return companies
      .map(company => ({ company, ...{ impressions: 0, share: 0, assetCount: 0 }, ...byId.get(company.id) }))
      .sort((a, b) => b.impressions - a.impressions)
  },

  async byRegion(group, _, context) {
    const rows = await readShares(group, 'region', context)
    const nameOfPlace = ({ country, region }: Sum) => `${country} ${region ?? '~'}`
    rows.sort((a, b) => b.impressions - a.impressions || (nameOfPlace(a) < nameOfPlace(b) ? -1 : 1))
    return rows.map(({ country, region, ...row }) => ({ country: String(country), region: region ?? null, ...row }))
  },

  async top(group, { limit, ...compared }, context) {
    checkLimit(limit)
    const [total, rows] = await Promise.all([readTotal(group, context), readTop(group, limit, compared, context)])
    return rows.flatMap(({ id, impressions, comparedWith = null }) =>
      impressions === null
        ? []
        : [{ assetId: id, share: share(impressions, total), ...compare(impressions, comparedWith), impressions }],
    )
  },

  async byAsset(group, compared, context) {
    const rows = await readChanges(group, null, compared, context)
    checkRows(rows.length, MAX_ROWS)
    return rows.map(({ id, name, impressions, daysWithData, comparedWith }) => ({
      ...{ assetId: id, name, assetsWithData: Math.min(daysWithData, 1), daysWithData },
      ...compare(impressions, comparedWith),
      impressions,
    }))
  },

  async byWeekday(group, { groupBy }, { reader }) {
    const conditions = buildConditions(group.filter)
    return weekdayRows(await readGroupSeries(reader, conditions, toDates(group), 'day', groupBy ?? undefined, false))
  },

  byHourOfWeek(group, _, { reader }) {
    checkRange(group, 'hour')
    return readHoursOfWeek(reader, buildConditions(group.filter), group)
  },

  async compare(group, range, context) {
    checkRange(range)
    const [total, other] = await Promise.all([
      readTotal(group, context),
      readSums(context.reader, buildConditions(group.filter), toDates(range)),
    ])
    return comparison(total, addImpressions(other))
  },
}

async function loadAsset({ assetId }: { assetId: string }, _: object, { loaders }: Context) {
  const asset = await loaders.assets().load(assetId)
  if (!asset) throw new Error('an asset of the group no longer exists')
  return asset
}

export const GroupAsset: GroupAssetResolvers<Context> = {
  asset: loadAsset,
  name: async (...args) => (await loadAsset(...args)).name,
}

/** Reads the first assets: by impressions alone, there is a faster statement. */
function readTop(group: Group, limit: number, compared: GroupImpressionsByAssetArgs, context: Context) {
  const { against, sort } = compared
  const isPlain = !against && (sort?.by ?? 'impressions') === 'impressions' && sort?.descending !== false
  return isPlain
    ? (readTopAssets(context.reader, buildConditions(group.filter), toDates(group), limit) as Promise<
        Pick<AssetChange, 'id' | 'impressions' | 'comparedWith'>[]
      >)
    : readChanges(group, limit, compared, context)
}

/** @throws ApiError INVALID_PARAMETER for an order by the change without a range; and those of the range */
function readChanges(
  group: Group,
  limit: number | null,
  { against, sort }: GroupImpressionsByAssetArgs,
  { reader }: Context,
): Promise<AssetChange[]> {
  const { by = 'impressions', descending = true } = sort ?? {}
  if (against) checkRange(against)
  else if (by !== 'impressions') {
    const details = { parameter: 'sort.by', value: by, expected: '`impressions`, or any with `against`' }
    throw new ApiError('INVALID_PARAMETER', details, `sort.by ${by} needs against: the range to compare with.`)
  }
  const other = against ? toDates(against) : undefined
  return readAssetChanges(reader, buildConditions(group.filter), toDates(group), other, { by, descending }, limit)
}

/** Returns the change between two ranges, of which one may have no data. */
function compare(impressions: number | null, comparedWith: number | null) {
  if (impressions === null || comparedWith === null) return { comparedWith, change: null, changeRate: null }
  return comparison(impressions, comparedWith)
}

/** Returns the groups that have assets, with their share of the total. */
async function readShares(group: Group, by: GroupBy, { reader }: Context) {
  const filter = buildConditions(group.filter)
  const [sums, counted] = await Promise.all([
    readSums(reader, filter, toDates(group), by),
    readAssetsWithCounts(reader, filter, toDates(group), 'range', by),
  ])
  const keyOf = ({ id, country, region }: Omit<Sum, 'impressions'>) => JSON.stringify([id, country, region])
  const totals = new Map<string, number>()
  for (const sum of sums) totals.set(keyOf(sum), (totals.get(keyOf(sum)) ?? 0) + sum.impressions)
  const total = addImpressions(sums)
  return counted.map(({ bucket: _, assets: _assets, matching: _matching, ofGroup: assetCount = 0, ...attributes }) => {
    const impressions = totals.get(keyOf(attributes)) ?? 0
    return { ...attributes, impressions, share: share(impressions, total), assetCount }
  })
}
