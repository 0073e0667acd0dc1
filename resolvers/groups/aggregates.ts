/** Resolvers for aggregated impressions: all assets that match a filter as one table. */
import { buildConditions } from '../../db/queries/asset-filters'
import { countAssets, type Groups, readUnknownIds } from '../../db/queries/assets'
import { invalidParameter } from '../../schema/errors'
import type { AggregateRow } from '../../schema/generated'
import type { Query } from '../context'
import { readMoment } from '../limits/as-of'
import { checkRange, lengthOf, toDates } from '../limits/ranges'
import { checkGroups, checkRows } from '../limits/rows'
import { isSelected } from '../selection'
import { type GroupSeries, readGroupSeries } from '../series/group-series'
import { average, coverage } from '../series/ratios'
import { countBuckets, coverageOf } from '../series/series'
import { Turns } from '../turns'
import { type MeasuredAsset, measureAssets } from './measured-assets'

/** Aggregated impressions, whose rows are built when they are selected. */
interface Aggregate {
  total: number
  average: number
  assetCount: number
  rows(): Promise<Partial<AggregateRow>[]>
}

function aggregateAssets(assets: readonly MeasuredAsset[]): Aggregate {
  const measured = assets.filter(({ impressions }) => impressions !== null)
  const total = measured.reduce((sum, { impressions }) => sum + impressions!, 0)
  return {
    ...{ total, average: average(total, measured.length), assetCount: assets.length },
    async rows() {
      return assets.map(({ id, impressions, daysWithData, observed, expected }) => ({
        ...{ assetId: id, impressions, assetsWithData: Math.min(daysWithData, 1), daysWithData },
        coverage: coverage(observed, expected),
      }))
    },
  }
}

function aggregateGroups(series: GroupSeries, assetCount: number): Aggregate {
  let total = 0
  let rowsWithData = 0
  for (const { sums, assets } of series.groups) {
    for (let bucket = 0; bucket < assets.length; bucket++) {
      if (assets[bucket] === 0) continue
      total += sums[bucket]!
      rowsWithData++
    }
  }
  return {
    ...{ total, average: average(total, rowsWithData), assetCount },
    rows: () => bucketRows(series),
  }
}

export const impressionsAggregate: Query['impressionsAggregate'] = async (
  _,
  { fromDate, toDate, grain, groupBy, filter = null, asOf },
  context,
  info,
) => {
  const { reader, maxRows } = context
  const range = { fromDate, toDate }
  checkRange(range)
  if (groupBy === 'asset' && grain != null) {
    throw invalidParameter('grain', grain, 'left out with group_by=asset', 'There is one row per asset.')
  }
  const dates = toDates(range)
  const conditions = buildConditions(filter)
  const moment = asOf == null ? undefined : await readMoment(asOf, context)
  const by = groupBy && isSelected(info, ['rows', 'average']) ? groupBy : undefined
  if (by === 'asset') checkRows(await countAssets(reader, conditions), maxRows)
  const groups =
    by && by !== 'asset'
      ? await checkGroups(reader, conditions, by, countBuckets(range, grain ?? 'day'), maxRows, lengthOf(range))
      : undefined
  const [unknownIds, assetCount, found] = await Promise.all([
    readUnknownIds(reader, conditions.id),
    by || !isSelected(info, ['assetCount']) ? sumOfCounts(groups) : countAssets(reader, conditions),
    by === 'asset'
      ? measureAssets(reader, conditions, dates, moment)
      : readGroupSeries(reader, conditions, dates, grain ?? 'day', groups, moment),
  ])
  if (unknownIds.length > 0) return null
  return Array.isArray(found) ? aggregateAssets(found) : aggregateGroups(found, assetCount)
}

const sumOfCounts = (groups?: Groups): number => groups?.rows.reduce((sum, { count }) => sum + count, 0) ?? 0

/** Builds the rows of a series, with the attributes by which they are grouped. */
async function bucketRows({ starts, groups }: GroupSeries) {
  const rows: Pick<AggregateRow, 'start' | 'impressions' | 'assetsWithData' | 'coverage'>[] = []
  const turns = new Turns()
  for (const [bucket, start] of starts.entries()) {
    for (const group of groups) {
      const assetsWithData = group.assets[bucket]!
      const impressions = assetsWithData > 0 ? group.sums[bucket]! : null
      const attributes = group.attributes as object
      rows.push({ start, ...attributes, impressions, assetsWithData, coverage: coverageOf(group, bucket) })
    }
    if (turns.isOver) await turns.next()
  }
  return rows
}
