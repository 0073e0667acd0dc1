/** Reads the impressions of each asset that matches a filter, summed over a range of inclusive local days. */
import type { Knex } from 'knex'
import type { Dates } from '../../calendar/local-days'
import { monthParameters } from '../../calendar/month-ranges'
import { COMPANY_SCOPE, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, determineReach, whereMatches } from '../asset-filters'
import { type BuiltStatement, buildStatement, knex, parameter } from '../statements'
import { DAY_COLUMNS } from './asset-groups'
import { unitedBlocks } from './measured-assets'

export interface TopAsset {
  id: string
  /** Null without counts. */
  impressions: number | null
}

export interface AssetSum extends TopAsset {
  /** Native intervals with a count. */
  observed: number
  daysWithData: number
}

type Parameters = AssetFilter & ReturnType<typeof monthParameters> & { from: string; to: string; limit: number | null }

const IN_SCOPE = `company = ANY (${COMPANY_SCOPE})`

/** A column of sums: the one of a whole month, and the value of a day. */
interface SummedColumn {
  name: string
  ofDay(day: number): string
}

const IMPRESSIONS: SummedColumn = { name: 'impressions', ofDay: day => `coalesce(day_${day}, 0)` }

const ALL_COLUMNS: readonly SummedColumn[] = [
  IMPRESSIONS,
  { name: 'observed_total', ofDay: day => `coalesce(observed[${day}], 0)` },
  { name: 'days_with_data', ofDay: day => `(day_${day} IS NOT NULL)::integer` },
]

/** Returns the SQL of the sums of a month that is cut. */
function cut(n: 1 | 2, columns: readonly SummedColumn[]): string {
  const sums = columns.map(({ ofDay }) =>
    DAY_COLUMNS.map(
      (_, i) => `CASE WHEN ${i + 1} BETWEEN :first${n}::integer AND :last${n}::integer THEN ${ofDay(i + 1)} ELSE 0 END`,
    ).join(' + '),
  )
  return `SELECT asset, ${sums} FROM asset_months WHERE ${IN_SCOPE} AND month = :month${n}::integer`
}

/** Returns the SQL of the sums of assets by month, restricted by a condition. */
const months = (columns: readonly SummedColumn[], condition = ''): string => `
  SELECT asset, ${columns.map(({ name }) => name)} FROM asset_months
    WHERE ${IN_SCOPE} AND month = ANY (:whole::integer[]) ${condition}
  UNION ALL ${cut(1, columns)} ${condition}
  UNION ALL ${cut(2, columns)} ${condition}`

const sumsOf = (columns: readonly SummedColumn[]): string =>
  columns.map(({ name }) => `sum(${name})::bigint AS ${name}`).join(', ')

/** Returns the SQL of the sums of all assets, whose months are read once. */
const sumsOfAll = (columns: readonly SummedColumn[]): string =>
  `SELECT asset, ${sumsOf(columns)} FROM (${months(columns)}) AS m GROUP BY asset`

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

/** Returns the statements for sums of these columns. */
function statements(name: string, columns: readonly SummedColumn[]) {
  const others = [
    knex.raw('coalesce(m.observed_total, 0) AS observed'),
    knex.raw('coalesce(m.days_with_data, 0) AS "daysWithData"'),
  ]
  const build = (suffix: string, query: Knex.QueryBuilder) =>
    buildStatement<Parameters>(`${name}${suffix}`, columns === ALL_COLUMNS ? query.select(others) : query)
  return {
    all: build('', withCounts(`LEFT JOIN (${sumsOfAll(columns)}) AS m ON m.asset = a.number`).modify(whereMatches)),
    /** The months of few assets are looked up. */
    some: build(
      '-of-ids',
      withCounts(
        `CROSS JOIN LATERAL (SELECT ${sumsOf(columns)} FROM (${months(columns, 'AND asset = a.number')}) AS m) AS m`,
      ).modify(whereMatches),
    ),
  }
}

const SUMS = statements('asset-sums', ALL_COLUMNS)

const TOP = {
  ...statements('top-assets', [IMPRESSIONS]),
  /** Only the largest sums are joined with their assets. */
  unfiltered: buildStatement<Parameters>(
    'top-assets-unfiltered',
    withCounts(
      `JOIN (${sumsOfAll([IMPRESSIONS])} ORDER BY impressions DESC NULLS LAST FETCH FIRST (:limit::integer) ROWS WITH TIES) AS m ON m.asset = a.number`,
    ),
  ),
}

/** Returns the assets that match a filter, most impressions first, those without counts last; equal ones by id. */
export function readAssetSums(reader: ScopedReader, filter: AssetFilter, dates: Dates): Promise<AssetSum[]> {
  return read(reader, filter.id ? SUMS.some : SUMS.all, filter, dates, null)
}

/** Returns the first ones of the same. Assets without counts may be missing. */
export function readTopAssets(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  limit: number,
): Promise<TopAsset[]> {
  const statement = filter.id ? TOP.some : determineReach(filter) === 'all' ? TOP.unfiltered : TOP.all
  return read(reader, statement, filter, dates, limit)
}

function read<Row extends TopAsset>(
  reader: ScopedReader,
  statement: BuiltStatement<Parameters>,
  filter: AssetFilter,
  dates: Dates,
  limit: number | null,
): Promise<Row[]> {
  const [from, to] = dates
  return reader.read(statement, statement.bindValues({ ...filter, from, to, ...monthParameters(dates), limit }))
}
