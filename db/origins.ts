/** Reads where an asset's audience lives, summed in the database by region or city. */
import { AMONG_IDS, type AssetReference, BY_ID } from './asset-references'
import type { Dates } from './calendar'
import { type Door, SCOPE, type Statement } from './connection'
import { type DataVersion, dataVersion, type Held, heldValues, UNVERSIONED } from './data-versions'

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

const statement = (places: string, { name, asset }: AssetReference, version: string): Statement => ({
  name: `origins-by-${places.replaceAll(', ', '-')}-${name}`,
  text: `
SELECT a.id, a.version, a.changed, a.held, a.days_with_data AS "daysWithData", o.*
FROM (
  SELECT id, number, v.*, CASE WHEN NOT v.held THEN (
    SELECT count(DISTINCT date)::integer FROM origins WHERE asset = assets.number AND date BETWEEN $2 AND $3
  ) END AS days_with_data
  FROM assets CROSS JOIN LATERAL ${version} AS v WHERE ${asset('$1')} AND company = ANY (${SCOPE})
  OFFSET 0 -- or the days would be counted once a place
) a
LEFT JOIN LATERAL (
  SELECT ${places}, sum(impressions)::bigint AS impressions
  FROM origins WHERE asset = a.number AND date BETWEEN $2 AND $3 AND NOT a.held
  GROUP BY ${places}
) o ON true
ORDER BY o.impressions DESC, ${places}`,
})

const VERSION = dataVersion('number', 4)

const REGION = 'country, region'

const CITY = 'country, region, city'

const OF_ONE = { region: statement(REGION, BY_ID, VERSION), city: statement(CITY, BY_ID, VERSION) }

const OF_MANY = { region: statement(REGION, AMONG_IDS, UNVERSIONED), city: statement(CITY, AMONG_IDS, UNVERSIONED) }

export interface Places {
  region: Region
  city: City
}

/** Of one asset, dates inclusive; undefined when it is unknown or out of scope. No place is there where the caller holds it. */
export async function readOrigins<By extends keyof Places>(
  door: Door,
  by: By,
  assetId: string,
  dates: Dates,
  held: Held,
): Promise<(Origins<Places[By]> & DataVersion) | undefined> {
  return (await read<Places[By]>(door, OF_ONE[by], [assetId, ...dates, ...heldValues(held, dates)])).get(assetId)
}

/** Of several assets, by id; those that are unknown or out of scope are not there. */
export function readOriginsOfMany<By extends keyof Places>(
  door: Door,
  by: By,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, Origins<Places[By]>>> {
  return read<Places[By]>(door, OF_MANY[by], [assetIds, ...dates])
}

async function read<Place>(
  door: Door,
  statement: Statement,
  values: unknown[],
): Promise<Map<string, Origins<Place> & DataVersion>> {
  type Row = Place & DataVersion & { id: string; daysWithData: number; impressions: number | null }
  const origins = new Map<string, Origins<Place> & DataVersion>()
  for (const { id, daysWithData, version, changed, held, ...place } of await door.read<Row>(statement, values)) {
    const known = origins.get(id) ?? { daysWithData, places: [], version, changed, held }
    origins.set(id, known)
    if (place.impressions !== null) known.places.push(place as unknown as Place & { impressions: number })
  }
  return origins
}
