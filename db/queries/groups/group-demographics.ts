/**
 * Reads demographics of all assets that match a filter, summed in the database. Dates are inclusive local days of each
 * asset. Sums come from the totals of classes of assets, or of assets where the filter needs them.
 */
import type { AssetAttribute } from '../../../schema/generated'
import { GROUPS, type Group } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import { monthParameters } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, CLASS_MATCHES, chooseSource, MATCHES, type Source } from '../asset-filters'
import { readUnknownIds } from '../assets'
import { type Cells, fillCells, GROUP_COLUMNS, SUMS, type SummedGroups } from '../demographics'
import { named, readRow, readRows } from '../statements'
import { countMeasured, readAssetsWithCounts } from './measured-assets'

interface DemographicsRow extends SummedGroups {
  assetCount: number
  /** The number of assets that match the filter, where the sums of each are read. */
  matching?: number
}

/** Returns the SQL of the condition that a date is in a month that is cut. */
const isInCut = (n: 1 | 2): string =>
  `date BETWEEN month_start(:month${n}::integer) + :first${n}::integer - 1 AND month_start(:month${n}::integer) + :last${n}::integer - 1`

/** SQL: the sums of a group. */
const CELLS = `${SUMS}::bigint[] AS cells`

/** SQL: rows `d` of classes, or of all assets of companies, which are class 0. */
const rowsOfClasses = (classes: '> 0' | '= 0'): string => {
  const sums = (table: string, condition: string) =>
    `SELECT company, class, ${GROUP_COLUMNS.join(', ')} FROM ${table}
     WHERE ${inScope('company')} AND class ${classes} AND ${condition}`
  const months = sums('class_demographics', 'month = ANY (:whole::integer[])')
  const [cut1, cut2] = ([1, 2] as const).map(n => sums('class_demographic_days', isInCut(n)))
  return `(${months} UNION ALL ${cut1} UNION ALL ${cut2}) AS d`
}

const CLASSES = `${rowsOfClasses('> 0')} JOIN asset_classes a ON a.company = d.company AND a.number = d.class
  WHERE ${inScope('a.company')} AND ${CLASS_MATCHES}`

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

const rowsOfAssets = (sums: string): string =>
  `assets a CROSS JOIN LATERAL (${sums}) AS d WHERE ${inScope('a.company')}`

const ASSETS = `${rowsOfAssets(MONTHS_AND_DAYS)} AND ${MATCHES}`

const selectAssets = (rows: string): string =>
  `SELECT ${CELLS}, count(*)::integer AS matching, (count(*) FILTER (WHERE d.rows > 0))::integer AS "assetCount" FROM ${rows}`

const selectCounted = (rows: string, isFiltered: boolean): string =>
  `SELECT ${CELLS}, (${countMeasured('demographics', isFiltered)}) AS "assetCount" FROM ${rows}`

/** SQL by the source of the sums. */
const STATEMENTS = {
  all: selectCounted(rowsOfClasses('= 0'), false),
  classes: selectCounted(CLASSES, true),
  assets: selectAssets(ASSETS),
  // Without other filters, PostgreSQL looks up the ids, instead of checking all assets in scope.
  ids: selectAssets(`${rowsOfAssets(MONTHS_AND_DAYS)} AND a.id = ANY (:id::text[])`),
  // For a range without a whole month.
  'ids-by-day': selectAssets(`${rowsOfAssets(DAYS)} AND a.id = ANY (:id::text[])`),
}

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
  const byIds = months.whole.length > 0 ? 'ids' : 'ids-by-day'
  const source = onlyIds ? byIds : chooseSource(filter)
  const parameters = { ...filter, from, to, ...months }
  const [row, unknown] = await Promise.all([
    readRow<DemographicsRow>(reader, `demographics-of-${source}`, () => STATEMENTS[source], parameters),
    onlyIds ? [] : readUnknownIds(reader, ids),
  ])
  const areKnown = onlyIds ? row?.matching === new Set(ids).size : unknown.length === 0
  return row && areKnown ? { assetCount: row.assetCount, cells: fillCells(row) } : undefined
}

/** The demographics of a group that assets make up. */
type DemographicsOfGroup = Group & { assetCount: number; cells: Cells }

/** Returns the SQL of the sums of each group: of classes, or of assets where the filter needs them. */
const selectGroups = (source: Source, by: AssetAttribute): string =>
  `SELECT ${named(GROUPS[by])}, ${CELLS} FROM ${source === 'assets' ? ASSETS : CLASSES} GROUP BY ${Object.values(GROUPS[by])}`

/** Returns the same by an attribute, in no order: for each group that has assets. */
export async function readGroupDemographics(
  reader: ScopedReader,
  dates: Dates,
  filter: AssetFilter,
  by: AssetAttribute,
): Promise<DemographicsOfGroup[]> {
  const source = chooseSource(filter)
  const name = `demographics-of-${source}-by-${by}`
  const [from, to] = dates
  const parameters = { ...filter, from, to, ...monthParameters(dates) }
  const [sums, counted] = await Promise.all([
    readRows<Group & SummedGroups>(reader, name, () => selectGroups(source, by), parameters),
    readAssetsWithCounts(reader, filter, dates, 'range', by, undefined, 'demographics'),
  ])
  const keyOf = (group: Group) => JSON.stringify(Object.keys(GROUPS[by]).map(name => group[name as keyof Group]))
  const cells = new Map(sums.map(row => [keyOf(row), fillCells(row)]))
  return counted.map(({ bucket: _, matching: _matching, assets: assetCount, ...group }) => ({
    ...{ ...group, assetCount },
    cells: cells.get(keyOf(group)) ?? GROUP_COLUMNS.map(() => 0),
  }))
}
