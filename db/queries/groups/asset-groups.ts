/**
 * Reads the impressions of all assets that match a filter, summed by month and by attributes of the assets. Dates are
 * inclusive local days of each asset. Sums come from the totals of classes of assets, or of assets where the filter needs them.
 */
import type { Knex } from 'knex'
import type { AssetAttribute } from '../../../schema/generated'
import { GROUPINGS, type GroupAttribute, sqlOf } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import { splitByMonths } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, chooseSource, type Source, whereClassMatches, whereMatches } from '../asset-filters'
import { DAY_COLUMNS } from '../impressions'
import { buildOnce, knex, parameter } from '../statements'

/** Attributes by which assets are grouped, with their SQL, of the asset or class `a`. */
export const GROUPS = Object.fromEntries(
  Object.entries(GROUPINGS).map(([by, fields]) => [by, Object.fromEntries(fields.map(field => [field, sqlOf(field)]))]),
) as Record<AssetAttribute, Record<string, string>>

export type GroupBy = AssetAttribute

/** The values of the attributes of a group; none where all assets are one group. */
export type Group = Partial<Record<GroupAttribute, string | null>>

/**
 * The sum of a month, as far as it is in the range; months are counted since year 0. Impressions are 0 without counts. Native
 * intervals with a count are there where they were read.
 */
export type MonthSum = Group & { month: number; impressions: number; observed?: number }

/** The same by day of a month, also for days outside the range. */
export type DaySums = Group & { month: number; days: number[]; observed?: number[] }

type Parameters = AssetFilter & { months: readonly number[] }

/** The sums that a statement reads: of all months together, of each month, or of each day. */
type Kind = 'total' | 'months' | 'days'

const sumsOf = (columns: readonly string[]): string => `ARRAY[${columns.map(column => `sum(m.${column})`)}]::bigint[]`

const DAYS = {
  impressions: `${sumsOf(DAY_COLUMNS)} AS days`,
  observed: `${sumsOf(DAY_COLUMNS.map((_, i) => `observed[${i + 1}]`))} AS observed`,
}

const MONTHS = {
  impressions: 'coalesce(sum(m.impressions), 0)::bigint AS impressions',
  observed: 'sum(m.observed_total)::bigint AS observed',
}

/** Returns the rows `m` of months, with the assets or classes `a` to which they belong. */
function selectRows(source: Source, by: GroupBy | undefined): Knex.QueryBuilder {
  const query = knex.whereRaw(inScope('m.company'))
  if (source === 'assets') {
    query.from('assets as a').join('asset_months as m', 'm.asset', 'a.number').whereRaw(inScope('a.company'))
    query.modify(whereMatches)
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

function readRows<Row extends object>(
  reader: ScopedReader,
  kind: Kind,
  filter: AssetFilter,
  months: readonly number[],
  by: GroupBy | undefined,
  withObserved = false,
): Promise<Row[]> {
  if (months.length === 0) return Promise.resolve([])
  const source = chooseSource(filter)
  const name = `group-${kind}${withObserved ? '-and-observed' : ''}-of-${source}${by ? `-by-${by}` : ''}`
  const statement = buildOnce<Parameters>(name, () => {
    const columns: Record<string, string> = { ...(by && GROUPS[by]), ...(kind !== 'total' && { month: 'm.month' }) }
    const { impressions, observed } = kind === 'days' ? DAYS : MONTHS
    const query = selectRows(source, by).select(knex.raw(impressions))
    if (withObserved) query.select(knex.raw(observed))
    return Object.keys(columns).length > 0 ? query.select(columns).groupBy(Object.values(columns)) : query
  })
  return reader.read<Row>(statement, statement.bindValues({ ...filter, months }))
}

/**
 * Returns the sums by day, one row for each month and group that has assets with counts.
 *
 * @param withObserved whether observed intervals are read, too
 */
export const readDaySums = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by: GroupBy | undefined,
  withObserved: boolean,
): Promise<DaySums[]> => readRows(reader, 'days', filter, splitByMonths(dates).all, by, withObserved)

/**
 * Returns the sums by month, one row for each month and group that has assets with counts, in no order.
 *
 * @param withObserved whether observed intervals are read, too
 */
export async function readMonthSums(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by: GroupBy | undefined,
  withObserved: boolean,
): Promise<MonthSum[]> {
  const { whole, cut } = splitByMonths(dates)
  const [months, days] = await Promise.all([
    readRows<MonthSum>(reader, 'months', filter, whole, by, withObserved),
    readRows<DaySums>(reader, 'days', filter, [...cut.keys()], by, withObserved),
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
