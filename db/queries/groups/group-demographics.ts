/**
 * Reads demographics of all assets that match a filter, summed in the database. Dates are inclusive local days of each
 * asset. Sums come from the totals of companies, of classes of assets, or of assets, whichever are the fewest rows that the
 * filter allows.
 */
import type { Knex } from 'knex'
import type { Dates } from '../../calendar/local-days'
import { monthStartsAndDaysOf } from '../../calendar/month-ranges'
import { COMPANY_SCOPE, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, reachOf, whereClassMatches, whereMatches } from '../asset-filters'
import { type Cells, cellsOf, GROUP_COLUMNS, SUMS, type SummedGroups } from '../demographics'
import { buildStatement, knex, parameter } from '../statements'
import { countAssets } from './measured-assets'

interface Range {
  from: string
  to: string
  /** The first days of the months that are in the range as a whole. */
  months: readonly string[]
  /** The days of the other months. */
  days: readonly string[]
}

interface DemographicsRow extends SummedGroups {
  assetCount: number
}

const inScope = (column: string): string => `${column} = ANY (${COMPANY_SCOPE})`

const MONTHS = { months: parameter('months') }

const DAYS = { days: parameter('days') }

/** The sums of all assets of companies, or of classes. */
const networkSums = (classes: string): Knex.QueryBuilder => {
  const rows = (span: 'month' | 'day', starts: string) =>
    `SELECT * FROM network_demographics WHERE ${inScope('company')} AND span = '${span}' AND start = ANY (:${starts}::date[]) AND ${classes}`
  return knex
    .from(knex.raw(`(${rows('month', 'months')} UNION ALL ${rows('day', 'days')}) AS d`, { ...MONTHS, ...DAYS }))
    .select(knex.raw(`${SUMS}::bigint[] AS cells`))
}

const ALL = buildStatement<AssetFilter & Range>(
  'demographics-of-companies',
  networkSums('class IS NULL').select({ assetCount: countAssets('described_assets', false) }),
)

const OF_CLASSES = buildStatement<AssetFilter & Range>(
  'demographics-of-classes',
  networkSums('class IS NOT NULL')
    .join('asset_classes as a', 'a.number', 'd.class')
    .whereRaw(inScope('a.company'))
    .modify(whereClassMatches)
    .select({ assetCount: countAssets('described_assets', true) }),
)

/** The sums of each asset are read by its number. */
const assetSums = (): Knex.QueryBuilder => {
  const columns = GROUP_COLUMNS.join(', ')
  return knex
    .from('assets as a')
    .joinRaw(
      `CROSS JOIN LATERAL (
        SELECT count(*) AS rows, ${GROUP_COLUMNS.map(group => `sum(${group}) AS ${group}`).join(', ')} FROM (
          SELECT ${columns} FROM asset_demographics WHERE asset = a.number AND start = ANY (:months::date[])
          UNION ALL
          SELECT ${columns} FROM demographic_days WHERE asset = a.number AND date = ANY (:days::date[])
        ) AS d
      ) AS d`,
      { ...MONTHS, ...DAYS },
    )
    .select(knex.raw(`(count(*) FILTER (WHERE d.rows > 0))::integer AS "assetCount", ${SUMS}::bigint[] AS cells`))
    .whereRaw(inScope('a.company'))
}

const OF_ASSETS = buildStatement<AssetFilter & Range>('demographics-of-assets', assetSums().modify(whereMatches))

const IDS = { ids: parameter('ids') }

/** Without other filters, PostgreSQL looks up the ids, instead of checking all assets in scope. */
const OF_IDS = buildStatement<AssetFilter & Range>(
  'demographics-of-ids',
  assetSums().whereRaw('a.id = ANY (:ids::text[])', IDS),
)

const STATEMENTS = { all: ALL, classes: OF_CLASSES, assets: OF_ASSETS }

/** The number of assets in scope with one of the ids. */
const KNOWN = buildStatement<{ ids: readonly string[] }>(
  'known-assets',
  knex
    .from('assets as a')
    .select(knex.raw('count(*)::integer AS known'))
    .whereRaw(`${inScope('a.company')} AND a.id = ANY (:ids::text[])`, IDS),
)

/**
 * Demographics of all assets that match a filter, and how many of them have data.
 *
 * @returns undefined when one of the filter's ids is unknown or out of scope
 */
export async function readAggregateDemographics(
  reader: ScopedReader,
  dates: Dates,
  filter: AssetFilter,
): Promise<{ assetCount: number; cells: Cells } | undefined> {
  const { ids, ...others } = filter
  const onlyIds = ids && Object.values(others).every(value => value == null)
  const statement = onlyIds ? OF_IDS : STATEMENTS[reachOf(filter)]
  const [from, to] = dates
  const [[row], [found]] = await Promise.all([
    reader.read<DemographicsRow>(
      statement,
      statement.valuesOf({ ...filter, from, to, ...monthStartsAndDaysOf(dates) }),
    ),
    ids ? reader.read<{ known: number }>(KNOWN, KNOWN.valuesOf({ ids })) : [undefined],
  ])
  return row && (!ids || found?.known === new Set(ids).size)
    ? { assetCount: row.assetCount, cells: cellsOf(row) }
    : undefined
}
