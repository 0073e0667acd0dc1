/** Resolvers for aggregated impressions: all assets that match a filter as one table. */
import { GROUP_ATTRIBUTES, type GroupAttribute } from '../../db/assets/attributes'
import type { Dates } from '../../db/calendar/local-days'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { daysOver } from '../../db/queries/as-of/corrections'
import type { NetworkMoment } from '../../db/queries/as-of/moment'
import { type AssetFilter, buildConditions, chooseSource } from '../../db/queries/asset-filters'
import { countAssets, readUnknownIds } from '../../db/queries/assets'
import { type AssetSum, readAssetSums } from '../../db/queries/groups/asset-sums'
import { readSensorsOfAssets } from '../../db/queries/groups/installed-sensors'
import { ApiError } from '../../schema/errors'
import type { AggregateRow } from '../../schema/generated'
import type { Query } from '../context'
import { readMoment } from '../limits/as-of'
import { checkRange, lengthOf } from '../limits/ranges'
import { average, coverage } from '../ratios'
import { ExpectedIntervals } from '../series/expected-intervals'
import { type GroupSeries, readGroupSeries } from '../series/group-series'
import { coverageOf } from '../series/series'
import { Turns } from '../turns'

/** The most rows that are returned as objects. */
export const MAX_ROWS = 10_000

/** The most rows of a response of REST. */
export const MAX_JSON_ROWS = 200_000

/** Aggregated impressions, whose rows are built when they are read. */
export abstract class Aggregate {
  readonly average: number

  constructor(
    readonly total: number,
    rowsWithData: number,
    readonly assetCount: number,
  ) {
    this.average = average(total, rowsWithData)
  }

  /** As objects. REST writes them as JSON instead, and never reads this property. */
  abstract get rows(): AggregateRow[]
}

/** The sums of an asset, with their coverage. */
type MeasuredAsset = Pick<AssetSum, 'id' | 'impressions' | 'daysWithData'> & { coverage: number }

export class AggregateOfAssets extends Aggregate {
  constructor(readonly sums: readonly MeasuredAsset[]) {
    const measured = sums.filter(({ impressions }) => impressions !== null)
    super(
      measured.reduce((sum, { impressions }) => sum + impressions!, 0),
      measured.length,
      sums.length,
    )
  }

  get rows(): AggregateRow[] {
    checkRows(this.sums.length, MAX_ROWS)
    return this.sums.map(({ id, impressions, daysWithData, coverage }) => ({
      ...{ ...NO_ATTRIBUTES, start: null, assetId: id, impressions },
      ...{ assetsWithData: Math.min(daysWithData, 1), daysWithData, coverage },
    }))
  }
}

export class AggregateOfGroups extends Aggregate {
  constructor(
    readonly series: GroupSeries,
    assetCount: number,
    /** The number of days of the range. */
    readonly days: number,
  ) {
    let total = 0
    let rowsWithData = 0
    for (const { sums, assets } of series.groups) {
      for (let bucket = 0; bucket < assets.length; bucket++) {
        if (assets[bucket] === 0) continue
        total += sums[bucket]!
        rowsWithData++
      }
    }
    super(total, rowsWithData, assetCount)
  }

  get rows(): AggregateRow[] {
    return bucketRows(this.series).map(row => ({ ...row, assetId: null, daysWithData: null }))
  }
}

export const impressionsAggregate: Query['impressionsAggregate'] = async (
  _,
  { fromDate, toDate, grain, groupBy, filter = null, asOf },
  context,
) => {
  const { reader } = context
  const range = { fromDate, toDate }
  checkRange(range)
  if (groupBy === 'asset' && grain != null) {
    const details = { parameter: 'grain', value: grain, expected: 'left out with group_by=asset' }
    throw new ApiError(
      'INVALID_PARAMETER',
      details,
      'grain must be left out with group_by=asset: there is one row per asset.',
    )
  }
  const dates: Dates = [fromDate, toDate]
  const conditions = buildConditions(filter)
  const moment = asOf == null ? undefined : await readMoment(asOf, context)
  const [unknownIds, assetCount, found] = await Promise.all([
    readUnknownIds(reader, conditions.id),
    // Groups and filters count the assets themselves.
    !groupBy && chooseSource(conditions) === 'all' ? countAssets(reader, conditions) : 0,
    groupBy === 'asset'
      ? measureAssets(reader, conditions, dates, moment)
      : readGroupSeries(reader, conditions, dates, grain ?? 'day', groupBy ?? undefined, true, moment),
  ])
  if (unknownIds.length > 0) return null
  return Array.isArray(found)
    ? new AggregateOfAssets(found)
    : new AggregateOfGroups(found, found.matching ?? assetCount, lengthOf(range))
}

/** Reads the sums of assets and their coverage, in one batch. */
async function measureAssets(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  moment: NetworkMoment | undefined,
): Promise<MeasuredAsset[]> {
  const [sums, installed] = await Promise.all([
    readAssetSums(reader, filter, moment ? daysOver(dates, moment) : dates, moment),
    readSensorsOfAssets(reader, filter, dates, moment?.instant),
  ])
  const expected = new Map<number, number>()
  const intervals = new ExpectedIntervals(dates, () => 0, 1)
  const turns = new Turns()
  for (const { assets, ...sensor } of installed) {
    const [count] = intervals.count(sensor) as unknown as [number]
    for (const asset of assets) expected.set(asset, (expected.get(asset) ?? 0) + count)
    if (turns.isOver) await turns.next()
  }
  // Copying each with a spread operator would take ten times as long.
  return sums.map(({ asset, id, impressions, observed, daysWithData }) => {
    return { id, impressions, daysWithData, coverage: coverage(observed, expected.get(asset) ?? 0) }
  })
}

export const NO_ATTRIBUTES = Object.fromEntries(GROUP_ATTRIBUTES.map(field => [field, null])) as {
  [Name in keyof Pick<AggregateRow, GroupAttribute>]: null
}

/** @throws ApiError RANGE_TOO_LARGE */
export function bucketRows({ starts, groups }: GroupSeries): Omit<AggregateRow, 'assetId' | 'daysWithData'>[] {
  checkRows(starts.length * groups.length, MAX_ROWS)
  return starts.flatMap((start, bucket) =>
    groups.map(group => {
      const assetsWithData = group.assets[bucket]!
      const impressions = assetsWithData > 0 ? group.sums[bucket]! : null
      const attributes = { ...NO_ATTRIBUTES, ...(group.attributes as object) }
      return { start, ...attributes, impressions, assetsWithData, coverage: coverageOf(group, bucket) }
    }),
  )
}

/**
 * @param days the length of the range, where fewer days would give fewer rows
 * @throws ApiError RANGE_TOO_LARGE
 */
export function checkRows(rows: number, max: number, days = 0): void {
  if (rows <= max) return
  const maxDays = Math.floor((days * max) / rows)
  const advice = maxDays > 0 ? 'Choose fewer days, a coarser grain or fewer assets.' : 'Choose fewer assets.'
  throw new ApiError(
    'RANGE_TOO_LARGE',
    { max_days: maxDays },
    `The result has ${rows} rows; ${max} are allowed. ${advice}`,
  )
}
