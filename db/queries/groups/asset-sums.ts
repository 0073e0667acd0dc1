/** Reads the impressions of each asset that matches a filter, summed over a range of inclusive local days. */
import type { Dates } from '../../calendar/local-days'
import { DAYS, monthParameters } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { formerDays, IS_SETTLED, momentParameters, unsettledMonths, wasServed } from '../as-of/days-then'
import type { NetworkMoment } from '../as-of/moment'
import { type AssetFilter, hasConditions, MATCHES } from '../asset-filters'
import { readRows } from '../statements'

interface TopAsset {
  id: string
  /** Null without counts. */
  impressions: number | null
}

export interface AssetSum extends TopAsset {
  /** The number of the asset in the database. */
  asset: number
  /** Native intervals with a count. */
  observed: number
  daysWithData: number
}

/** A column of sums: the one of a whole month with its type, and the value of a day. */
interface SummedColumn {
  name: string
  ofMonth: string
  type: 'bigint' | 'integer' | 'smallint'
  ofDay(day: number): string
}

const OF_TOP: readonly SummedColumn[] = [
  { name: 'impressions', ofMonth: 'total', type: 'bigint', ofDay: day => `coalesce(day_${day}, 0)` },
  {
    ...{ name: 'days_with_data', ofMonth: 'days_with_data', type: 'smallint' },
    ofDay: day => `(day_${day} IS NOT NULL)::integer`,
  },
]

const OF_ALL: readonly SummedColumn[] = [
  ...OF_TOP,
  {
    ...{ name: 'observed_total', ofMonth: 'observed_total', type: 'integer' },
    ofDay: day => `coalesce(observed_${day}, 0)`,
  },
]

/** Returns the SQL of the sum of values of days, which may be greater than any of them can be. */
const sumOf = (days: readonly string[], type: string): string => `(0::bigint + ${days.join(' + ')})::${type}`

/** Returns the SQL of the sums of a month that is cut. With types as in whole months, PostgreSQL converts no row of these. */
function cut(n: 1 | 2, columns: readonly SummedColumn[], range: string): string {
  const sums = columns.map(({ ofDay, type }) => {
    const days = DAYS.map(
      day =>
        `CASE WHEN ${day} BETWEEN :${range}first${n}::integer AND :${range}last${n}::integer THEN ${ofDay(day)} ELSE 0 END`,
    )
    return sumOf(days, type)
  })
  return `SELECT asset, ${sums} FROM asset_months m WHERE ${inScope('company')} AND kind = 'impressions' AND month = :${range}month${n}::integer`
}

/**
 * Returns the SQL of the sums of assets by month, restricted by a condition.
 *
 * @param range precedes the names of the parameters of the range
 */
export function months(columns: readonly SummedColumn[], condition = '', isThen = false, range = ''): string {
  const where = isThen ? `${condition} AND ${IS_SETTLED}` : condition
  return `
  SELECT asset, ${columns.map(({ name, ofMonth }) => `${ofMonth} AS ${name}`)} FROM asset_months m
    WHERE ${inScope('company')} AND kind = 'impressions' AND month = ANY (:${range}whole::integer[]) ${where}
  UNION ALL ${cut(1, columns, range)} ${where}
  UNION ALL ${cut(2, columns, range)} ${where}${isThen ? unsettled(condition) : ''}`
}

/** Returns the SQL of the sums of unsettled months, in the form of `OF_ALL`. */
function unsettled(condition: string): string {
  const sums = OF_ALL.map(({ ofDay, type }) => {
    const days = DAYS.map(day => `CASE WHEN ${wasServed(day)} THEN ${ofDay(day)} ELSE 0 END`)
    return sumOf(days, type)
  })
  return `
  UNION ALL SELECT asset, ${sums} FROM ${unsettledMonths(condition)} AS m
  UNION ALL SELECT asset, total, 1::smallint, observed FROM ${formerDays(condition)} AS f`
}

