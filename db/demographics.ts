/** Reads who an audience was: cells of age band by gender, summed over days and assets in the database. */
import { AGE_BANDS, GENDERS } from '../schema/demographic-groups'
import { type AssetFilter, matching, valuesOf } from './asset-filters'
import { AMONG_IDS, type AssetReference, BY_ID } from './asset-references'
import { type Door, SCOPE, type Statement } from './connection'
import type { Dates } from './impressions'

/** Impressions by age band and gender: cell = age × 3 + gender, in the order of schema/demographic-groups.ts. */
export type Cells = number[]

const CELLS = `ARRAY[${AGE_BANDS.flatMap((_, age) =>
  GENDERS.map((_, gender) => `coalesce(sum(d.impressions[${age * GENDERS.length + gender + 1}]), 0)`),
).join(', ')}]::bigint[]`

const statement = ({ name, asset }: AssetReference): Statement => ({
  name: `demographics-${name}`,
  text: `
SELECT a.id, ${CELLS} AS cells
FROM assets a LEFT JOIN demographic_days d ON d.asset = a.number AND d.date BETWEEN $3 AND $4
WHERE ${asset('$2')} AND a.company = ANY (${SCOPE})
GROUP BY a.id`,
})

const OF_ONE = statement(BY_ID)

const OF_MANY = statement(AMONG_IDS)

const AGGREGATE: Statement = {
  name: 'demographics-aggregate',
  text: `
SELECT (SELECT count(*)::integer FROM assets WHERE id = ANY ($4::text[]) AND company = ANY (${SCOPE})) AS known,
  count(DISTINCT d.asset)::integer AS "assetCount", ${CELLS} AS cells
FROM assets a JOIN demographic_days d ON d.asset = a.number AND d.date BETWEEN $2 AND $3
WHERE a.company = ANY (${SCOPE})
  AND ${matching(4)}`,
}

/** Of one asset, dates inclusive; undefined when it is unknown or out of scope. */
export async function readDemographics(door: Door, assetId: string, dates: Dates): Promise<Cells | undefined> {
  const [row] = await door.read<{ cells: Cells }>(OF_ONE, [assetId, ...dates])
  return row?.cells
}

/** Of several assets, by id; those that are unknown or out of scope are not there. */
export async function readDemographicsOfMany(
  door: Door,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, Cells>> {
  const rows = await door.read<{ id: string; cells: Cells }>(OF_MANY, [assetIds, ...dates])
  return new Map(rows.map(({ id, cells }) => [id, cells]))
}

/**
 * Of several assets, dates inclusive, and how many of them have data. Without a filter: of all in scope.
 *
 * @returns undefined when one of the filter's ids is unknown or out of scope
 */
export async function readAggregateDemographics(
  door: Door,
  dates: Dates,
  filter: AssetFilter,
): Promise<{ assetCount: number; cells: Cells } | undefined> {
  type Row = { known: number; assetCount: number; cells: Cells }
  const [row] = await door.read<Row>(AGGREGATE, [...dates, ...valuesOf(filter)])
  const wanted = filter.ids && new Set(filter.ids).size
  return row && (wanted == null || row.known === wanted) ? row : undefined
}
