/**
 * Impressions as they were at an instant of the past: the days that are served since then, and the former totals of others. The counts are
 * those of then, and all else is as it is recorded now. The months of assets that have not changed since, and whose days were over, are
 * settled, and read as they are; of others each day is compared with the last transaction by then.
 */
import { GROUPS, type Group, type GroupBy } from '../assets/attributes'
import { type Dates, dateOf, dayAt, dayNumber } from '../calendar/local-days'
import { DAYS } from '../calendar/month-ranges'
import type { ZoneRules } from '../calendar/zone-rules'
import { COMPANY_SCOPE, inScope, type ScopedReader } from '../postgres/scoped-reader'
import { readZoneRules } from '../zones/scoped-rules'
import { type AssetFilter, hasConditions, MATCHES } from './asset-filters'
import { named, readRow, readRows } from './statements'

export interface Instant {
  /** In milliseconds since 1970: it decides which days were over. */
  time: number
  /** The instant by which commits were made: RFC 3339, or `infinity` at the present, also where the last commit lies in the future. */
  committed: string
}

/** A day is over this many seconds after its end: from then on the ledger has its changes. */
const SECONDS_UNTIL_OVER = 6 * 3600

/** Returns the first local day that was not over at an instant. */
export const firstOpenDay = (rules: ZoneRules, { time }: Pick<Instant, 'time'>): string =>
  dayAt(rules, Math.floor(time / 1000) - SECONDS_UNTIL_OVER).date

const BEGINNING = `SELECT committed_at AS at FROM transactions WHERE reason = 'begin' AND ${COMPANY_SCOPE} IS NOT NULL`

/** Returns the first instant of the ledger, in milliseconds since 1970. */
export async function readBeginning(reader: ScopedReader): Promise<number> {
  const row = await readRow<{ at: string }>(reader, 'ledger-beginning', () => BEGINNING)
  return Date.parse(row!.at)
}

/** The last transaction by an instant, and the zone rules of assets in scope. */
const MOMENT = `
SELECT number_at(:committed) AS number, ARRAY(SELECT DISTINCT rules FROM assets WHERE ${inScope('company')} ORDER BY rules) AS rules`

/** An instant with the days that were over at assets in scope. */
export interface NetworkMoment {
  /** The number of the last transaction by then. */
  number: number
  /** The last day that was over at any asset, and the first one that was not over at some. */
  lastDay: string
  firstOpen: string
  /** The first day that was not over by each of their zone rules. */
  open: readonly (readonly [rules: number, day: string])[]
}

/** Reads the moment in a batch of its own: how far others read depends on it. */
export async function readNetworkMoment(reader: ScopedReader, instant: Instant): Promise<NetworkMoment> {
  const parameters = { committed: instant.committed }
  const row = await readRow<{ number: number; rules: number[] }>(reader, 'moment', () => MOMENT, parameters)
  const { number, rules: numbers } = row!
  const rules = await readZoneRules(reader, numbers)
  const open = numbers.map(each => [each, firstOpenDay(rules.get(each)!, instant)] as const)
  const days = open.map(([, day]) => day).sort()
  const [firstOpen = '0001-01-02', last = firstOpen] = [days[0], days.at(-1)]
  return { number, lastDay: dateOf(dayNumber(last) - 1), firstOpen, open }
}

/** SQL: whether a month has days that were not over at some asset. */
export const isOpen = (month: string): string => `${month} >= month_number(:firstOpen)`

/** SQL: whether the month of a row `m` of asset_months is settled. */
export const IS_SETTLED = `m.newest <= :number::bigint AND NOT ${isOpen('m.month')}`

/** SQL: the first day of the asset of a row `m` that was not over. */
const OPEN = `(
  SELECT o.open FROM assets a JOIN unnest(:rules::integer[], :open::date[]) AS o (rules, open) USING (rules)
  WHERE ${inScope('a.company')} AND a.number = m.asset)`

/** SQL: the days of the month of a row `m` that were what they are now, as bits: bit 0 is the first day. */
const UNCHANGED = DAYS.map(day => `((m.since[${day}] <= :number::bigint IS TRUE)::integer << ${day - 1})`).join(' | ')

/** SQL: the days of the month of a row `m` in the range that were over, as bits. */
const OVER = `greatest(0, 2 ^ greatest(0, least(31, :to::date - month_start(m.month) + 1,
    CASE WHEN ${isOpen('m.month')} THEN coalesce(${OPEN} - month_start(m.month), 0) END))
  - 2 ^ greatest(0, least(31, :from::date - month_start(m.month))))::integer`