const sumsOf = (columns: readonly SummedColumn[]): string =>
  columns.map(({ name }) => `coalesce(sum(${name}), 0)::bigint AS ${name}`).join(', ')

/** Returns the SQL of rows `m` with the sums of assets, in order. */
function selectSums(columns: readonly SummedColumn[], asset: { number: string; id: string }, from: string): string {
  const more =
    columns === OF_ALL
      ? `, ${asset.number} AS asset, m.observed_total AS observed, m.days_with_data AS "daysWithData"`
      : ''
  return `SELECT ${asset.id} AS id, CASE WHEN m.days_with_data > 0 THEN m.impressions END AS impressions${more}
    FROM ${from} ORDER BY impressions DESC NULLS LAST, ${asset.id} LIMIT :limit`
}

/**
 * Returns the SQL for all assets, whose months are read once. Assets and their months are united and grouped, not joined: there is no join
 * that a plan may choose badly because it expects few rows. The months of other assets have no id.
 */
const ofAll = (columns: readonly SummedColumn[], isThen: boolean): string =>
  selectSums(
    columns,
    { number: 'm.asset', id: 'm.id' },
    `(
      SELECT asset, max(id) AS id, ${sumsOf(columns)} FROM (
        SELECT a.number AS asset, a.id, ${columns.map(({ name, type }) => `0::${type} AS ${name}`)}
        FROM assets a WHERE ${inScope('a.company')} AND ${MATCHES}
        UNION ALL SELECT asset, NULL, ${columns.map(({ name }) => name)} FROM (${months(columns, '', isThen)}) AS months
      ) AS united GROUP BY asset HAVING max(id) IS NOT NULL
    ) AS m`,
  )

const JOINED = { number: 'a.number', id: 'a.id' }

/** Returns the SQL for few assets, whose months are looked up. */
const ofIds = (columns: readonly SummedColumn[], isThen: boolean): string =>
  selectSums(
    columns,
    JOINED,
    `assets a CROSS JOIN LATERAL (
      SELECT ${sumsOf(columns)} FROM (${months(columns, 'AND m.asset = a.number', isThen)}) AS months
    ) AS m WHERE ${inScope('a.company')} AND ${MATCHES}`,
  )

/** Returns the SQL for all assets in scope. Only the largest sums are joined with their assets. */
const topOfAll = (): string =>
  selectSums(
    OF_TOP,
    JOINED,
    `assets a JOIN (
      SELECT asset, ${sumsOf(OF_TOP)} FROM (${months(OF_TOP)}) AS months GROUP BY asset
      ORDER BY impressions DESC NULLS LAST FETCH FIRST (:limit::integer) ROWS WITH TIES
    ) AS m ON m.asset = a.number WHERE ${inScope('a.company')}`,
  )

/**
 * Returns the assets that match a filter, most impressions first, those without counts last; equal ones by id.
 *
 * @param moment when the sums were these; then the range ends with the days that were over
 */
export function readAssetSums(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  moment?: NetworkMoment,
): Promise<AssetSum[]> {
  const [from, to] = dates
  const [isThen, select] = [moment !== undefined, filter.id ? ofIds : ofAll]
  const name = `asset-sums${filter.id ? '-of-ids' : ''}${isThen ? '-then' : ''}`
  const sql = () => select(OF_ALL, isThen)
  return readRows(reader, name, sql, {
    ...filter,
    ...monthParameters(dates),
    from,
    to,
    ...(moment && momentParameters(moment)),
  })
}

/** Returns the first ones of the same. Assets without counts may be missing. */
export function readTopAssets(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  limit: number,
): Promise<TopAsset[]> {
  const parameters = { ...filter, ...monthParameters(dates), limit }
  if (filter.id) return readRows(reader, 'top-assets-of-ids', () => ofIds(OF_TOP, false), parameters)
  if (!hasConditions(filter)) return readRows(reader, 'top-assets-unfiltered', topOfAll, parameters)
  return readRows(reader, 'top-assets', () => ofAll(OF_TOP, false), parameters)
}
