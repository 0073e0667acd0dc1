/** Reads the impressions of each asset that matches a filter, summed over a range of inclusive local days. */
import type { Knex } from 'knex'
import type { Dates } from '../../calendar/local-days'
import { monthParameters } from '../../calendar/month-ranges'
import { COMPANY_SCOPE, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, determineReach, whereMatches } from '../asset-filters'
import { buildStatement, knex, parameter } from '../statements'
import { DAY_COLUMNS } from './asset-groups'
import { unitedBlocks } from './measured-assets'

export interface AssetSum {
  id: string
  /** Null without counts. */
  impressions: number | null
}

type Parameters = AssetFilter & ReturnType<typeof monthParameters> & { from: string; to: string; limit: number | null }

const IN_SCOPE = `company = ANY (${COMPANY_SCOPE})`

/** Returns the SQL of the sum of a month that is cut. */
const cut = (n: 1 | 2): string => {
  const days = DAY_COLUMNS.map(
    (column, i) =>
      `CASE WHEN ${i + 1} BETWEEN :first${n}::integer AND :last${n}::integer THEN coalesce(${column}, 0) ELSE 0 END`,
  )
  return `SELECT asset, ${days.join(' + ')} FROM asset_months WHERE ${IN_SCOPE} AND month = :month${n}::integer`
}

/** Returns the SQL of the months of assets, restricted by a condition. */
const months = (condition: string): string => `
  SELECT asset, impressions FROM asset_months WHERE ${IN_SCOPE} AND month = ANY (:whole::integer[]) ${condition}
  UNION ALL ${cut(1)} ${condition}
  UNION ALL ${cut(2)} ${condition}`

const PARAMETERS = Object.fromEntries(
  ['limit', 'whole', 'month1', 'first1', 'last1', 'month2', 'first2', 'last2'].map(name => [name, parameter(name)]),
)

const withCounts = (sums: string): Knex.QueryBuilder =>
  knex
    .with('days', unitedBlocks('range'))
    .from('assets as a')
    .joinRaw(sums, PARAMETERS)
    .joinRaw('LEFT JOIN days AS d ON d.company = a.company AND d.block = a.number / 2048')
    .select('a.id', knex.raw('CASE WHEN get_bit(d.assets, a.number % 2048) = 1 THEN m.impressions END AS impressions'))
    .whereRaw(`a.${IN_SCOPE}`)
    // Knex's limit() takes no parameter.
    .orderByRaw('impressions DESC NULLS LAST, a.id LIMIT :limit', { limit: parameter('limit') })

/** The months of all assets are read once. */
const SUMS = `SELECT asset, sum(impressions)::bigint AS impressions FROM (${months('')}) AS m GROUP BY asset`

const ALL = buildStatement<Parameters>(
  'asset-sums',
  withCounts(`LEFT JOIN (${SUMS}) AS m ON m.asset = a.number`).modify(whereMatches),
)

/** Only the largest sums are joined with their assets. */
const TOP = buildStatement<Parameters>(
  'asset-sums-top',
  withCounts(
    `JOIN (${SUMS} ORDER BY impressions DESC NULLS LAST FETCH FIRST (:limit::integer) ROWS WITH TIES) AS m ON m.asset = a.number`,
  ),
)

/** The months of few assets are looked up. */
const SOME = buildStatement<Parameters>(
  'asset-sums-of-ids',
  withCounts(
    `CROSS JOIN LATERAL (SELECT sum(impressions)::bigint AS impressions FROM (${months('AND asset = a.number')}) AS m) AS m`,
  ).modify(whereMatches),
)

/**
 * Returns the assets that match a filter, most impressions first, those without counts last; equal ones by id.
 *
 * @param limit the maximum number of assets, of which those without counts may be missing; null for all
 */
export function readAssetSums(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  limit: number | null,
): Promise<AssetSum[]> {
  const statement = filter.id ? SOME : determineReach(filter) === 'all' && limit !== null ? TOP : ALL
  const [from, to] = dates
  return reader.read(statement, statement.bindValues({ ...filter, from, to, ...monthParameters(dates), limit }))
}
