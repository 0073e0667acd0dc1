/**
 * Reads demographics of all assets that match a filter, summed in the database. Dates are inclusive local days of each
 * asset.
 */
import type { AssetAttribute } from '../../../schema/generated'
import { GROUPS, type Group } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import { monthParameters } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, hasConditions, MATCHES } from '../asset-filters'
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

/**
 * Returns the SQL of the sums of a group: of whole months, and of the days of months that are cut. Days are summed before they are united
 * with months: their counts are of a smaller type, which is added up in a third of the time.
 *
 * @param columns the attributes by which filtered assets are grouped; none where they are one group
 */
function selectGroup(isFiltered: boolean, columns: Readonly<Record<string, string>> = {}): string {
  const group = Object.keys(columns).map(name => `"${name}"`)
  const sums = (table: string, condition: string, type = '') => `
    SELECT ${[...group, ...GROUP_COLUMNS.map(cell => `sum(${cell})${type} AS ${cell}`)]} FROM ${table} d
    ${isFiltered ? 'JOIN matching ON matching.number = d.asset' : ''} WHERE ${inScope('d.company')} AND ${condition}
    ${group.length > 0 ? `GROUP BY ${group}` : ''}`
  const matching = `matching AS MATERIALIZED (
    SELECT ${named({ number: 'a.number', ...columns })} FROM assets a WHERE ${inScope('a.company')} AND ${MATCHES})`
  return `${isFiltered ? `WITH ${matching}` : ''}
    SELECT ${[...group, CELLS]} ${group.length > 0 ? '' : `, (${countMeasured('demographics', isFiltered)}) AS "assetCount"`} FROM (
      ${sums('asset_demographics', 'month = ANY (:whole::integer[])', '::bigint')}
      UNION ALL ${sums('demographic_days', isInCut(1))}
      UNION ALL ${sums('demographic_days', isInCut(2))}
    ) AS d ${group.length > 0 ? `GROUP BY ${group}` : ''}`
}

/** Returns the SQL of the sums of an asset over days or months, which are found by its number. */
const selectSums = (table: string, condition: string, sum = (group: string) => `sum(${group})`): string =>
  `SELECT count(*) AS rows, ${GROUP_COLUMNS.map(group => `${sum(group)} AS ${group}`).join(', ')}
   FROM ${table} WHERE asset = a.number AND ${condition}`

const MONTHS_AND_DAYS = `
  SELECT sum(rows) AS rows, ${GROUP_COLUMNS.map(group => `sum(${group}) AS ${group}`).join(', ')} FROM (
    ${selectSums('asset_demographics', 'month = ANY (:whole::integer[])', group => `sum(${group})::bigint`)}
    UNION ALL ${selectSums('demographic_days', isInCut(1))}
    UNION ALL ${selectSums('demographic_days', isInCut(2))}
  ) AS d`

const DAYS = selectSums('demographic_days', 'date BETWEEN :from AND :to')

const rowsOfAssets = (sums: string): string =>
  `assets a CROSS JOIN LATERAL (${sums}) AS d WHERE ${inScope('a.company')}`

const selectAssets = (rows: string): string =>
  `SELECT ${CELLS}, count(*)::integer AS matching, (count(*) FILTER (WHERE d.rows > 0))::integer AS "assetCount" FROM ${rows}`

/** SQL by the source of the sums. */
const STATEMENTS = {
  all: selectGroup(false),
  filtered: selectGroup(true),
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
  const source = onlyIds ? byIds : hasConditions(filter) ? 'filtered' : 'all'
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

/** Returns the same by an attribute, in no order: for each group that has assets. */
export async function readGroupDemographics(
  reader: ScopedReader,
  dates: Dates,
  filter: AssetFilter,
  by: AssetAttribute,
): Promise<DemographicsOfGroup[]> {
  const name = `demographics-by-${by}`
  const [from, to] = dates
  const parameters = { ...filter, from, to, ...monthParameters(dates) }
  const [sums, counted] = await Promise.all([
    readRows<Group & SummedGroups>(reader, name, () => selectGroup(true, GROUPS[by]), parameters),
    readAssetsWithCounts(reader, filter, dates, 'range', by, undefined, 'demographics'),
  ])
  const keyOf = (group: Group) => JSON.stringify(Object.keys(GROUPS[by]).map(name => group[name as keyof Group]))
  const cells = new Map(sums.map(row => [keyOf(row), fillCells(row)]))
  return counted.map(({ bucket: _, matching: _matching, assets: assetCount, ...group }) => ({
    ...{ ...group, assetCount },
    cells: cells.get(keyOf(group)) ?? GROUP_COLUMNS.map(() => 0),
  }))
}
