/** Reads demographics: impressions by age band and gender, summed over days in the database. */
import type { Dates } from '../calendar/local-days'
import { monthParameters } from '../calendar/month-ranges'
import { inScope, type ScopedReader } from '../postgres/scoped-reader'
import { type AssetFilter, hasConditions, MATCHES } from './asset-filters'
import { readUnknownIds } from './assets'
import { countMeasured } from './groups/measured-assets'
import { findAssets, readRow, readRows } from './statements'

/** The groups of demographics, in the order of every list and of the stored columns. */
export const GENDERS = ['male', 'female', 'unknown'] as const

export const AGE_BANDS = ['12-17', '18-24', '25-34', '35-44', '45-54', '55-64', '65+', 'unknown'] as const

/** Impressions by age band and gender: cell = age × 3 + gender, in the order of these. */
export type Cells = number[]

/** The columns of demographic_days in the order of cells, e.g. male_12_17. Null: not reported. */
export const GROUP_COLUMNS = AGE_BANDS.flatMap(age =>
  GENDERS.map(gender => `${gender}_${age.replace('-', '_').replace('+', '')}`),
)

/** SQL: the sums of all groups. */
const CELLS = `ARRAY[${GROUP_COLUMNS.map(group => `sum(${group})`).join(', ')}]::bigint[] AS cells`

interface SummedGroups {
  /** Null where no day reported the group. */
  cells: (number | null)[]
}

const fillCells = ({ cells }: SummedGroups): Cells => cells.map(cell => cell ?? 0)

const DEMOGRAPHICS = `
SELECT a.id, d.cells, d.days
FROM ${findAssets('id, number', 'ids')} AS a CROSS JOIN LATERAL (
  SELECT ${CELLS}, count(*)::integer AS days FROM demographic_days WHERE asset = a.number AND date BETWEEN :from AND :to
) AS d`

export interface Demographics {
  cells: Cells
  /** The number of days of the range with data. */
  daysWithData: number
}

/** Returns the demographics of several assets, dates inclusive, by id; without those that are unknown or out of scope. */
export async function readDemographics(
  reader: ScopedReader,
  assetIds: readonly string[],
  [from, to]: Dates,
): Promise<Map<string, Demographics>> {
  type Row = SummedGroups & { id: string; days: number }
  const rows = await readRows<Row>(reader, 'demographics', () => DEMOGRAPHICS, { id: assetIds, from, to })
  return new Map(rows.map(row => [row.id, { cells: fillCells(row), daysWithData: row.days }]))
}

/** `matching` is the number of assets that match the filter, where the sums of each are read. */
type DemographicsRow = SummedGroups & { assetCount: number; matching?: number }

/** Returns the SQL of the condition that a date is in a month that is cut. */
const isInCut = (n: 1 | 2): string =>
  `date BETWEEN month_start(:month${n}::integer) + :first${n}::integer - 1 AND month_start(:month${n}::integer) + :last${n}::integer - 1`

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
