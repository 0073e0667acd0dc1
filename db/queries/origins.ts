/** Reads where the audience of assets lives. Months come from the database as they are stored; places are summed here. */
import type { Dates } from '../calendar/local-days'
import { forEachOrigin } from '../calendar/packed-origins'
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

/** SQL of the number of a date in the month of a row, which may be outside of it. */
const dayOf = (date: string): string => `${date} - m.month + 1`

const statement = ({ name, sql }: AssetLookup): Statement => ({
  name: `origins-${name}`,
  text: `
SELECT a.id, m.places, m.days
FROM ${sql} AS a LEFT JOIN LATERAL (
  SELECT m.places, array_to_string(m.days[${dayOf('greatest($2::date, m.month)')} : ${dayOf('least($3::date, m.month + 30)')}], '') AS days
  FROM origin_months m
  WHERE m.asset = a.number AND m.month BETWEEN $2::date - extract(day FROM $2::date)::integer + 1 AND $3::date
) AS m ON true`,
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

/** A month of an asset; one row without a month for an asset that has none in the range. */
type MonthRow = { id: string } & (
  | { places: null; days: null }
  /** Regions and cities, and the packed days of the range that follow each other. */
  | { places: string[]; days: string }
)

/** The impressions of an asset by region and city, or by region. */
interface Sums {
  daysWithData: number
  byPlace: Map<string, number>
}

async function readPlaces<By extends keyof Places>(
  reader: ScopedReader,
  by: By,
  statement: Statement,
  values: unknown[],
): Promise<Map<string, Origins<Places[By]>>> {
  const assets = new Map<string, Sums>()
  for (const row of await reader.read<MonthRow>(statement, values)) {
    let sums = assets.get(row.id)
    if (!sums) {
      sums = { daysWithData: 0, byPlace: new Map() }
      assets.set(row.id, sums)
    }
    if (row.places !== null) addMonth(sums, row.places, row.days, by)
  }
  const origins = new Map<string, Origins<Places[By]>>()
  for (const [id, { byPlace, ...sums }] of assets) {
    const sorted = [...byPlace].sort(([placeA, a], [placeB, b]) => b - a || compareBytes(placeA, placeB))
    const places = sorted.map(([place, impressions]) => ({ ...(READ[by](place) as Places[By]), impressions }))
    origins.set(id, { ...sums, places })
  }
  return origins
}

function addMonth(sums: Sums, places: readonly string[], days: string, by: keyof Places): void {
  const totals = new Float64Array(places.length).fill(-1)
  sums.daysWithData += forEachOrigin(days, (index, count) => {
    totals[index] = Math.max(0, totals[index]!) + count
  })
  for (let i = 0; i < places.length; i++) {
    const total = totals[i]!
    if (total < 0) continue
    const name = places[i]!
    const place = by === 'city' ? name : name.slice(0, name.indexOf(' '))
    sums.byPlace.set(place, (sums.byPlace.get(place) ?? 0) + total)
  }
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
