/** Reads where the audience of assets lives, summed by region or city in the database. */
import { type Dates, dayNumber } from '../calendar/local-days'
import type { ScopedReader, Statement } from '../postgres/scoped-reader'
import { AMONG_IDS, type AssetLookup, findUnversioned, findVersioned, versionedValues } from './asset-lookup'
import { type DataVersion, type Precondition, readVersion, type VersionColumns } from './data-versions'

export interface Origins<Place> {
  /** The number of days of the range with data. */
  daysWithData: number
  /** Most impressions first; equal ones by name. */
  places: (Place & { impressions: number })[]
}

type VersionedOrigins<Place> = Origins<Place> & { dataVersion: DataVersion }

export interface Region {
  country: string
  region: string
}

export interface City extends Region {
  city: string
}

/** A way to count the days with data: SQL of one more column, either for each place or for the asset. */
interface DayCount {
  /** For the names of statements. */
  name: string
  placeColumn: string
  assetColumn: string
}

/** The days of a short range fit into an integer as bits, which the scan that sums a place collects as well. */
const MAX_BIT_DAYS = 31

const BIT_DAYS: DayCount = {
  name: '-of-few-days',
  placeColumn: ', bit_or(1 << (date - $2::date)) AS days',
  assetColumn: '',
}

/** The days of a longer range take a scan of their own. */
const DISTINCT_DAYS: DayCount = {
  name: '',
  placeColumn: '',
  assetColumn: `, CASE WHEN NOT matches THEN (
    SELECT count(DISTINCT date)::integer FROM origins WHERE asset = number AND date BETWEEN $2 AND $3
  ) END AS "daysWithData"`,
}

const statement = (places: string, { name, sql }: AssetLookup, days: DayCount): Statement => ({
  name: `origins-by-${places.replaceAll(', ', '-')}-${name}${days.name}`,
  text: `
SELECT a.*, o.*
FROM (
  SELECT id, number, changed, version, matches${days.assetColumn} FROM ${sql} AS found
  OFFSET 0 -- Otherwise PostgreSQL counts the days for each place.
) AS a
LEFT JOIN LATERAL (
  SELECT ${places}, sum(impressions)::bigint AS impressions${days.placeColumn}
  FROM origins WHERE asset = a.number AND date BETWEEN $2 AND $3 AND NOT a.matches
  GROUP BY ${places}
) AS o ON true
ORDER BY o.impressions DESC, ${places}`,
})

const COLUMNS = 'id, number'

const ofOne = (places: string) => ({
  short: statement(places, findVersioned(COLUMNS), BIT_DAYS),
  long: statement(places, findVersioned(COLUMNS), DISTINCT_DAYS),
})

const ofMany = (places: string) => statement(places, findUnversioned(COLUMNS, AMONG_IDS), DISTINCT_DAYS)

const REGION = 'country, region'

const CITY = 'country, region, city'

const OF_ONE = { region: ofOne(REGION), city: ofOne(CITY) }

const OF_MANY = { region: ofMany(REGION), city: ofMany(CITY) }

export interface Places {
  region: Region
  city: City
}

/**
 * Returns the origins of an asset, dates inclusive. There are no places where the version matches the precondition.
 *
 * @returns undefined when the asset is unknown or out of scope
 */
export async function readOrigins<By extends keyof Places>(
  reader: ScopedReader,
  by: By,
  assetId: string,
  dates: Dates,
  precondition: Precondition,
): Promise<VersionedOrigins<Places[By]> | undefined> {
  const [from, to] = dates.map(dayNumber) as [number, number]
  const { short, long } = OF_ONE[by]
  const values = versionedValues(assetId, dates, precondition)
  return (await read<Places[By]>(reader, to - from < MAX_BIT_DAYS ? short : long, values)).get(assetId)
}

/** Returns the same of several assets, by id; without those that are unknown or out of scope. */
export function readOriginsOfMany<By extends keyof Places>(
  reader: ScopedReader,
  by: By,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, Origins<Places[By]>>> {
  return read<Places[By]>(reader, OF_MANY[by], [assetIds, ...dates])
}

/** A place of an asset; its columns are null for an asset without places. */
type Row<Place> = Place &
  VersionColumns & { id: string; number: number; impressions: number | null } & (
    | { days: number | null; daysWithData?: never }
    | { days?: never; daysWithData: number | null }
  )

async function read<Place>(
  reader: ScopedReader,
  statement: Statement,
  values: unknown[],
): Promise<Map<string, VersionedOrigins<Place>>> {
  const origins = new Map<string, VersionedOrigins<Place>>()
  // Bits come with one asset only.
  let bits = 0
  for (const row of await reader.read<Row<Place>>(statement, values)) {
    const { id, number, version, changed, matches, days, daysWithData, impressions, ...place } = row
    const found = origins.get(id) ?? { daysWithData: daysWithData ?? 0, places: [], dataVersion: readVersion(row) }
    origins.set(id, found)
    if (impressions !== null) found.places.push({ ...place, impressions } as unknown as Place & { impressions: number })
    bits |= days ?? 0
    if (bits !== 0) found.daysWithData = countBits(bits)
  }
  return origins
}

function countBits(integer: number): number {
  let count = 0
  for (let left = integer; left !== 0; left &= left - 1) count++
  return count
}
