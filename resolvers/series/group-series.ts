/** Series of groups of assets: the sums of each group in each bucket, with the number of assets that have data. */
import { GROUP_ATTRIBUTES, GROUPS, type Group } from '../../db/assets/attributes'
import { GRAINS } from '../../db/calendar/grains'
import { type Dates, dateOf, dayNumber } from '../../db/calendar/local-days'
import { intersectMonth, splitByMonths } from '../../db/calendar/month-ranges'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import type { NetworkMoment } from '../../db/queries/as-of'
import { type DaySums, daysOver, type FormerDay, readDaysThen } from '../../db/queries/as-of'
import type { AssetFilter } from '../../db/queries/asset-filters'
import type { Groups } from '../../db/queries/assets'
import { type MonthSum, readDaySums, readMonthSums } from '../../db/queries/groups/asset-groups'
import { readInstalledSensors, type SensorsOfGroup } from '../../db/queries/groups/installed-sensors'
import { readAssetsWithCounts } from '../../db/queries/groups/measured-assets'
import type { GroupGrain } from '../../schema/generated'
import { Turns } from '../turns'
import { ExpectedIntervals } from './expected-intervals'
import { periodOf } from './series'

export interface GroupSeries {
  /** The first day of each bucket in the range. */
  starts: string[]
  /** In the order of their attributes by byte, null last. Without attributes there is one. */
  groups: SeriesOfGroup[]
}

interface SeriesOfGroup {
  attributes: Group
  /** By bucket. If `assets` is 0, there is no data. */
  sums: Float64Array
  assets: Int32Array
  /** Native intervals. */
  observed: Float64Array
  expected: Float64Array
}

/** Reads the series, in one batch. @param grouped the groups of the matching assets @param moment by default now */
export async function readGroupSeries(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  grain: GroupGrain,
  grouped: Groups | undefined,
  moment?: NetworkMoment,
): Promise<GroupSeries> {
  const by = grouped?.by
  const readGroupSums = GRAINS[grain].unit === 'day' ? readDaySums : readMonthSums
  const measured = moment ? daysOver(dates, moment) : dates
  // Assets of a day or of a whole month are counted beside the sums.
  const isCounted = grain === 'day' || (grain === 'month' && !moment && splitByMonths(dates).cut.size === 0)
  const [assets, sums, installed, [unsettled, former]] = await Promise.all([
    isCounted ? [] : readAssetsWithCounts(reader, filter, measured, grain, by, moment),
    readGroupSums(reader, filter, measured, by, moment) as Promise<(DaySums | MonthSum)[]>,
    readInstalledSensors(reader, filter, dates, by),
    moment ? readDaysThen(reader, filter, measured, by, moment) : [[], []],
  ])
  const series = new SeriesBuilder(dates, measured, grain, grouped)
  const turns = new Turns()
  for (const row of [...sums, ...unsettled]) {
    if ('days' in row) series.addDays(row)
    else series.addMonth(row)
    if (turns.isOver) await turns.next()
  }
  for (const day of former) {
    series.addDay(day)
    if (turns.isOver) await turns.next()
  }
  for (const sensors of installed) {
    series.addExpected(sensors)
    if (turns.isOver) await turns.next()
  }
  for (const { bucket, assets: count, ...group } of assets) {
    series.addAssets(group, bucket, count)
    if (turns.isOver) await turns.next()
  }
  return series.finish()
}

class SeriesBuilder {
  private readonly starts: string[] = []
  private readonly bucketOfPeriod = new Map<number, number>()
  /** The bucket of each day of the range. */
  private readonly bucketOfDay: Int32Array
  private readonly groups = new Map<string, SeriesOfGroup>()
  private readonly attributes: readonly (keyof Group)[]
  private readonly firstDay: number
  /** The days of the range that have sums. */
  private readonly measuredDays: number
  private readonly expectedIntervals: ExpectedIntervals

