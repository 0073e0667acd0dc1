/** Reads the impressions of each asset that matches a filter, summed over a range of inclusive local days. */
import type { Knex } from 'knex'
import type { Dates } from '../../calendar/local-days'
import { DAYS, monthParameters } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import {
  formerDays,
  isSettled,
  MOMENT,
  type MomentParameters,
  momentParameters,
  unsettledMonths,
  wasServed,
  withUnsettled,
} from '../as-of/days-then'
import type { NetworkMoment } from '../as-of/moment'
import { type AssetFilter, chooseSource, whereMatches } from '../asset-filters'
import { type BuiltStatement, buildStatement, knex, parameter } from '../statements'

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

type Parameters = AssetFilter &
  ReturnType<typeof monthParameters> & { limit: number | null; from: string; to: string } & Partial<MomentParameters>

/** A column of sums: the one of a whole month with its type, and the value of a day. */
interface SummedColumn {
  name: string
  ofMonth: string
  type: 'bigint' | 'integer' | 'smallint'
  ofDay(day: number): string
}

export const OF_TOP: readonly SummedColumn[] = [
  { name: 'impressions', ofMonth: 'total', type: 'bigint', ofDay: day => `coalesce(totals[${day}], 0)` },
  {
    ...{ name: 'days_with_data', ofMonth: 'days_with_data', type: 'smallint' },
    ofDay: day => `(totals[${day}] IS NOT NULL)::integer`,
  },
]

const OF_ALL: readonly SummedColumn[] = [
  ...OF_TOP,
  {
    ...{ name: 'observed_total', ofMonth: 'observed_total', type: 'integer' },
    ofDay: day => `coalesce(observed[${day}], 0)`,
  },
]

/** Returns the SQL of the sums of a month that is cut. With types as in whole months, PostgreSQL converts no row of these. */
function cut(n: 1 | 2, columns: readonly SummedColumn[], range: string): string {
  const sums = columns.map(({ ofDay, type }) => {
    const days = DAYS.map(
      day =>
        `CASE WHEN ${day} BETWEEN :${range}first${n}::integer AND :${range}last${n}::integer THEN ${ofDay(day)} ELSE 0 END`,
    )
    return `(${days.join(' + ')})::${type}`
  })
  return `SELECT asset, ${sums} FROM asset_months m WHERE ${inScope('company')} AND kind = 'impressions' AND month = :${range}month${n}::integer`
}

/**
 * Returns the SQL of the sums of assets by month, restricted by a condition.
 *
 * @param range precedes the names of the parameters of the range
 */
export function months(columns: readonly SummedColumn[], condition = '', isThen = false, range = ''): string {
  const where = isThen ? `${condition} AND ${isSettled('m.company', 'm.month')}` : condition
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
    return `(${days.join(' + ')})::${type}`
  })
  return `
  UNION ALL SELECT asset, ${sums} FROM ${unsettledMonths(condition)} AS m
  UNION ALL SELECT asset, total, 1::smallint, observed FROM ${formerDays(condition)} AS f`
}

const sumsOf = (columns: readonly SummedColumn[]): string =>
  columns.map(({ name }) => `coalesce(sum(${name}), 0)::bigint AS ${name}`).join(', ')

const MONTHS = ['whole', 'month1', 'first1', 'last1', 'month2', 'first2', 'last2']

/** Returns the parameters of `months`. */
export const monthsOf = (range: string): Record<string, Knex.Value> =>
  Object.fromEntries(MONTHS.map(name => [range + name, parameter(range + name)]))

const PARAMETERS = { ...monthsOf(''), ...MOMENT, limit: parameter('limit') }

/** Selects from rows `m` with the sums of assets, in order. */
const selectSums = (columns: readonly SummedColumn[], asset: { number: string; id: string }): Knex.QueryBuilder => {
  const query = knex.select(
    { id: asset.id },
    knex.raw('CASE WHEN m.days_with_data > 0 THEN m.impressions END AS impressions'),
  )
  if (columns === OF_ALL)
    query.select({ asset: asset.number, observed: 'm.observed_total', daysWithData: 'm.days_with_data' })
  // Knex's limit() takes no parameter.
  return query.orderByRaw(`impressions DESC NULLS LAST, ${asset.id} LIMIT :limit`, { limit: parameter('limit') })
}

