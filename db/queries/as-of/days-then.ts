/**
 * Days of assets as they were at an instant: those that are served since then, and the former totals of others. Sums that have not changed
 * since are read as they are; the months of companies in which anything has, or in which days were not over, are unsettled, and read by
 * asset.
 */
import type { Knex } from 'knex'
import { GROUPS, type Group, type GroupBy } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import { DAYS } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, chooseSource, whereMatches } from '../asset-filters'
import { type BuiltStatement, buildOnce, knex, parameter } from '../statements'
import type { NetworkMoment } from './moment'

const UNSETTLED = `
  SELECT company, month FROM class_months
  WHERE ${inScope('company')} AND class = 0 AND month BETWEEN month_number(:from) AND month_number(:to)
    AND (number > :instant::bigint OR month >= month_number(:firstOpen))`

const OPEN = 'JOIN unnest(:rules::integer[], :open::date[]) AS o (rules, open) ON o.rules = t.rules'

/**
 * SQL: the unsettled months of assets, as they are now, with the days that are in the range and were over, which are found once each.
 *
 * @param condition restricts the assets
 */
export const unsettledMonths = (condition = ''): string => `(
  SELECT m.asset, m.company, m.month, m.totals, m.observed, m.since, greatest(1, :from::date - month_start(m.month) + 1) AS first_day,
    least(:to::date - month_start(m.month) + 1, o.open - month_start(m.month)) AS last_day
  FROM unsettled u JOIN asset_months m ON m.company = u.company AND m.month = u.month JOIN assets t ON t.number = m.asset ${OPEN}
  WHERE ${inScope('m.company')} AND ${inScope('t.company')} AND m.kind = 'impressions' ${condition} OFFSET 0)`

/** SQL: whether a day of an unsettled month `m` was what it is now. */
export const wasServed = (day: number): string =>
  `m.since[${day}] <= :instant::bigint AND ${day} BETWEEN m.first_day AND m.last_day`

/** SQL: the days that were something else than they are now. @param condition restricts the assets */
export const formerDays = (condition = ''): string => `(
  SELECT m.asset, m.company, m.date, m.total, m.observed
  FROM former_totals m JOIN assets t ON t.number = m.asset ${OPEN}
  WHERE ${inScope('m.company')} AND ${inScope('t.company')} AND m.kind = 'impressions' AND m.until > :instant::bigint
    AND m.since <= :instant::bigint AND m.total IS NOT NULL AND m.date BETWEEN :from AND :to AND m.date < o.open ${condition})`

/** Values of the parameters of a moment. */
export interface MomentParameters {
  instant: number
  firstOpen: string
  rules: number[]
  /** The first day of each that was not over. */
  open: string[]
}

export const momentParameters = ({ instant, firstOpen, open }: NetworkMoment): MomentParameters => ({
  ...{ instant, firstOpen },
  rules: open.map(([rules]) => rules),
  open: open.map(([, day]) => day),
})

/** Returns the days of a range that were over at any asset. */
export const daysOver = ([from, to]: Dates, { lastDay }: NetworkMoment): Dates => [from, to < lastDay ? to : lastDay]

/** The parameters of a moment and a range. */
export const MOMENT = Object.fromEntries(
  ['from', 'to', 'instant', 'firstOpen', 'rules', 'open'].map(name => [name, parameter(name)]),
)

/** Adds the unsettled months of companies as `unsettled`. */
export const withUnsettled = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.withMaterialized('unsettled', knex.raw(UNSETTLED, MOMENT))

/** SQL: whether the month of a row is settled. */
export const isSettled = (company: string, month: string): string =>
  `NOT EXISTS (SELECT 1 FROM unsettled u WHERE u.company = ${company} AND u.month = ${month})`

/** Returns SQL with the parameters of a moment and a range. */
export const ofMoment = (sql: string): Knex.Raw => knex.raw(sql, MOMENT)

/** The sums of a group in an unsettled month, by day: of days that were what they are now. */
type UnsettledMonth = Group & { month: number; days: number[]; observed: number[] }

/** The sums of a group on a day that was something else. */
export type FormerDay = Group & {
  /** The index of the day in the range. */
  day: number
  impressions: number
  observed: number
}

type Parameters = AssetFilter & MomentParameters & { from: string; to: string }

/** Groups rows `m` by their time and attributes of their assets. */
function byGroup(
  query: Knex.QueryBuilder,
  isFiltered: boolean,
  by: GroupBy | undefined,
  time: string,
): Knex.QueryBuilder {
  const columns: Record<string, string> = { ...(by && GROUPS[by]) }
  query.join('assets as a', 'a.number', 'm.asset').whereRaw(inScope('a.company'))
  query.select(Object.keys(columns).length > 0 ? columns : [])
  query.groupBy([...Object.values(columns), time])
  if (isFiltered) query.modify(whereMatches)
  if (by === 'company') query.join('companies as c', 'c.number', 'a.company')
  return query
}

const sumsOf = (column: string): string =>
  `ARRAY[${DAYS.map(day => `sum(m.${column}[${day}]) FILTER (WHERE ${wasServed(day)})`)}]::bigint[] AS `

const selectUnsettled = (isFiltered: boolean, by: GroupBy | undefined): Knex.QueryBuilder =>
  byGroup(withUnsettled(knex.from(ofMoment(`${unsettledMonths()} AS m`))), isFiltered, by, 'm.month').select(
    'm.month',
    ofMoment(`${sumsOf('totals')} days, ${sumsOf('observed')} observed`),
  )

const selectFormer = (isFiltered: boolean, by: GroupBy | undefined): Knex.QueryBuilder =>
  byGroup(knex.from(ofMoment(`${formerDays()} AS m`)), isFiltered, by, 'm.date').select(
    ofMoment('m.date - :from::date AS day, sum(m.total)::bigint AS impressions, sum(m.observed)::bigint AS observed'),
  )

/**
 * Reads the sums of groups in unsettled months: by month of the days that were what they are now, and by day of others.
 *
 * @param dates that were over at any asset
 */
export function readDaysThen(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by: GroupBy | undefined,
  moment: NetworkMoment,
): Promise<[UnsettledMonth[], FormerDay[]]> {
  const isFiltered = chooseSource(filter) !== 'all'
  const name = `${isFiltered ? '-filtered' : ''}${by ? `-by-${by}` : ''}`
  const [from, to] = dates
  const read = <Row extends object>(statement: BuiltStatement<Parameters>) =>
    reader.read<Row>(statement, statement.bindValues({ ...filter, from, to, ...momentParameters(moment) }))
  return Promise.all([
    read<UnsettledMonth>(buildOnce(`unsettled-months${name}`, () => selectUnsettled(isFiltered, by))),
    read<FormerDay>(buildOnce(`former-days${name}`, () => selectFormer(isFiltered, by))),
  ])
}