  constructor(
    dates: Dates,
    measured: Dates,
    private readonly grain: GroupGrain,
    grouped: Groups | undefined,
  ) {
    this.attributes = grouped ? (Object.keys(GROUPS[grouped.by]) as (keyof Group)[]) : []
    const [from, to] = dates.map(dayNumber) as [number, number]
    this.firstDay = from
    this.measuredDays = dayNumber(measured[1]) - from + 1
    this.bucketOfDay = new Int32Array(to - from + 1)
    for (let i = 0; i < this.bucketOfDay.length; i++) {
      const date = dateOf(this.firstDay + i)
      const period = periodOf(date, grain, this.firstDay + i)
      if (!this.bucketOfPeriod.has(period)) {
        this.bucketOfPeriod.set(period, this.starts.length)
        this.starts.push(date)
      }
      this.bucketOfDay[i] = this.starts.length - 1
    }
    this.expectedIntervals = new ExpectedIntervals(dates, day => this.bucketOfDay[day]!, this.starts.length)
    for (const group of grouped?.rows ?? [{}]) this.openGroup(group)
  }

  /** Sets the number of assets of a bucket, which may be in several rows of sums. */
  addAssets(group: Group, bucket: string | null, count: number): void {
    const { assets } = this.openGroup(group)
    const index = bucket === null ? undefined : this.bucketOfPeriod.get(periodOf(bucket, this.grain))
    if (index !== undefined) assets[index] = count
  }

  addDays({ month, days, observed, assets, ...row }: DaySums): void {
    const group = this.openGroup(row)
    const { inMonth, inRange, count } = intersectMonth(month, this.firstDay, this.measuredDays)
    for (let i = 0; i < count; i++) {
      const bucket = this.bucketOfDay[inRange + i]!
      group.sums[bucket]! += days[inMonth + i] ?? 0
      group.observed[bucket]! += observed[inMonth + i] ?? 0
      group.assets[bucket]! += assets[inMonth + i]!
    }
  }

  addMonth({ month, impressions, observed, assets = 0, ...group }: MonthSum): void {
    const bucket = this.bucketOfPeriod.get(GRAINS[this.grain].bucketOf(month))!
    const totals = this.openGroup(group)
    totals.sums[bucket]! += impressions
    totals.observed[bucket]! += observed
    totals.assets[bucket]! += assets
  }

  addDay({ day, impressions, observed, assets, ...group }: FormerDay): void {
    const totals = this.openGroup(group)
    const bucket = this.bucketOfDay[day]!
    totals.sums[bucket]! += impressions
    totals.observed[bucket]! += observed
    totals.assets[bucket]! += assets
  }

  addExpected(installed: SensorsOfGroup): void {
    const { expected } = this.openGroup(installed)
    const counts = this.expectedIntervals.count(installed)
    for (let bucket = 0; bucket < expected.length; bucket++) {
      expected[bucket]! += counts[bucket]! * installed.sensors
    }
  }

  finish(): GroupSeries {
    const groups = [...this.groups.values()].sort((a, b) => compareGroups(a.attributes, b.attributes))
    return { starts: this.starts, groups }
  }

  private openGroup(row: Group): SeriesOfGroup {
    const values = this.attributes.map(name => row[name] ?? null)
    const key = JSON.stringify(values)
    const known = this.groups.get(key)
    if (known) return known
    const size = this.starts.length
    const attributes = Object.fromEntries(this.attributes.map((name, i) => [name, values[i]])) as Group
    const zeros = () => new Float64Array(size)
    const group = { attributes, sums: zeros(), assets: new Int32Array(size), observed: zeros(), expected: zeros() }
    this.groups.set(key, group)
    return group
  }
}

/** Compares groups by their attributes, the first of which is the coarsest. */
function compareGroups(a: Group, b: Group): number {
  for (const name of GROUP_ATTRIBUTES) {
    const order = compareValues(a[name] ?? null, b[name] ?? null)
    if (order !== 0) return order
  }
  return 0
}

/** By byte of UTF-8, null last. */
function compareValues(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
