/** Which assets an analyst asks for: conditions that each narrow, or do nothing where they are null. */
import { isOwn } from '../calendar/grains'

export interface AssetFilter {
  ids?: readonly string[] | null
  companyIds?: readonly string[] | null
  countries?: readonly string[] | null
  regions?: readonly string[] | null
  cities?: readonly string[] | null
  venueTypeIds?: readonly number[] | null
  mediaTypes?: readonly string[] | null
  formats?: readonly string[] | null
  statuses?: readonly string[] | null
  /** Whatever the case. */
  nameContains?: string | null
  /** [south, west, north, east] in degrees; west of east where it spans the antimeridian. */
  box?: readonly number[] | null
  /** [latitude, longitude, metres]. */
  near?: readonly number[] | null
  hasOwnSensor?: boolean | null
}

/** How each condition is told in SQL, of the asset `a`, by the text of its parameter. */
const CONDITIONS: Record<keyof AssetFilter, [type: string, sql: (parameter: string) => string]> = {
  ids: ['text[]', p => `a.id = ANY (${p})`],
  companyIds: ['text[]', p => `a.company = ANY (ARRAY(SELECT number FROM companies WHERE id = ANY (${p})))`],
  countries: ['text[]', p => `a.country = ANY (${p})`],
  regions: ['text[]', p => `a.region = ANY (${p})`],
  cities: ['text[]', p => `a.city = ANY (${p})`],
  venueTypeIds: ['integer[]', p => `a.venue_type_id = ANY (${p})`],
  mediaTypes: ['text[]', p => `a.media_type = ANY (${p})`],
  formats: ['text[]', p => `a.format = ANY (${p})`],
  statuses: ['text[]', p => `a.status = ANY (${p})`],
  nameContains: ['text', p => `strpos(lower(a.name), lower(${p})) > 0`],
  box: [
    'double precision[]',
    p => `a.latitude BETWEEN ${p}[1] AND ${p}[3] AND CASE WHEN ${p}[2] <= ${p}[4]
      THEN a.longitude BETWEEN ${p}[2] AND ${p}[4] ELSE a.longitude >= ${p}[2] OR a.longitude <= ${p}[4] END`,
  ],
  // The haversine of the angle between two places, on a sphere of the earth's mean radius.
  near: [
    'double precision[]',
    p => `2 * 6371008.8 * asin(sqrt(least(1, sin(radians(a.latitude - ${p}[1]) / 2) ^ 2
      + cos(radians(${p}[1])) * cos(radians(a.latitude)) * sin(radians(a.longitude - ${p}[2]) / 2) ^ 2))) <= ${p}[3]`,
  ],
  hasOwnSensor: [
    'boolean',
    p => `EXISTS (SELECT FROM sensors s WHERE s.asset = a.number AND ${isOwn('s.native_minutes')}) = ${p}`,
  ],
}

const NAMES = Object.keys(CONDITIONS) as (keyof AssetFilter)[]

/** SQL that an asset `a` is what is asked for; the filter's values are the parameters from this number on. */
export const matching = (first: number): string =>
  NAMES.map((name, i) => {
    const [type, sql] = CONDITIONS[name]
    const parameter = `$${first + i}::${type}`
    return `(${parameter} IS NULL OR ${sql(`(${parameter})`)})`
  }).join('\n  AND ')

/** The values for `matching`. */
export const valuesOf = (filter: AssetFilter): unknown[] => NAMES.map(name => filter[name] ?? null)
