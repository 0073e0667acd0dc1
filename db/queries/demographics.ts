/** Reads who an audience was: cells of age band by gender, summed over days and assets in the database. */
import { AGE_BANDS, GENDERS } from '../../schema/demographic-groups'
import type { Dates } from '../calendar/local-days'
import { COMPANY_SCOPE, type ScopedReader, type Statement } from '../postgres/scoped-reader'
import { type AssetFilter, matching, valuesOf } from './asset-filters'
import { AMONG_IDS } from './asset-references'
import type { Changes, DataVersion, Found, Precondition } from './data-versions'
import { unversioned, versioned, versionedValues, versionOf } from './data-versions'

/** Impressions by age band and gender: cell = age × 3 + gender, in the order of schema/demographic-groups.ts. */
export type Cells = number[]

/** The columns of an asset-day's groups, in the order of cells: `male_12_17`. Null is a group that nobody reported. */
export const GROUP_COLUMNS = AGE_BANDS.flatMap(age =>
  GENDERS.map(gender => `${gender}_${age.replace('-', '_').replace('+', '')}`),
)

/** Null where nobody reported a group. */
const CELLS = `ARRAY[${GROUP_COLUMNS.map(group => `sum(${group})`).join(', ')}]`

const statement = ({ name, assets }: Found): Statement => ({
  name: `demographics-${name}`,
  text: `
SELECT a.id, a.changed, a.changes, a.matches, d.cells
FROM ${assets} AS a CROSS JOIN LATERAL (
  SELECT ${CELLS} AS cells FROM demographic_days WHERE asset = a.number AND date BETWEEN $2 AND $3 AND NOT a.matches
) AS d`,
})

const COLUMNS = 'id, number'

const OF_ONE = statement(versioned(COLUMNS))

const OF_MANY = statement(unversioned(COLUMNS, AMONG_IDS))

const aggregate = (name: string, condition: string): Statement => ({
  name: `demographics-aggregate${name}`,
  text: `
SELECT (SELECT count(*)::integer FROM assets WHERE id = ANY ($3::text[]) AND company = ANY (${COMPANY_SCOPE})) AS known,
  (count(*) FILTER (WHERE d.days > 0))::integer AS "assetCount", ${CELLS}::bigint[] AS cells
FROM assets a CROSS JOIN LATERAL (
    SELECT count(*) AS days, ${GROUP_COLUMNS.map(group => `sum(${group}) AS ${group}`).join(', ')}
    FROM demographic_days WHERE asset = a.number AND date BETWEEN $1 AND $2
  ) AS d
WHERE a.company = ANY (${COMPANY_SCOPE}) AND ${condition}`,
})

const AGGREGATE = aggregate('', matching(3))

/** So those are found by their ids, instead of being picked from all in scope. */
const AGGREGATE_OF_IDS = aggregate('-of-ids', 'a.id = ANY ($3::text[])')

interface Summed {
  cells: (number | null)[]
}

type Row = Summed & Changes & { id: string }

type Aggregate = Summed & { known: number; assetCount: number }

const cellsOf = ({ cells }: Summed): Cells => cells.map(cell => cell ?? 0)

/** Of one asset, dates inclusive; undefined when it is unknown or out of scope. All cells are 0 where the caller holds it. */
export async function readDemographics(
  reader: ScopedReader,
  assetId: string,
  dates: Dates,
  precondition: Precondition,
): Promise<{ cells: Cells; dataVersion: DataVersion } | undefined> {
  const [row] = await reader.read<Row>(OF_ONE, versionedValues(assetId, dates, precondition))
  return row && { cells: cellsOf(row), dataVersion: versionOf(row) }
}

/** Of several assets, by id; those that are unknown or out of scope are not there. */
export async function readDemographicsOfMany(
  reader: ScopedReader,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, Cells>> {
  const rows = await reader.read<Row>(OF_MANY, [assetIds, ...dates])
  return new Map(rows.map(row => [row.id, cellsOf(row)]))
}

/**
 * Of several assets, dates inclusive, and how many of them have data. Without a filter: of all in scope.
 *
 * @returns undefined when one of the filter's ids is unknown or out of scope
 */
export async function readAggregateDemographics(
  reader: ScopedReader,
  dates: Dates,
  filter: AssetFilter,
): Promise<{ assetCount: number; cells: Cells } | undefined> {
  const { ids, ...others } = filter
  const [row] =
    ids && Object.values(others).every(condition => condition == null)
      ? await reader.read<Aggregate>(AGGREGATE_OF_IDS, [...dates, ids])
      : await reader.read<Aggregate>(AGGREGATE, [...dates, ...valuesOf(filter)])
  const wanted = ids && new Set(ids).size
  return row && (wanted == null || row.known === wanted)
    ? { assetCount: row.assetCount, cells: cellsOf(row) }
    : undefined
}
