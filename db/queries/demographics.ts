/** Reads demographics: impressions by age band and gender, summed over days in the database. */
import { AGE_BANDS, GENDERS } from '../../schema/demographic-groups'
import type { Dates } from '../calendar/local-days'
import type { ScopedReader, Statement } from '../postgres/scoped-reader'
import { AMONG_IDS, type AssetLookup, BY_ID, findAssets } from './asset-lookup'

/** Impressions by age band and gender: cell = age × 3 + gender, in the order of schema/demographic-groups.ts. */
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

const statement = ({ name, sql }: AssetLookup): Statement => ({
  name: `demographics-${name}`,
  text: `
SELECT a.id, d.cells
FROM ${sql} AS a CROSS JOIN LATERAL (
  SELECT ${SUMS} AS cells FROM demographic_days WHERE asset = a.number AND date BETWEEN $2 AND $3
) AS d`,
})

const OF_ONE = statement(findAssets('id, number', BY_ID))

const OF_MANY = statement(findAssets('id, number', AMONG_IDS))

type AssetDemographicsRow = SummedGroups & { id: string }

/**
 * Returns the demographics of an asset, dates inclusive.
 *
 * @returns undefined when the asset is unknown or out of scope
 */
export async function readDemographics(
  reader: ScopedReader,
  assetId: string,
  dates: Dates,
): Promise<Cells | undefined> {
  const [row] = await reader.read<AssetDemographicsRow>(OF_ONE, [assetId, ...dates])
  return row && fillCells(row)
}

/** Returns the same of several assets, by id; without those that are unknown or out of scope. */
export async function readDemographicsOfMany(
  reader: ScopedReader,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, Cells>> {
  const rows = await reader.read<AssetDemographicsRow>(OF_MANY, [assetIds, ...dates])
  return new Map(rows.map(row => [row.id, fillCells(row)]))
}
