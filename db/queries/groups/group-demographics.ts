/**
 * Reads demographics of all assets that match a filter, summed in the database. Dates are inclusive local days of each
 * asset. Sums come from the totals of classes of assets, or of assets where the filter needs them.
 */
import type { Knex } from 'knex'
import type { AssetAttribute } from '../../../schema/generated'
import { GROUPS, type Group } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import { monthParameters } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, chooseSource, type Source, whereClassMatches, whereMatches } from '../asset-filters'
import { readUnknownIds } from '../assets'
import { type Cells, fillCells, GROUP_COLUMNS, SUMS, type SummedGroups } from '../demographics'
import { type BuiltStatement, buildOnce, buildStatement, knex, parameter } from '../statements'
import { countAssets, readAssetsWithCounts } from './measured-assets'

type Parameters = AssetFilter & ReturnType<typeof monthParameters> & { from: string; to: string }

interface DemographicsRow extends SummedGroups {
  assetCount: number
  /** The number of assets that match the filter, where the sums of each are read. */
  matching?: number
}

const MONTHS = Object.fromEntries(
  ['from', 'to', 'whole', 'month1', 'first1', 'last1', 'month2', 'first2', 'last2'].map(name => [
    name,
    parameter(name),
  ]),
)

/** Returns the SQL of the condition that a date is in a month that is cut. */
const isInCut = (n: 1 | 2): string =>
  `date BETWEEN month_start(:month${n}::integer) + :first${n}::integer - 1 AND month_start(:month${n}::integer) + :last${n}::integer - 1`

/** The sums of classes, or of all assets of companies, which are class 0. */
const classSums = (byClass: boolean): Knex.QueryBuilder => {
  const sums = (table: string, condition: string) =>
    `SELECT company, class, ${GROUP_COLUMNS.join(', ')} FROM ${table}
     WHERE ${inScope('company')} AND class ${byClass ? '>' : '='} 0 AND ${condition}`
  const months = sums('class_demographics', 'month = ANY (:whole::integer[])')
  const [cut1, cut2] = ([1, 2] as const).map(n => sums('class_demographic_days', isInCut(n)))
  const query = knex
    .from(knex.raw(`(${months} UNION ALL ${cut1} UNION ALL ${cut2}) AS d`, MONTHS))
    .select(knex.raw(`${SUMS}::bigint[] AS cells`))
  return byClass
    ? query
        .join('asset_classes as a', { 'a.company': 'd.company', 'a.number': 'd.class' })
        .whereRaw(inScope('a.company'))
    : query
}

const withAssetCount = (query: Knex.QueryBuilder, isFiltered: boolean): Knex.QueryBuilder =>
  query.select({ assetCount: countAssets('demographics', isFiltered) })

const ALL = buildStatement<Parameters>('demographics-of-all', withAssetCount(classSums(false), false))

const OF_CLASSES = buildStatement<Parameters>(
  'demographics-of-classes',
  withAssetCount(classSums(true).modify(whereClassMatches), true),
)

/** Returns the SQL of the sums of an asset over days or months, which are found by its number. */
const selectSums = (table: string, condition: string, sum = (group: string) => `sum(${group})`): string =>
  `SELECT count(*) AS rows, ${GROUP_COLUMNS.map(group => `${sum(group)} AS ${group}`).join(', ')}
   FROM ${table} WHERE asset = a.number AND ${condition}`

/** Days are summed before they are united with months: their counts are of a smaller type, which is added up faster. */
const MONTHS_AND_DAYS = `
  SELECT sum(rows) AS rows, ${GROUP_COLUMNS.map(group => `sum(${group}) AS ${group}`).join(', ')} FROM (
    ${selectSums('asset_demographics', 'month = ANY (:whole::integer[])', group => `sum(${group})::bigint`)}
    UNION ALL ${selectSums('demographic_days', isInCut(1))}
    UNION ALL ${selectSums('demographic_days', isInCut(2))}
  ) AS d`

const DAYS = selectSums('demographic_days', 'date BETWEEN :from AND :to')

