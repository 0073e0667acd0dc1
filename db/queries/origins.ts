/** Reads where the people live who pass assets, summed over days in the database. */
import type { Dates } from '../calendar/local-days'
import type { ScopedReader } from '../postgres/scoped-reader'
import { findAssets, readRows } from './statements'

export interface Origins {
  /** The number of days of the range with data. */
  daysWithData: number
  /** Most impressions first; equal ones by name. */
  places: Place[]
}

interface Place {
  country: string
  region: string
  /** Empty where places are regions. */
  city: string
  impressions: number
}

const ORIGINS = `
SELECT a.id, s.days, s.impressions, p.region, p.city
FROM ${findAssets('id, number', 'ids')} AS a LEFT JOIN LATERAL (
  WITH d AS MATERIALIZED (SELECT places, impressions FROM origin_days WHERE asset = a.number AND date BETWEEN :from AND :to)
  SELECT place, sum(impressions) AS impressions, (SELECT count(*)::integer FROM d) AS days
  FROM (SELECT unnest(places) AS place, unnest(impressions) AS impressions FROM d) AS c GROUP BY place
) AS s ON true LEFT JOIN LATERAL (SELECT region, city FROM origin_places WHERE number = s.place LIMIT 1) AS p ON true`

/** A city of an asset with its impressions and the number of days with data. */
interface CityRow {
  region: string
  city: string
  impressions: number
  days: number
}

/** One row without a city for an asset that has no data in the range. */
type AssetRow = { id: string } & (CityRow | { [Column in keyof CityRow]: null })

/** Returns the origins of several assets, dates inclusive, by id; without those that are unknown or out of scope. */
export async function readOrigins(
  reader: ScopedReader,
  by: 'region' | 'city',
  assetIds: readonly string[],
  [from, to]: Dates,
): Promise<Map<string, Origins>> {
  const cities = new Map<string, CityRow[]>()
  for (const { id, ...row } of await readRows<AssetRow>(reader, 'origins', () => ORIGINS, { id: assetIds, from, to })) {
    const ofAsset = cities.get(id) ?? []
    cities.set(id, ofAsset)
    if (row.days !== null) ofAsset.push(row)
  }
  const origins = new Map<string, Origins>()
  for (const [id, rows] of cities) origins.set(id, { daysWithData: rows[0]?.days ?? 0, places: sumPlaces(rows, by) })
  return origins
}

/** A region begins with its country and has no blank: regions and cities have the same order as their names together. */
function sumPlaces(rows: readonly CityRow[], by: 'region' | 'city'): Place[] {
  const sums = new Map<string, number>()
  for (const { region, city, impressions } of rows) {
    const place = by === 'city' ? `${region} ${city}` : region
    sums.set(place, (sums.get(place) ?? 0) + impressions)
  }
  return [...sums]
    .sort(([placeA, a], [placeB, b]) => b - a || compareBytes(placeA, placeB))
    .map(([place, impressions]) => {
      const [region = '', city = ''] = place.split(/ (.*)/s)
      return { country: region.slice(0, 2), region, city, impressions }
    })
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
