/** Reads demographics: impressions by age band and gender, summed over days in the database. */
import type { Dates } from '../calendar/local-days'
import type { ScopedReader } from '../postgres/scoped-reader'
import { findAssets, readRows } from './statements'

/** The groups of demographics, in the order of every list and of the stored columns. */
export const GENDERS = ['male', 'female', 'unknown'] as const

export const AGE_BANDS = ['12-17', '18-24', '25-34', '35-44', '45-54', '55-64', '65+', 'unknown'] as const

/** Impressions by age band and gender: cell = age × 3 + gender, in the order of these. */
export type Cells = number[]

/** The columns of demographic_days in the order of cells, e.g. male_12_17. Null: not reported. */
export const GROUP_COLUMNS = AGE_BANDS.flatMap(age =>
  GENDERS.map(gender => `${gender}_${age.replace('-', '_').replace('+', '')}`),
)

/** SQL: the sums of all groups as an array. */
export const SUMS = `ARRAY[${GROUP_COLUMNS.map(group => `sum(${group})`).join(', ')}]`

export interface SummedGroups {
  /** Null where no day reported the group. */
  cells: (number | null)[]
}

export const fillCells = ({ cells }: SummedGroups): Cells => cells.map(cell => cell ?? 0)

const DEMOGRAPHICS = `
SELECT a.id, d.cells, d.days
FROM ${findAssets('id, number', 'ids')} AS a CROSS JOIN LATERAL (
  SELECT ${SUMS} AS cells, count(*)::integer AS days FROM demographic_days WHERE asset = a.number AND date BETWEEN :from AND :to
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
  const parameters = { id: assetIds, from, to }
  const rows = await readRows<SummedGroups & { id: string; days: number }>(
    reader,
    'demographics',
    () => DEMOGRAPHICS,
    parameters,
  )
  return new Map(rows.map(row => [row.id, { cells: fillCells(row), daysWithData: row.days }]))
}
