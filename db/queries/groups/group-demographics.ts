/**
 * Reads demographics of all assets that match a filter, summed in the database. Dates are inclusive local days of each
 * asset.
 */
import type { Knex } from 'knex'
import type { Dates } from '../../calendar/local-days'
import { COMPANY_SCOPE, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, whereMatches } from '../asset-filters'
import { type Cells, cellsOf, GROUP_COLUMNS, SUMS, type SummedGroups } from '../demographics'
import { type BuiltStatement, buildStatement, knex, parameter } from '../statements'

const RANGE = { from: parameter('from'), to: parameter('to') }

const inScope = (column: string): string => `${column} = ANY (${COMPANY_SCOPE})`

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
