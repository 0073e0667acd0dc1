/**
 * Reads demographics of all assets that match a filter, summed in the database. Dates are inclusive local days of each
 * asset.
 */
import type { Dates } from '../../calendar/local-days'
import { monthParameters } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, hasConditions, MATCHES } from '../asset-filters'
import { readUnknownIds } from '../assets'
import { type Cells, fillCells, GROUP_COLUMNS, SUMS, type SummedGroups } from '../demographics'
import { readRow } from '../statements'
import { countMeasured } from './measured-assets'

/** `matching` is the number of assets that match the filter, where the sums of each are read. */
type DemographicsRow = SummedGroups & { assetCount: number; matching?: number }

/** Returns the SQL of the condition that a date is in a month that is cut. */
const isInCut = (n: 1 | 2): string =>
  `date BETWEEN month_start(:month${n}::integer) + :first${n}::integer - 1 AND month_start(:month${n}::integer) + :last${n}::integer - 1`

/** SQL: the sums of the groups of age and gender. */
const CELLS = `${SUMS}::bigint[] AS cells`

/**
 * Returns the SQL of the sums of all assets, or of those that match a filter: of whole months, and of the days of months that are cut. Days
 * are summed before they are united with months: their counts are of a smaller type, which is added up in a third of the time.
 */
function selectTogether(isFiltered: boolean): string {
  const sums = (table: string, condition: string, type = '') => `
    SELECT ${GROUP_COLUMNS.map(cell => `sum(${cell})${type} AS ${cell}`)} FROM ${table} d
    ${isFiltered ? 'JOIN matching ON matching.number = d.asset' : ''} WHERE ${inScope('d.company')} AND ${condition}`
  const matching = `matching AS MATERIALIZED (SELECT a.number FROM assets a WHERE ${inScope('a.company')} AND ${MATCHES})`
  return `${isFiltered ? `WITH ${matching}` : ''}
    SELECT ${CELLS}, (${countMeasured('demographics', isFiltered)}) AS "assetCount" FROM (
      ${sums('asset_demographics', 'month = ANY (:whole::integer[])', '::bigint')}
      UNION ALL ${sums('demographic_days', isInCut(1))}
      UNION ALL ${sums('demographic_days', isInCut(2))}
    ) AS d`
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
  all: selectTogether(false),
  filtered: selectTogether(true),
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
