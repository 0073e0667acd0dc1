/** Reads who an audience was: cells of age band by gender, summed over days and assets in the database. */
import { AGE_BANDS, GENDERS } from '../schema/demographic-groups'
import { type Door, SCOPE, type Statement } from './connection'

/** Impressions by age band and gender: cell = age × 3 + gender, in the order of schema/demographic-groups.ts. */
export type Cells = number[]

const CELLS = `ARRAY[${AGE_BANDS.flatMap((_, age) =>
  GENDERS.map((_, gender) => `coalesce(sum(d.impressions[${age * GENDERS.length + gender + 1}]), 0)`),
).join(', ')}]::bigint[]`

const OF_ASSET: Statement = {
  name: 'demographics-of-asset',
  text: `
SELECT ${CELLS} AS cells
FROM assets a LEFT JOIN demographic_days d ON d.asset = a.number AND d.date BETWEEN $3 AND $4
WHERE a.id = $2 AND a.company = ANY (${SCOPE})
GROUP BY a.number`,
}

const AGGREGATE: Statement = {
  name: 'demographics-aggregate',
  text: `
SELECT (SELECT count(*)::integer FROM assets WHERE id = ANY ($4::text[]) AND company = ANY (${SCOPE})) AS known,
  count(DISTINCT d.asset)::integer AS "assetCount", ${CELLS} AS cells
FROM assets a JOIN demographic_days d ON d.asset = a.number AND d.date BETWEEN $2 AND $3
WHERE a.company = ANY (${SCOPE})
  AND ($4::text[] IS NULL OR a.id = ANY ($4::text[]))
  AND ($5::text IS NULL OR a.country = $5)
  AND ($6::text IS NULL OR a.region = $6)
  AND ($7::text IS NULL OR a.city = $7)`,
}

/** Of one asset, dates inclusive; undefined when it is unknown or out of scope. */
export async function readDemographics(
  door: Door,
  assetId: string,
  from: string,
  to: string,
): Promise<Cells | undefined> {
  const [row] = await door.read<{ cells: Cells }>(OF_ASSET, [assetId, from, to])
  return row?.cells
}

/** Which assets to count together; null stands for no such filter. */
export interface AssetFilter {
  assetIds: string[] | null
  country: string | null
  region: string | null
  city: string | null
}

/**
 * Of several assets, dates inclusive, and how many of them have data. Without a filter: of all in scope.
 *
 * @returns undefined when one of `assetIds` is unknown or out of scope
 */
export async function readAggregateDemographics(
  door: Door,
  from: string,
  to: string,
  { assetIds, country, region, city }: AssetFilter,
): Promise<{ assetCount: number; cells: Cells } | undefined> {
  const ids = assetIds && [...new Set(assetIds)]
  const [row] = await door.read<{ known: number; assetCount: number; cells: Cells }>(AGGREGATE, [
    from,
    to,
    ids,
    country,
    region,
    city,
  ])
  return row && (ids === null || row.known === ids.length) ? row : undefined
}
