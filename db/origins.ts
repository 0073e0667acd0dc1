/** Reads where an asset's audience lives, summed in the database by region or city. */
import { AMONG_IDS, type AssetReference, BY_ID } from './asset-references'
import { type Door, SCOPE, type Statement } from './connection'
import type { Dates } from './impressions'

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

const statement = (places: string, { name, asset }: AssetReference): Statement => ({
  name: `origins-by-${places.replaceAll(', ', '-')}-${name}`,
  text: `
SELECT a.id, a.days_with_data AS "daysWithData", o.*
FROM (
  SELECT id, number, (
    SELECT count(DISTINCT date)::integer FROM origins WHERE asset = assets.number AND date BETWEEN $3 AND $4
  ) AS days_with_data
  FROM assets WHERE ${asset('$2')} AND company = ANY (${SCOPE})
) a
LEFT JOIN LATERAL (
  SELECT ${places}, sum(impressions)::bigint AS impressions
  FROM origins WHERE asset = a.number AND date BETWEEN $3 AND $4
  GROUP BY ${places}
) o ON true
ORDER BY o.impressions DESC, ${places}`,
})

const REGION = 'country, region'

const CITY = 'country, region, city'

const STATEMENTS = {
  region: { one: statement(REGION, BY_ID), many: statement(REGION, AMONG_IDS) },
  city: { one: statement(CITY, BY_ID), many: statement(CITY, AMONG_IDS) },
}

export interface Places {
  region: Region
  city: City
}

/** Of one asset, dates inclusive; undefined when it is unknown or out of scope. */
export async function readOrigins<By extends keyof Places>(
  door: Door,
  by: By,
  assetId: string,
  dates: Dates,
): Promise<Origins<Places[By]> | undefined> {
  return (await read<Places[By]>(door, STATEMENTS[by].one, assetId, dates)).get(assetId)
}

/** Of several assets, by id; those that are unknown or out of scope are not there. */
export function readOriginsOfMany<By extends keyof Places>(
  door: Door,
  by: By,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, Origins<Places[By]>>> {
  return read<Places[By]>(door, STATEMENTS[by].many, assetIds, dates)
}

async function read<Place>(
  door: Door,
  by: Statement,
  assets: string | readonly string[],
  dates: Dates,
): Promise<Map<string, Origins<Place>>> {
  type Row = Place & { id: string; daysWithData: number; impressions: number | null }
  const origins = new Map<string, Origins<Place>>()
  for (const { id, daysWithData, ...place } of await door.read<Row>(by, [assets, ...dates])) {
    const known = origins.get(id) ?? { daysWithData, places: [] }
    origins.set(id, known)
    if (place.impressions !== null) known.places.push(place as unknown as Place & { impressions: number })
  }
  return origins
}
