/** Reads where an asset's audience lives, summed in the database by region or city. */

import { type Dates, dayNumber } from '../calendar/local-days'
import type { ScopedReader, Statement } from '../postgres/scoped-reader'
import { AMONG_IDS } from './asset-references'
import type { Changes, DataVersion, Found, Precondition } from './data-versions'
import { unversioned, versioned, versionedValues, versionOf } from './data-versions'

export interface Origins<Place> {
  /** How many days of the range have data. */
  daysWithData: number
  /** Most impressions first, then by place. */
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

/** How the days with data are counted. */
interface Count {
  name: string
  /** Of each place, beside its sum. */
  ofPlace: string
  /** Of the asset, beside its columns. */
  ofAsset: string
}

/** So many days fit into an integer, a bit each: with each place it is told which were its days, in one look at all of them. */
const FEW_DAYS = 31

const FEW: Count = { name: '-of-few-days', ofPlace: ', bit_or(1 << (date - $2::date)) AS days', ofAsset: '' }

const MANY: Count = {
  name: '',
  ofPlace: '',
  ofAsset: `, CASE WHEN NOT matches THEN (
    SELECT count(DISTINCT date)::integer FROM origins WHERE asset = number AND date BETWEEN $2 AND $3
  ) END AS "daysWithData"`,
}

const statement = (places: string, { name, assets }: Found, count: Count): Statement => ({
  name: `origins-by-${places.replaceAll(', ', '-')}-${name}${count.name}`,
  text: `
SELECT a.*, o.*
FROM (
  SELECT id, number, changed, changes, matches${count.ofAsset} FROM ${assets} AS found
  OFFSET 0 -- or the days would be counted once a place
) AS a
LEFT JOIN LATERAL (
  SELECT ${places}, sum(impressions)::bigint AS impressions${count.ofPlace}
  FROM origins WHERE asset = a.number AND date BETWEEN $2 AND $3 AND NOT a.matches
  GROUP BY ${places}
) AS o ON true
ORDER BY o.impressions DESC, ${places}`,
})

const COLUMNS = 'id, number'

const ofOne = (places: string) => ({
  few: statement(places, versioned(COLUMNS), FEW),
  many: statement(places, versioned(COLUMNS), MANY),
})

const ofSeveral = (places: string) => statement(places, unversioned(COLUMNS, AMONG_IDS), MANY)

const REGION = 'country, region'

const CITY = 'country, region, city'

const OF_ONE = { region: ofOne(REGION), city: ofOne(CITY) }

const OF_SEVERAL = { region: ofSeveral(REGION), city: ofSeveral(CITY) }

export interface Places {
  region: Region
  city: City
}

/** Of one asset, dates inclusive; undefined when it is unknown or out of scope. No place is there where the caller holds it. */
export async function readOrigins<By extends keyof Places>(
  reader: ScopedReader,
  by: By,
  assetId: string,
  dates: Dates,
  precondition: Precondition,
): Promise<VersionedOrigins<Places[By]> | undefined> {
  const [from, to] = dates.map(dayNumber) as [number, number]
  const { few, many } = OF_ONE[by]
  const values = versionedValues(assetId, dates, precondition)
  return (await read<Places[By]>(reader, to - from < FEW_DAYS ? few : many, values)).get(assetId)
}

/** Of several assets, by id; those that are unknown or out of scope are not there. */
export function readOriginsOfMany<By extends keyof Places>(
  reader: ScopedReader,
  by: By,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, Origins<Places[By]>>> {
  return read<Places[By]>(reader, OF_SEVERAL[by], [assetIds, ...dates])
}

/** A place of an asset, or an asset without any. */
type Row<Place> = Place &
  Changes & { id: string; number: number; impressions: number | null } & (
    | { days: number | null; daysWithData?: never }
    | { days?: never; daysWithData: number | null }
  )

async function read<Place>(
  reader: ScopedReader,
  statement: Statement,
  values: unknown[],
): Promise<Map<string, VersionedOrigins<Place>>> {
  const origins = new Map<string, VersionedOrigins<Place>>()
  let bits = 0
  for (const row of await reader.read<Row<Place>>(statement, values)) {
    const { id, number, changes, changed, matches, days, daysWithData, impressions, ...place } = row
    const known = origins.get(id) ?? { daysWithData: daysWithData ?? 0, places: [], dataVersion: versionOf(row) }
    origins.set(id, known)
    if (impressions !== null) known.places.push({ ...place, impressions } as unknown as Place & { impressions: number })
    // Told of one asset only.
    bits |= days ?? 0
    if (bits !== 0) known.daysWithData = bitsOf(bits)
  }
  return origins
}

/** How many bits of an integer are set. */
function bitsOf(integer: number): number {
  let count = 0
  for (let rest = integer; rest !== 0; rest &= rest - 1) count++
  return count
}
