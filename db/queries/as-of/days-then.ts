/**
 * Days of assets as they were at an instant: those that are served since then, and the former totals of others. Sums that have not changed
 * since are read as they are; the months of companies in which anything has, or in which days were not over, are unsettled, and read day
 * by day.
 */
import type { Knex } from 'knex'
import { GROUPS, type Group, type GroupBy } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, chooseSource, whereMatches } from '../asset-filters'
import { buildOnce, knex, parameter } from '../statements'
import type { NetworkMoment } from './moment'

const UNSETTLED = `
  SELECT company, month FROM class_months
  WHERE ${inScope('company')} AND class = 0 AND month BETWEEN month_number(:from) AND month_number(:to)
    AND (number > :instant::bigint OR month >= month_number(:firstOpen))`

const THEN = `
  SELECT d.asset, d.company, d.date, d.total, d.observed
  FROM (
      SELECT m.asset, m.company, month_start(m.month) + generate_series(0, 30) AS date, unnest(m.totals) AS total,
        unnest(m.observed) AS observed, unnest(m.since) AS since
      FROM unsettled u JOIN asset_months m ON m.company = u.company AND m.month = u.month
      WHERE ${inScope('m.company')} AND m.kind = 'impressions' AND m.oldest <= :instant::bigint
      UNION ALL
      SELECT asset, company, date, total, observed, since FROM former_totals
      WHERE ${inScope('company')} AND kind = 'impressions' AND until > :instant::bigint AND date BETWEEN :from AND :to
    ) AS d
    JOIN assets a ON a.number = d.asset JOIN unnest(:rules::integer[], :open::date[]) AS o (rules, open) ON o.rules = a.rules
  WHERE ${inScope('a.company')} AND d.total IS NOT NULL AND d.since <= :instant::bigint AND d.date BETWEEN :from AND :to AND d.date < o.open`

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

const PARAMETERS = Object.fromEntries(
  ['from', 'to', 'instant', 'firstOpen', 'rules', 'open'].map(name => [name, parameter(name)]),
)

/** Adds the unsettled months of companies as `unsettled`. */
export const withUnsettled = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.withMaterialized('unsettled', knex.raw(UNSETTLED, PARAMETERS))

/** SQL: whether the month of a row is settled. */
export const isSettled = (company: string, month: string): string =>
  `NOT EXISTS (SELECT 1 FROM unsettled u WHERE u.company = ${company} AND u.month = ${month})`

/** Adds the days of unsettled months as `days_then`. */
export const withDaysThen = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  withUnsettled(query).withMaterialized('days_then', knex.raw(THEN, PARAMETERS))

/** The sums of a group on a day of an unsettled month. */
export type DayThen = Group & {
  /** The index of the day in the range. */
  day: number
  impressions: number
  observed: number
}

type Parameters = AssetFilter & MomentParameters & { from: string; to: string }

function selectDaysThen(isFiltered: boolean, by: GroupBy | undefined): Knex.QueryBuilder {
  const columns: Record<string, string> = { ...(by && GROUPS[by]) }
  const query = withDaysThen(knex.from('days_then as d'))
    .join('assets as a', 'a.number', 'd.asset')
    .whereRaw(inScope('a.company'))
    .select(Object.keys(columns).length > 0 ? columns : [])
    .select(knex.raw('d.date - :from::date AS day, sum(d.total)::bigint AS impressions', PARAMETERS))
    .select(knex.raw('sum(d.observed)::bigint AS observed'))
    .groupBy([...Object.values(columns), 'd.date'])
  if (isFiltered) query.modify(whereMatches)
  if (by === 'company') query.join('companies as c', 'c.number', 'a.company')
  return query
}

/** Reads the sums of groups by day, in unsettled months. @param dates that were over at any asset */
export function readDaysThen(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by: GroupBy | undefined,
  moment: NetworkMoment,
): Promise<DayThen[]> {
  const isFiltered = chooseSource(filter) !== 'all'
  const name = `days-then${isFiltered ? '-filtered' : ''}${by ? `-by-${by}` : ''}`
  const statement = buildOnce<Parameters>(name, () => selectDaysThen(isFiltered, by))
  const [from, to] = dates
  return reader.read(statement, statement.bindValues({ ...filter, from, to, ...momentParameters(moment) }))
}
