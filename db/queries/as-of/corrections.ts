/**
 * Corrects sums of many assets to what they were at an instant: for each day of an asset that had another value, the difference between
 * the value then and now. Few days differ, and the sums of all others are read as they are.
 */
import type { Knex } from 'knex'
import { type Dates, dayNumber } from '../../calendar/local-days'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, chooseSource, whereMatches } from '../asset-filters'
import { GROUPS, type Group, type GroupBy } from '../groups/asset-groups'
import { DAY_COLUMNS } from '../impressions'
import { buildOnce, knex, parameter } from '../statements'
import { formerDays, formerInstallations } from './former-days'
import type { NetworkMoment } from './moment'

/** SQL: the days of assets in scope that were not over, which had no value. */
const OPEN_DAYS = `
    UNION ALL
    SELECT a.number, a.company, day, 0, NULL, NULL
    FROM unnest(:behind::integer[], :open::integer[]) AS o (rules, first)
      JOIN (
        SELECT a.number, a.company, coalesce(f.rules, a.rules) AS rules
        FROM assets a LEFT JOIN former_installed f ON f.asset = a.number WHERE ${inScope('a.company')}
      ) AS a ON a.rules = o.rules
      CROSS JOIN generate_series(greatest(o.first, 0), :to::date - :from::date) AS day
    WHERE cardinality(:behind::integer[]) > 0`

const FORMER_DAYS = formerDays(
  {
    ofSteps: '',
    ofLateDays: `CROSS JOIN LATERAL (
      SELECT generate_series(lower(numbers), upper(numbers) - 1) AS number FROM unnest(l.assets) AS numbers) AS a`,
  },
  OPEN_DAYS,
)

/** SQL: the differences by asset and day. A month of an asset is looked up once: LIMIT keeps it from being joined with all months. */
const CORRECTIONS = `
  SELECT f.asset, f.company, d.day,
    coalesce(d.impressions, 0) - coalesce(m.impressions[n.day], 0) AS impressions,
    coalesce(d.observed, 0) - coalesce(m.observed[n.day], 0) AS observed,
    (d.impressions IS NOT NULL)::integer - (m.impressions[n.day] IS NOT NULL)::integer AS days_with_data
  FROM (
      SELECT asset, company, month_number(:from::date + day) AS month, array_agg(day) AS days,
        array_agg(impressions) AS impressions, array_agg(observed) AS observed
      FROM former GROUP BY 1, 2, 3
    ) AS f
    LEFT JOIN LATERAL (
      SELECT ARRAY[${DAY_COLUMNS}] AS impressions, observed FROM asset_months
      WHERE asset = f.asset AND month = f.month AND ${inScope('company')} LIMIT 1
    ) AS m ON true
    CROSS JOIN LATERAL unnest(f.days, f.impressions, f.observed) AS d (day, impressions, observed)
    CROSS JOIN LATERAL (SELECT extract(day FROM :from::date + d.day)::integer AS day) AS n`

/** Values of the parameters of a moment. */
export interface MomentParameters {
  instant: number
  behind: number[]
  /** The first open day of each, since the first day of the range. */
  open: number[]
}

export const momentParameters = ({ instant, behind }: NetworkMoment, [from]: Dates): MomentParameters => ({
  instant,
  behind: behind.map(([rules]) => rules),
  open: behind.map(([, day]) => dayNumber(day) - dayNumber(from)),
})

/** Returns the days of a range that were over at any asset. */
export const daysOver = ([from, to]: Dates, { lastDay }: NetworkMoment): Dates => [from, to < lastDay ? to : lastDay]

const PARAMETERS = Object.fromEntries(['from', 'to', 'instant', 'behind', 'open'].map(name => [name, parameter(name)]))

/** Adds what assets had then as `former_installed`. */
export const withFormerInstallations = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.withMaterialized('former_installed', knex.raw(formerInstallations(), PARAMETERS))

/** Adds the values of days then as `former`. */
export const withFormerDays = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  withFormerInstallations(query).withMaterialized('former', knex.raw(FORMER_DAYS, PARAMETERS))

/** Adds the differences as `corrections`. */
export const withCorrections = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  withFormerDays(query).withMaterialized('corrections', knex.raw(CORRECTIONS, PARAMETERS))

/** The sums of differences of a group on a day. */
export type Correction = Group & {
  /** The index of the day in the range. */
  day: number
  impressions: number
  observed: number
}

type Parameters = AssetFilter & MomentParameters & { from: string; to: string }

function selectCorrections(isFiltered: boolean, by: GroupBy | undefined): Knex.QueryBuilder {
  const columns: Record<string, string> = { ...(by && GROUPS[by]), day: 'f.day' }
  const query = withCorrections(knex.from('corrections as f'))
    .join('assets as a', 'a.number', 'f.asset')
    .whereRaw(inScope('a.company'))
    .select(columns)
    .select(knex.raw('sum(f.impressions)::bigint AS impressions, sum(f.observed)::bigint AS observed'))
    .groupBy(Object.values(columns))
  if (isFiltered) query.modify(whereMatches)
  return query
}

/** Reads the corrections of groups by day. @param dates that were over at any asset */
export function readCorrections(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by: GroupBy | undefined,
  moment: NetworkMoment,
): Promise<Correction[]> {
  const isFiltered = chooseSource(filter) !== 'all'
  const name = `corrections${isFiltered ? '-filtered' : ''}${by ? `-by-${by}` : ''}`
  const statement = buildOnce<Parameters>(name, () => selectCorrections(isFiltered, by))
  const [from, to] = dates
  return reader.read(statement, statement.bindValues({ ...filter, from, to, ...momentParameters(moment, dates) }))
}