/**
 * SQL: the unsettled months of assets, as they are now, with the days that are in the range, were over and what they are now: `served`, as
 * bits, which are found once each.
 *
 * @param condition restricts the rows `m`
 */
export const unsettledMonths = (condition = ''): string => `(
  SELECT m.*, CASE WHEN m.oldest <= :number::bigint THEN (${UNCHANGED}) & ${OVER} ELSE 0 END AS served
  FROM asset_months m
  WHERE ${inScope('m.company')} AND m.kind = 'impressions' AND m.month BETWEEN month_number(:from) AND month_number(:to)
    AND NOT (${IS_SETTLED}) ${condition} OFFSET 0)`

/** SQL: whether a day of an unsettled month `m` was what it is now. */
export const wasServed = (day: number): string => `m.served & ${1 << (day - 1)} <> 0`

/**
 * SQL: the days that were something else than they are now. The dates are compared as a difference, so that PostgreSQL does not
 * search by date: few days were replaced since the instant.
 *
 * @param condition restricts the rows `m`
 */
export const formerDays = (condition = ''): string => `(
  SELECT m.asset, m.company, m.date, m.total, m.observed FROM former_totals m
  WHERE ${inScope('m.company')} AND m.kind = 'impressions' AND m.until > :number::bigint AND m.since <= :number::bigint
    AND m.total IS NOT NULL AND m.date - :from::date BETWEEN 0 AND :to::date - :from::date
    AND (m.date < :firstOpen OR m.date < ${OPEN}) ${condition} OFFSET 0)`

/** Returns the parameters of a moment: `open` has the first day of each of the rules that was not over. */
export const momentParameters = ({ number, firstOpen, open }: NetworkMoment): object => ({
  ...{ number, firstOpen },
  rules: open.map(([rules]) => rules),
  open: open.map(([, day]) => day),
})

/** Returns the days of a range that were over at any asset. */
export const daysOver = ([from, to]: Dates, { lastDay }: NetworkMoment): Dates => [from, to < lastDay ? to : lastDay]

/** The sums of a group by day of a month, also for days outside the range, with the number of assets that have counts. */
export type DaySums = Group & Record<'days' | 'observed' | 'assets', number[]> & { month: number }

/** Returns the SQL of the same from months `m`. @param filter restricts the rows of a day */
export function sumsByDay(filter = (_day: number) => ''): string {
  const array = (call: string) => `ARRAY[${DAYS.map(day => `${call}_${day}) ${filter(day)}`)}]::bigint[]`
  return `${array('sum(m.day')} AS days, ${array('sum(m.observed')} AS observed, ${array('count(m.day')} AS assets`
}

/** The sums of a group on a day that was something else. */
export type FormerDay = Group & {
  /** The index of the day in the range. */
  day: number
  impressions: number
  observed: number
  assets: number
}

const inFilter = (isFiltered: boolean): string =>
  isFiltered ? `AND m.asset IN (SELECT a.number FROM assets a WHERE ${inScope('a.company')} AND ${MATCHES})` : ''

/** Returns the SQL of sums of rows `m` by their time and by attributes of their assets. */
function sumsOf(rows: string, time: string, sums: string, by: GroupBy | undefined): string {
  const columns = by ? GROUPS[by] : {}
  const assets = by ? `JOIN assets a ON a.number = m.asset WHERE ${inScope('a.company')}` : ''
  return `SELECT ${[...named(columns), sums]} FROM ${rows} AS m ${assets} GROUP BY ${[...Object.values(columns), time]}`
}

const selectUnsettled = (isFiltered: boolean, by: GroupBy | undefined): string => {
  const sums = `m.month, ${sumsByDay(day => `FILTER (WHERE ${wasServed(day)})`)}`
  return sumsOf(unsettledMonths(inFilter(isFiltered)), 'm.month', sums, by)
}

const selectFormer = (isFiltered: boolean, by: GroupBy | undefined): string => {
  const sums = `m.date - :from::date AS day, sum(m.total)::bigint AS impressions, sum(m.observed)::bigint AS observed,
    count(*)::integer AS assets`
  return sumsOf(formerDays(inFilter(isFiltered)), 'm.date', sums, by)
}

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
): Promise<[DaySums[], FormerDay[]]> {
  const isFiltered = hasConditions(filter)
  const name = `${isFiltered ? '-filtered' : ''}${by ? `-by-${by}` : ''}`
  const [from, to] = dates
  const parameters = { ...filter, from, to, ...momentParameters(moment) }
  return Promise.all([
    readRows<DaySums>(reader, `unsettled-months${name}`, () => selectUnsettled(isFiltered, by), parameters),
    readRows<FormerDay>(reader, `former-days${name}`, () => selectFormer(isFiltered, by), parameters),
  ])
}
