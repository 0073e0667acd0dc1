/**
 * Reads the impressions of all assets that match a filter, summed by month and by attributes of the assets. Dates are
 * inclusive local days of each asset. Sums come from the totals of classes of assets, or of assets where the filter needs them.
 */
import type { Knex } from 'knex'
import { GROUPS, type Group, type GroupBy } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import { DAYS, splitByMonths } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { isSettled, type MomentParameters, momentParameters, withUnsettled } from '../as-of/days-then'
import type { NetworkMoment } from '../as-of/moment'
import { type AssetFilter, chooseSource, type Source, whereClassMatches, whereMatches } from '../asset-filters'
import { buildOnce, knex, parameter } from '../statements'

/** A sum of impressions, 0 without counts; and of native intervals with a count, where these were read. */
export type Sum = Group & { impressions: number; observed?: number }

/** The sum of a month, as far as it is in the range; months are counted since year 0. */
export type MonthSum = Sum & { month: number }

/** The same by day of a month, also for days outside the range. */
export type DaySums = Group & { month: number; days: number[]; observed?: number[] }

type Parameters = AssetFilter & { months: readonly number[] } & Partial<MomentParameters & { from: string; to: string }>

/** The sums that a statement reads: of all months together, of each month, or of each day. */
type Kind = 'total' | 'months' | 'days'

const sumsOf = (column: string): string => `ARRAY[${DAYS.map(day => `sum(m.${column}[${day}])`)}]::bigint[]`

/** SQL of the sums of rows `m`: of days, or of the month. */
const SUMS_BY_DAY = {
  impressions: `${sumsOf('totals')} AS days`,
  observed: `${sumsOf('observed')} AS observed`,
}

const SUMS_BY_MONTH = {
  impressions: 'coalesce(sum(m.total), 0)::bigint AS impressions',
  observed: 'sum(m.observed_total)::bigint AS observed',
}

/** Returns the rows `m` of months, with the assets or classes `a` to which they belong. */
function selectRows(source: Source, by: GroupBy | undefined): Knex.QueryBuilder {
  const query = knex.whereRaw(inScope('m.company'))
  if (source === 'assets') {
    query.from('assets as a').join('asset_months as m', 'm.asset', 'a.number').whereRaw(inScope('a.company'))
    query.whereRaw(`m.kind = 'impressions' AND m.days_with_data > 0`).modify(whereMatches)
  } else {
    query.from('class_months as m')
    if (source === 'classes' || by) {
      query
        .join('asset_classes as a', { 'a.company': 'm.company', 'a.number': 'm.class' })
        .whereRaw(inScope('a.company'))
    } else query.whereRaw('m.class = 0')
    if (source === 'classes') query.modify(whereClassMatches)
  }
  return query.whereRaw('m.month = ANY (:months::integer[])', { months: parameter('months') })
}

/** Values of the parameters by which settled months are chosen. */
type SettledMonths = MomentParameters & { from: string; to: string }

const settledIn = ([from, to]: Dates, moment: NetworkMoment | undefined): SettledMonths | undefined =>
  moment && { from, to, ...momentParameters(moment) }

function readRows<Row extends object>(
  reader: ScopedReader,
  kind: Kind,
  filter: AssetFilter,
  months: readonly number[],
  by: GroupBy | undefined,
  withObserved = false,
  then?: SettledMonths,
): Promise<Row[]> {
  if (months.length === 0) return Promise.resolve([])
  const source = chooseSource(filter)
  const name = `group-${kind}${withObserved ? '-and-observed' : ''}-of-${source}${by ? `-by-${by}` : ''}${then ? '-then' : ''}`
  const statement = buildOnce<Parameters>(name, () => {
    const columns: Record<string, string> = { ...(by && GROUPS[by]), ...(kind !== 'total' && { month: 'm.month' }) }
    const { impressions, observed } = kind === 'days' ? SUMS_BY_DAY : SUMS_BY_MONTH
    const query = selectRows(source, by).select(knex.raw(impressions))
    if (withObserved) query.select(knex.raw(observed))
    if (then) withUnsettled(query).whereRaw(isSettled('m.company', 'm.month'))
    return Object.keys(columns).length > 0 ? query.select(columns).groupBy(Object.values(columns)) : query
  })
  return reader.read<Row>(statement, statement.bindValues({ ...filter, months, ...then }))
}

/**
 * Returns the sums by day, one row for each month and group that has assets with counts.
 *
 * @param withObserved whether observed intervals are read, too
 * @param moment when it was so, which leaves out unsettled months; by default now
 */
export const readDaySums = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by: GroupBy | undefined,
  withObserved: boolean,
  moment?: NetworkMoment,
): Promise<DaySums[]> =>
  readRows(reader, 'days', filter, splitByMonths(dates).all, by, withObserved, settledIn(dates, moment))

/**
 * Returns the sums by month, one row for each month and group that has assets with counts, in no order.
 *
 * @param withObserved whether observed intervals are read, too
 * @param moment when it was so, which leaves out unsettled months; by default now
 */
export async function readMonthSums(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by: GroupBy | undefined,
  withObserved: boolean,
  moment?: NetworkMoment,
): Promise<MonthSum[]> {
  const { whole, cut } = splitByMonths(dates)
  const then = settledIn(dates, moment)
  const [months, days] = await Promise.all([
    readRows<MonthSum>(reader, 'months', filter, whole, by, withObserved, then),
    readRows<DaySums>(reader, 'days', filter, [...cut.keys()], by, withObserved, then),
  ])
  return [...months, ...days.map(row => sumOfMonth(row, cut))]
}

/** Returns the sum of the range over all assets that match a filter. */
export async function readTotal(reader: ScopedReader, filter: AssetFilter, dates: Dates): Promise<number> {
  const { whole, cut } = splitByMonths(dates)
  const [total, days] = await Promise.all([
    readRows<Pick<MonthSum, 'impressions'>>(reader, 'total', filter, whole, undefined),
    readRows<DaySums>(reader, 'days', filter, [...cut.keys()], undefined),
  ])
  return [...total, ...days.map(row => sumOfMonth(row, cut))].reduce((sum, { impressions }) => sum + impressions, 0)
}

function sumOfMonth(
  { days, observed = [], ...row }: DaySums,
  cut: ReadonlyMap<number, readonly [number, number]>,
): MonthSum {
  const [first, last] = cut.get(row.month)!
  const sum = (values: number[]) => values.slice(first - 1, last).reduce((sum, value) => sum + (value ?? 0), 0)
  return { ...row, impressions: sum(days), observed: sum(observed) }
}
