/**
 * Reads the impressions of all assets that match a filter, summed by month and by attributes of the assets. Dates are
 * inclusive local days of each asset.
 */
import { GROUPS, type Group, type GroupBy } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import { splitByMonths } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import type { NetworkMoment } from '../as-of'
import { type DaySums, IS_SETTLED, momentParameters, sumsByDay } from '../as-of'
import { type AssetFilter, hasConditions, MATCHES } from '../asset-filters'
import { named, readRows } from '../statements'

/** The sums of a month, as far as it is in the range: of impressions, and of native intervals with a count. Months are counted since year 0. */
export type MonthSum = Group & {
  month: number
  impressions: number
  observed: number
  /** The number of assets that have counts, of a whole month. */
  assets?: number
}

/** The sums that a statement reads: of all months together, of each month, or of each day. */
type Kind = 'total' | 'months' | 'days'

const SUMS = `coalesce(sum(m.total), 0)::bigint AS impressions, sum(m.observed_total)::bigint AS observed, count(*)::integer AS assets`

/** Returns the SQL of the months `m` of assets, with the assets `a` where they are filtered or grouped. */
function rowsOf(filtered: boolean, by: GroupBy | undefined): string {
  const months = `m.kind = 'impressions' AND m.days_with_data > 0`
  if (!filtered && !by) return `asset_months m WHERE ${months}`
  return `assets a JOIN asset_months m ON m.asset = a.number WHERE ${inScope('a.company')} AND ${months} ${filtered ? `AND ${MATCHES}` : ''}`
}

function selectSums(kind: Kind, filtered: boolean, by: GroupBy | undefined, isThen: boolean): string {
  const columns = { ...(by && GROUPS[by]), ...(kind !== 'total' && { month: 'm.month' }) }
  const grouping = Object.values(columns)
  return `SELECT ${[...named(columns), kind === 'days' ? sumsByDay() : SUMS]}
    FROM ${rowsOf(filtered, by)} AND ${inScope('m.company')} AND m.month = ANY (:months::integer[])
    ${isThen ? `AND ${IS_SETTLED}` : ''} ${grouping.length > 0 ? `GROUP BY ${grouping}` : ''}`
}

const settledIn = ([from, to]: Dates, moment: NetworkMoment | undefined): object | undefined =>
  moment && { from, to, ...momentParameters(moment) }

/** @param then the parameters by which settled months are chosen */
function readSums<Row extends object>(
  reader: ScopedReader,
  kind: Kind,
  filter: AssetFilter,
  months: readonly number[],
  by?: GroupBy,
  then?: object,
): Promise<Row[]> {
  if (months.length === 0) return Promise.resolve([])
  const filtered = hasConditions(filter)
  const name = `group-${kind}${filtered ? '-filtered' : ''}${by ? `-by-${by}` : ''}${then ? '-then' : ''}`
  const sql = () => selectSums(kind, filtered, by, then !== undefined)
  return readRows(reader, name, sql, { ...filter, months, ...then })
}

/**
 * Returns the sums by day, one row for each month and group that has assets with counts.
 *
 * @param moment when it was so, which leaves out unsettled months; by default now
 */
export const readDaySums = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by: GroupBy | undefined,
  moment?: NetworkMoment,
): Promise<DaySums[]> => readSums(reader, 'days', filter, splitByMonths(dates).all, by, settledIn(dates, moment))

/**
 * Returns the sums by month, one row for each month and group that has assets with counts, in no order.
 *
 * @param moment when it was so, which leaves out unsettled months; by default now
 */
export async function readMonthSums(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by: GroupBy | undefined,
  moment?: NetworkMoment,
): Promise<MonthSum[]> {
  const { whole, cut } = splitByMonths(dates)
  const then = settledIn(dates, moment)
  const [months, days] = await Promise.all([
    readSums<MonthSum>(reader, 'months', filter, whole, by, then),
    readSums<DaySums>(reader, 'days', filter, [...cut.keys()], by, then),
  ])
  return [...months, ...days.map(row => sumOfMonth(row, cut))]
}

/** Returns the sum of the range over all assets that match a filter. */
export async function readTotal(reader: ScopedReader, filter: AssetFilter, dates: Dates): Promise<number> {
  const { whole, cut } = splitByMonths(dates)
  const [total, days] = await Promise.all([
    readSums<Pick<MonthSum, 'impressions'>>(reader, 'total', filter, whole),
    readSums<DaySums>(reader, 'days', filter, [...cut.keys()]),
  ])
  return [...total, ...days.map(row => sumOfMonth(row, cut))].reduce((sum, { impressions }) => sum + impressions, 0)
}

function sumOfMonth(
  { days, observed, assets: _, ...row }: DaySums,
  cut: ReadonlyMap<number, readonly [number, number]>,
): MonthSum {
  const [first, last] = cut.get(row.month)!
  const sum = (values: number[]) => values.slice(first - 1, last).reduce((sum, value) => sum + (value ?? 0), 0)
  return { ...row, impressions: sum(days), observed: sum(observed) }
}