const assetCells = (sums: string): Knex.QueryBuilder =>
  knex
    .from('assets as a')
    .joinRaw(`CROSS JOIN LATERAL (${sums}) AS d`, MONTHS)
    .select(knex.raw(`${SUMS}::bigint[] AS cells`))
    .whereRaw(inScope('a.company'))

const assetSums = (sums: string): Knex.QueryBuilder =>
  assetCells(sums).select(
    knex.raw('count(*)::integer AS matching, (count(*) FILTER (WHERE d.rows > 0))::integer AS "assetCount"'),
  )

const OF_ASSETS = buildStatement<Parameters>('demographics-of-assets', assetSums(MONTHS_AND_DAYS).modify(whereMatches))

const IDS = { ids: parameter('id') }

/** Without other filters, PostgreSQL looks up the ids, instead of checking all assets in scope. */
const ofIds = (name: string, sums: string): BuiltStatement<Parameters> =>
  buildStatement<Parameters>(name, assetSums(sums).whereRaw('a.id = ANY (:ids::text[])', IDS))

const OF_IDS = ofIds('demographics-of-ids', MONTHS_AND_DAYS)

/** For a range without a whole month. */
const OF_IDS_BY_DAY = ofIds('demographics-of-ids-by-day', DAYS)

const STATEMENTS = { all: ALL, classes: OF_CLASSES, assets: OF_ASSETS }

/**
 * Returns demographics of all assets that match a filter, and how many of them have data.
 *
 * @returns undefined when one of the filter's ids is unknown or out of scope
 */
export async function readAggregateDemographics(
  reader: ScopedReader,
  dates: Dates,
  filter: AssetFilter,
): Promise<{ assetCount: number; cells: Cells } | undefined> {
  const { id: ids, ...others } = filter
  const onlyIds = ids && Object.values(others).every(value => value == null)
  const [from, to] = dates
  const months = monthParameters(dates)
  const byIds = months.whole.length > 0 ? OF_IDS : OF_IDS_BY_DAY
  const statement = onlyIds ? byIds : STATEMENTS[chooseSource(filter)]
  const [[row], unknown] = await Promise.all([
    reader.read<DemographicsRow>(statement, statement.bindValues({ ...filter, from, to, ...months })),
    onlyIds ? [] : readUnknownIds(reader, ids),
  ])
  const areKnown = onlyIds ? row?.matching === new Set(ids).size : unknown.length === 0
  return row && areKnown ? { assetCount: row.assetCount, cells: fillCells(row) } : undefined
}

/** The demographics of a group that assets make up. */
type DemographicsOfGroup = Group & { assetCount: number; cells: Cells }

/** Selects the sums of each group: of classes, or of assets where the filter needs them. */
function selectGroups(source: Source, by: AssetAttribute): Knex.QueryBuilder {
  const query =
    source === 'assets' ? assetCells(MONTHS_AND_DAYS).modify(whereMatches) : classSums(true).modify(whereClassMatches)
  return query.select(GROUPS[by]).groupBy(Object.values(GROUPS[by]))
}

/** Returns the same by an attribute, in no order: for each group that has assets. */
export async function readGroupDemographics(
  reader: ScopedReader,
  dates: Dates,
  filter: AssetFilter,
  by: AssetAttribute,
): Promise<DemographicsOfGroup[]> {
  const source = chooseSource(filter)
  const name = `demographics-of-${source}-by-${by}`
  const statement = buildOnce<Parameters>(name, () => selectGroups(source, by))
  const [from, to] = dates
  const [sums, counted] = await Promise.all([
    reader.read<Group & SummedGroups>(
      statement,
      statement.bindValues({ ...filter, from, to, ...monthParameters(dates) }),
    ),
    readAssetsWithCounts(reader, filter, dates, 'range', by, undefined, 'demographics'),
  ])
  const keyOf = (group: Group) => JSON.stringify(Object.keys(GROUPS[by]).map(name => group[name as keyof Group]))
  const cells = new Map(sums.map(row => [keyOf(row), fillCells(row)]))
  return counted.map(({ bucket: _, matching: _matching, assets: assetCount, ...group }) => ({
    ...{ ...group, assetCount },
    cells: cells.get(keyOf(group)) ?? GROUP_COLUMNS.map(() => 0),
  }))
}
