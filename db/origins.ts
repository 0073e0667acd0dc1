/** Reads where an asset's audience lives, summed in the database by region or city. */
import { type Door, SCOPE, type Statement } from './connection'

export interface Origins<Place> {
  /** How many days of the range have data. */
  daysWithData: number
  /** Most impressions first, then by place. */
  places: (Place & { impressions: number })[]
}

export interface Region {
  country: string
  region: string
}

export interface City extends Region {
  city: string
}

const statement = (name: string, place: string): Statement => ({
  name,
  text: `
SELECT a.days_with_data AS "daysWithData", o.*
FROM (
  SELECT number, (
    SELECT count(DISTINCT date)::integer FROM origins WHERE asset = assets.number AND date BETWEEN $3 AND $4
  ) AS days_with_data
  FROM assets WHERE id = $2 AND company = ANY (${SCOPE})
) a
LEFT JOIN LATERAL (
  SELECT ${place}, sum(impressions)::bigint AS impressions
  FROM origins WHERE asset = a.number AND date BETWEEN $3 AND $4
  GROUP BY ${place}
) o ON true
ORDER BY o.impressions DESC, ${place}`,
})

const BY_REGION = statement('origins-by-region', 'country, region')

const BY_CITY = statement('origins-by-city', 'country, region, city')

/** By region; undefined when the asset is unknown or out of scope. Dates are inclusive. */
export function readRegions(
  door: Door,
  assetId: string,
  from: string,
  to: string,
): Promise<Origins<Region> | undefined> {
  return read(door, BY_REGION, [assetId, from, to])
}

/** By city, likewise. */
export function readCities(door: Door, assetId: string, from: string, to: string): Promise<Origins<City> | undefined> {
  return read(door, BY_CITY, [assetId, from, to])
}

async function read<Place>(door: Door, by: Statement, values: unknown[]): Promise<Origins<Place> | undefined> {
  type Row = Place & { daysWithData: number; impressions: number | null }
  const rows = await door.read<Row>(by, values)
  const [first] = rows
  if (!first) return undefined
  const places = rows.filter((row): row is Row & { impressions: number } => row.impressions !== null)
  return { daysWithData: first.daysWithData, places }
}
