/** Resolvers for the totals of a group of assets. Each field reads with one statement. */
import { dateOf, dayNumber } from '../db/calendar/local-days'
import { readByCompany, readByDate, readByRegion, readTop, readTotal, type Sum } from '../db/queries/asset-groups'
import type { GroupAssetResolvers, GroupImpressionsResolvers, ResolversParentTypes } from '../schema/generated'
import { conditionsOf } from './assets'
import { comparison } from './comparisons'
import type { Context } from './context'
import { checkLimit } from './limits/pages'
import { checkRange, lengthOf } from './limits/ranges'
import { share } from './ratios'
import { periodOf } from './series/series'

type Group = ResolversParentTypes['GroupImpressions']

const datesOf = ({ fromDate, toDate }: { fromDate: string; toDate: string }) => [fromDate, toDate] as const

const totalOf = (group: Group, { loaders, reader }: Context) =>
  loaders.once(group, 'total', () => readTotal(reader, conditionsOf(group.filter), datesOf(group)))

export const GroupImpressions: GroupImpressionsResolvers<Context> = {
  total: async (group, _, context) => (await totalOf(group, context)).impressions,

  assetCount: async (group, _, context) => (await totalOf(group, context)).assetCount,

  daysWithData: async (group, _, context) => (await totalOf(group, context)).daysWithData,

  async series(group, { grain }, { reader }) {
    const sums = new Map<string, number>()
    for (const { date, impressions } of await readByDate(reader, conditionsOf(group.filter), datesOf(group))) {
      sums.set(date, impressions)
    }
    const buckets: { date: string; impressions: number | null }[] = []
    let period: number | undefined
    for (let i = 0; i < lengthOf(group); i++) {
      const date = dateOf(dayNumber(group.fromDate) + i)
      if (periodOf(date, grain) !== period) buckets.push({ date, impressions: null })
      period = periodOf(date, grain)
      const sum = sums.get(date)
      const bucket = buckets[buckets.length - 1]
      if (sum !== undefined && bucket) bucket.impressions = (bucket.impressions ?? 0) + sum
    }
    return buckets
  },

  async byCompany(group, _, { reader }) {
    const rows = shared(await readByCompany(reader, conditionsOf(group.filter), datesOf(group)))
    return rows.map(({ id, name, ...row }) => ({ company: { id, name }, ...row }))
  },

  byRegion: async (group, _, { reader }) =>
    shared(await readByRegion(reader, conditionsOf(group.filter), datesOf(group))),

  async top(group, { limit }, context) {
    checkLimit(limit)
    const { impressions: total } = await totalOf(group, context)
    const rows = await readTop(context.reader, conditionsOf(group.filter), datesOf(group), limit)
    return rows.map(({ id, impressions }) => ({ assetId: id, impressions, share: share(impressions, total) }))
  },

  async compare(group, range, context) {
    checkRange(range)
    const other = readTotal(context.reader, conditionsOf(group.filter), datesOf(range))
    return comparison((await totalOf(group, context)).impressions, (await other).impressions)
  },
}

export const GroupAsset: GroupAssetResolvers<Context> = {
  async asset({ assetId }, _, { loaders }) {
    const asset = await loaders.assets().load(assetId)
    if (!asset) throw new Error('an asset of the group no longer exists')
    return asset
  },
}

function shared<Row extends Sum>(rows: Row[]): (Row & { share: number })[] {
  const total = rows.reduce((sum, { impressions }) => sum + impressions, 0)
  return rows.map(row => ({ ...row, share: share(row.impressions, total) }))
}
