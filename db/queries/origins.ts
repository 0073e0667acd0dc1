/** Reads where the audience of assets lives, summed over days in the database. */
import type { Dates } from '../calendar/local-days'
import type { ScopedReader, Statement } from '../postgres/scoped-reader'
import { AMONG_IDS, type AssetLookup, BY_ID, findAssets } from './asset-lookup'

export interface Origins<Place> {
  /** The number of days of the range with data. */
  daysWithData: number
  /** Most impressions first; equal ones by name. */
  places: (Place & { impressions: number })[]
}

interface Region {
  country: string
  region: string
}

interface City extends Region {
  city: string
}

export interface Places {
  region: Region
  city: City
}

const statement = ({ name, sql }: AssetLookup): Statement => ({
  name: `origins-${name}`,
  text: `
SELECT a.id, s.days, s.impressions, p.region, p.city
FROM ${sql} AS a LEFT JOIN LATERAL (
  WITH d AS MATERIALIZED (SELECT places, impressions FROM origin_days WHERE asset = a.number AND date BETWEEN $2 AND $3)
  SELECT place, sum(impressions) AS impressions, (SELECT count(*)::integer FROM d) AS days
  FROM (SELECT unnest(places) AS place, unnest(impressions) AS impressions FROM d) AS c GROUP BY place
) AS s ON true LEFT JOIN origin_places p ON p.number = s.place`,
})

const OF_ONE = statement(findAssets('id, number', BY_ID))

const OF_MANY = statement(findAssets('id, number', AMONG_IDS))

/**
 * Returns the origins of an asset, dates inclusive.
 *
 * @returns undefined when the asset is unknown or out of scope
 */
export async function readOrigins<By extends keyof Places>(
  reader: ScopedReader,
  by: By,
  assetId: string,
  dates: Dates,
): Promise<Origins<Places[By]> | undefined> {
  return (await readPlaces(reader, by, OF_ONE, [assetId, ...dates])).get(assetId)
}

/** Returns the same of several assets, by id; without those that are unknown or out of scope. */
export function readOriginsOfMany<By extends keyof Places>(
  reader: ScopedReader,
  by: By,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, Origins<Places[By]>>> {
  return readPlaces(reader, by, OF_MANY, [assetIds, ...dates])
}

/** A city of an asset with its impressions and the number of days with data. */
interface CityRow {
  region: string
  city: string
  impressions: number
  days: number
}

/** One row without a city for an asset that has no data in the range. */
type AssetRow = { id: string } & (CityRow | { [Column in keyof CityRow]: null })

async function readPlaces<By extends keyof Places>(
  reader: ScopedReader,
  by: By,
  statement: Statement,
  values: unknown[],
): Promise<Map<string, Origins<Places[By]>>> {
  const cities = new Map<string, CityRow[]>()
  for (const { id, ...row } of await reader.read<AssetRow>(statement, values)) {
    const ofAsset = cities.get(id) ?? []
    cities.set(id, ofAsset)
    if (row.days !== null) ofAsset.push(row)
  }
  const origins = new Map<string, Origins<Places[By]>>()
  for (const [id, rows] of cities) origins.set(id, { daysWithData: rows[0]?.days ?? 0, places: sumPlaces(rows, by) })
  return origins
}

function sumPlaces<By extends keyof Places>(rows: readonly CityRow[], by: By): Origins<Places[By]>['places'] {
  const sums = new Map<string, number>()
  for (const { region, city, impressions } of rows) {
    const place = by === 'city' ? `${region} ${city}` : region
    sums.set(place, (sums.get(place) ?? 0) + impressions)
  }
  return [...sums]
    .sort(([placeA, a], [placeB, b]) => b - a || compareBytes(placeA, placeB))
    .map(([place, impressions]) => ({ ...(READ[by](place) as Places[By]), impressions }))
}

/** A region begins with its country and has no blank: regions and cities have the same order as their names together. */
const readRegion = (region: string): Region => ({ country: region.slice(0, 2), region })

const READ: { [By in keyof Places]: (place: string) => Places[By] } = {
  region: readRegion,
  city(place) {
    const blank = place.indexOf(' ')
    return { ...readRegion(place.slice(0, blank)), city: place.slice(blank + 1) }
  },
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