/**
 * Builds the statement for all assets, whose months are read once. Assets and their months are united and grouped, not joined: there is
 * no join that a plan may choose badly because it expects few rows.
 */
function buildForAll(name: string, columns: readonly SummedColumn[], isThen = false): BuiltStatement<Parameters> {
  const assets = knex
    .from('assets as a')
    .select(knex.raw(`a.number AS asset, a.id, ${columns.map(({ name, type }) => `0::${type} AS ${name}`)}`))
    .whereRaw(inScope('a.company'))
    .modify(whereMatches)
    .unionAll(
      knex.raw(
        `SELECT asset, NULL, ${columns.map(c => c.name)} FROM (${months(columns, '', isThen)}) AS months`,
        PARAMETERS,
      ),
    )
  const sums = knex
    .from(assets.as('united'))
    .select('asset', knex.raw(`max(id) AS id, ${sumsOf(columns)}`))
    .groupBy('asset')
    // The months of other assets have none.
    .havingRaw('max(id) IS NOT NULL')
  const query = selectSums(columns, { number: 'm.asset', id: 'm.id' }).from(sums.as('m'))
  return buildStatement(name, isThen ? withUnsettled(query) : query)
}

/** Builds a statement that joins the assets with a subquery `m` of their sums. */
function buildJoined(
  name: string,
  columns: readonly SummedColumn[],
  join: string,
  { isFiltered = true, isThen = false } = {},
): BuiltStatement<Parameters> {
  const query = selectSums(columns, { number: 'a.number', id: 'a.id' }).from('assets as a').joinRaw(join, PARAMETERS)
  if (isFiltered) query.modify(whereMatches)
  query.whereRaw(inScope('a.company'))
  return buildStatement(name, isThen ? withUnsettled(query) : query)
}

/** Builds the statement for few assets, whose months are looked up. */
const buildForIds = (name: string, columns: readonly SummedColumn[], isThen = false): BuiltStatement<Parameters> =>
  buildJoined(
    name,
    columns,
    `CROSS JOIN LATERAL (
      SELECT ${sumsOf(columns)} FROM (${months(columns, 'AND m.asset = a.number', isThen)}) AS months) AS m`,
    { isThen },
  )

const SUMS = { all: buildForAll('asset-sums', OF_ALL), some: buildForIds('asset-sums-of-ids', OF_ALL) }

const SUMS_THEN = {
  all: buildForAll('asset-sums-then', OF_ALL, true),
  some: buildForIds('asset-sums-of-ids-then', OF_ALL, true),
}

const TOP = {
  all: buildForAll('top-assets', OF_TOP),
  some: buildForIds('top-assets-of-ids', OF_TOP),
  /** Only the largest sums are joined with their assets. */
  unfiltered: buildJoined(
    'top-assets-unfiltered',
    OF_TOP,
    `JOIN (
      SELECT asset, ${sumsOf(OF_TOP)} FROM (${months(OF_TOP)}) AS months GROUP BY asset
      ORDER BY impressions DESC NULLS LAST FETCH FIRST (:limit::integer) ROWS WITH TIES
    ) AS m ON m.asset = a.number`,
    { isFiltered: false },
  ),
}

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
  const statements = moment ? SUMS_THEN : SUMS
  const statement = filter.id ? statements.some : statements.all
  return readRows(reader, statement, filter, dates, null, moment && momentParameters(moment))
}

/** Returns the first ones of the same. Assets without counts may be missing. */
export function readTopAssets(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  limit: number,
): Promise<TopAsset[]> {
  const statement = filter.id ? TOP.some : chooseSource(filter) === 'all' ? TOP.unfiltered : TOP.all
  return readRows(reader, statement, filter, dates, limit)
}

function readRows<Row extends TopAsset>(
  reader: ScopedReader,
  statement: BuiltStatement<Parameters>,
  filter: AssetFilter,
  dates: Dates,
  limit: number | null,
  moment?: MomentParameters,
): Promise<Row[]> {
  const [from, to] = dates
  return reader.read(
    statement,
    statement.bindValues({ ...filter, ...monthParameters(dates), limit, from, to, ...moment }),
  )
}
