/** Reads the impressions of each asset that matches a filter, summed over a range of inclusive local days. */
import type { Dates } from '../../calendar/local-days'
import { DAYS, monthParameters } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import type { NetworkMoment } from '../as-of'
import { formerDays, IS_SETTLED, momentParameters, unsettledMonths, wasServed } from '../as-of'
import { type AssetFilter, MATCHES } from '../asset-filters'
import { readRows } from '../statements'

export interface AssetSum {
  id: string
  /** Null without counts. */
  impressions: number | null
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

const SUMMED: readonly SummedColumn[] = [
  { name: 'impressions', ofMonth: 'total', type: 'bigint', ofDay: day => `coalesce(day_${day}, 0)` },
  {
    ...{ name: 'days_with_data', ofMonth: 'days_with_data', type: 'smallint' },
    ofDay: day => `(day_${day} IS NOT NULL)::integer`,
  },
  {
    ...{ name: 'observed_total', ofMonth: 'observed_total', type: 'integer' },
    ofDay: day => `coalesce(observed_${day}, 0)`,
  },
]

/** Returns the SQL of the sum of values of days, which may be greater than any of them can be. */
const sumOf = (days: readonly string[], type: string): string => `(0::bigint + ${days.join(' + ')})::${type}`

/** Returns the SQL of the sums of a month that is cut. With types as in whole months, PostgreSQL converts no row of these. */
function cut(n: 1 | 2): string {
  const sums = SUMMED.map(({ ofDay, type }) => {
    const days = DAYS.map(
      day => `CASE WHEN ${day} BETWEEN :first${n}::integer AND :last${n}::integer THEN ${ofDay(day)} ELSE 0 END`,
    )
    return sumOf(days, type)
  })
  return `SELECT asset, ${sums} FROM asset_months m WHERE ${inScope('company')} AND kind = 'impressions' AND month = :month${n}::integer`
}

/** Returns the SQL of the sums of assets by month, restricted by a condition. */
function months(isThen: boolean, condition = ''): string {
  const where = isThen ? `${condition} AND ${IS_SETTLED}` : condition
  return `
  SELECT asset, ${SUMMED.map(({ name, ofMonth }) => `${ofMonth} AS ${name}`)} FROM asset_months m
    WHERE ${inScope('company')} AND kind = 'impressions' AND month = ANY (:whole::integer[]) ${where}
  UNION ALL ${cut(1)} ${where}
  UNION ALL ${cut(2)} ${where}${isThen ? unsettled(condition) : ''}`
}

/** Returns the SQL of the sums of unsettled months, in the form of `SUMMED`. */
function unsettled(condition: string): string {
  const sums = SUMMED.map(({ ofDay, type }) => {
    const days = DAYS.map(day => `CASE WHEN ${wasServed(day)} THEN ${ofDay(day)} ELSE 0 END`)
    return sumOf(days, type)
  })
  return `
  UNION ALL SELECT asset, ${sums} FROM ${unsettledMonths(condition)} AS m
  UNION ALL SELECT asset, total, 1::smallint, observed FROM ${formerDays(condition)} AS f`
}

const SUMS = SUMMED.map(({ name }) => `coalesce(sum(${name}), 0)::bigint AS ${name}`).join(', ')

/** Returns the SQL of rows `m` with the sums of assets, in order. */
const selectSums = (asset: { number: string; id: string }, from: string): string =>
  `SELECT ${asset.id} AS id, CASE WHEN m.days_with_data > 0 THEN m.impressions END AS impressions, ${asset.number} AS asset,
    m.observed_total AS observed, m.days_with_data AS "daysWithData"
  FROM ${from} ORDER BY impressions DESC NULLS LAST, ${asset.id}`

/**
 * Returns the SQL for all assets, whose months are read once. Assets and their months are united and grouped, not joined: there is no join
 * that a plan may choose badly because it expects few rows. The months of other assets have no id.
 */
const ofAll = (isThen: boolean): string =>
  selectSums(
    { number: 'm.asset', id: 'm.id' },
    `(
      SELECT asset, max(id) AS id, ${SUMS} FROM (
        SELECT a.number AS asset, a.id, ${SUMMED.map(({ name, type }) => `0::${type} AS ${name}`)}
        FROM assets a WHERE ${inScope('a.company')} AND ${MATCHES}
        UNION ALL SELECT asset, NULL, ${SUMMED.map(({ name }) => name)} FROM (${months(isThen)}) AS months
      ) AS united GROUP BY asset HAVING max(id) IS NOT NULL
    ) AS m`,
  )

/** Returns the SQL for few assets, whose months are looked up. */
const ofIds = (isThen: boolean): string =>
  selectSums(
    { number: 'a.number', id: 'a.id' },
    `assets a CROSS JOIN LATERAL (
      SELECT ${SUMS} FROM (${months(isThen, 'AND m.asset = a.number')}) AS months
    ) AS m WHERE ${inScope('a.company')} AND ${MATCHES}`,
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
  const sql = () => select(isThen)
  return readRows(reader, name, sql, {
    ...filter,
    ...monthParameters(dates),
    from,
    to,
    ...(moment && momentParameters(moment)),
  })
}
