/**
 * Reads impressions and demographics of all assets that match a filter, summed in the database. Dates are inclusive local
 * days of each asset.
 */
import type { Knex } from 'knex'
import type { Dates } from '../calendar/local-days'
import { COMPANY_SCOPE, type ScopedReader } from '../postgres/scoped-reader'
import { type AssetFilter, whereMatches } from './asset-filters'
import { type Cells, cellsOf, GROUP_COLUMNS, SUMS, type SummedGroups } from './demographics'
import { type BuiltStatement, buildStatement, knex, parameter } from './statements'

export interface Sum {
  impressions: number
  /** The number of assets with data. */
  assetCount: number
}

type Parameters = AssetFilter & { from: string; to: string }

const RANGE = { from: parameter('from'), to: parameter('to') }

const inScope = (column: string): string => `${column} = ANY (${COMPANY_SCOPE})`

/** A statement that sums impressions by some columns; `arrange` completes its query. */
function sumBy<More extends object = object>(
  name: string,
  columns: string[],
  arrange: (query: Knex.QueryBuilder) => Knex.QueryBuilder = query => query,
): BuiltStatement<Parameters & More> {
  const query = knex
    .from('assets as a')
    .join('sensor_days as d', join => join.on('d.asset', 'a.number').onBetween('d.date', [RANGE.from, RANGE.to]))
    .select(...columns)
    .select(knex.raw('coalesce(sum(d.impressions), 0)::bigint AS impressions'))
    .select(knex.raw('count(DISTINCT d.asset)::integer AS "assetCount"'))
    .whereRaw(inScope('a.company'))
    .whereRaw(inScope('d.company'))
    .modify(whereMatches)
  if (columns.length > 0) query.groupBy(columns)
  return buildStatement(`group-${name}`, arrange(query))
}

const TOTAL = sumBy('total', [], query => query.select(knex.raw('count(DISTINCT d.date)::integer AS "daysWithData"')))

const BY_DATE = sumBy('by-date', ['d.date'])

const BY_COMPANY = sumBy('by-company', ['c.id', 'c.name'], query =>
  query.join('companies as c', 'c.number', 'a.company').orderBy('impressions', 'desc').orderBy('c.id'),
)

const BY_REGION = sumBy('by-region', ['a.country', 'a.region'], query =>
  query.orderBy('impressions', 'desc').orderBy('a.country').orderBy('a.region'),
)

const TOP = sumBy<{ limit: number }>('top', ['a.id'], query =>
  // Knex's limit() takes no parameter.
  query.orderBy('impressions', 'desc').orderByRaw('a.id LIMIT :limit', { limit: parameter('limit') }),
)

export type Total = Sum & { daysWithData: number }

export async function readTotal(reader: ScopedReader, filter: AssetFilter, [from, to]: Dates): Promise<Total> {
  const [total] = await reader.read<Total>(TOTAL, TOTAL.valuesOf({ ...filter, from, to }))
  return total as Total
}

/** By date with data, in no order. */
export const readByDate = (
  reader: ScopedReader,
  filter: AssetFilter,
  [from, to]: Dates,
): Promise<(Sum & { date: string })[]> => reader.read(BY_DATE, BY_DATE.valuesOf({ ...filter, from, to }))

/** By company, most impressions first. */
export const readByCompany = (
  reader: ScopedReader,
  filter: AssetFilter,
  [from, to]: Dates,
): Promise<(Sum & { id: string; name: string })[]> =>
  reader.read(BY_COMPANY, BY_COMPANY.valuesOf({ ...filter, from, to }))

/** By region of the assets, most impressions first. */
export const readByRegion = (
  reader: ScopedReader,
  filter: AssetFilter,
  [from, to]: Dates,
): Promise<(Sum & { country: string; region: string | null })[]> =>
  reader.read(BY_REGION, BY_REGION.valuesOf({ ...filter, from, to }))

/** The ids of the `limit` assets with most impressions. */
export const readTop = (
  reader: ScopedReader,
  filter: AssetFilter,
  [from, to]: Dates,
  limit: number,
): Promise<(Sum & { id: string })[]> => reader.read(TOP, TOP.valuesOf({ ...filter, from, to, limit }))

interface DemographicsRow extends SummedGroups {
  /** The number of assets in scope with one of the filter's ids. */
  known: number
  assetCount: number
}

function sumDemographics<Parameters extends object>(
  name: string,
  restrict: (query: Knex.QueryBuilder) => void,
): BuiltStatement<Parameters & { from: string; to: string }> {
  const query = knex
    .from('assets as a')
    .joinRaw(
      `CROSS JOIN LATERAL (
        SELECT count(*) AS days, ${GROUP_COLUMNS.map(group => `sum(${group}) AS ${group}`).join(', ')}
        FROM demographic_days WHERE asset = a.number AND date BETWEEN :from AND :to
      ) AS d`,
      RANGE,
    )
    .select(
      knex.raw(
        `(SELECT count(*)::integer FROM assets WHERE id = ANY (:ids::text[]) AND ${inScope('company')}) AS known`,
        {
          ids: parameter('ids'),
        },
      ),
      knex.raw(`(count(*) FILTER (WHERE d.days > 0))::integer AS "assetCount", ${SUMS}::bigint[] AS cells`),
    )
    .whereRaw(inScope('a.company'))
    .modify(restrict)
  return buildStatement(name, query)
}

const DEMOGRAPHICS = sumDemographics<AssetFilter>('demographics-aggregate', whereMatches)

/** Without other filters, PostgreSQL looks up the ids, instead of checking all assets in scope. */
const DEMOGRAPHICS_OF_IDS = sumDemographics<{ ids: readonly string[] }>('demographics-aggregate-of-ids', query =>
  query.whereRaw('a.id = ANY (:ids::text[])', { ids: parameter('ids') }),
)

/**
 * Demographics of all assets that match a filter, and how many of them have data.
 *
 * @returns undefined when one of the filter's ids is unknown or out of scope
 */
export async function readAggregateDemographics(
  reader: ScopedReader,
  [from, to]: Dates,
  filter: AssetFilter,
): Promise<{ assetCount: number; cells: Cells } | undefined> {
  const { ids, ...others } = filter
  const [row] =
    ids && Object.values(others).every(value => value == null)
      ? await reader.read<DemographicsRow>(DEMOGRAPHICS_OF_IDS, DEMOGRAPHICS_OF_IDS.valuesOf({ ids, from, to }))
      : await reader.read<DemographicsRow>(DEMOGRAPHICS, DEMOGRAPHICS.valuesOf({ ...filter, from, to }))
  const wanted = ids && new Set(ids).size
  return row && (wanted == null || row.known === wanted)
    ? { assetCount: row.assetCount, cells: cellsOf(row) }
    : undefined
}
