/** The filters of assets, as conditions of SQL. All filters must match; one that is null or missing matches every asset. */
import type { Knex } from 'knex'
import { isOwn } from '../calendar/grains'
import { parameter } from './statements'

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
  /** Case-insensitive. */
  nameContains?: string | null
  /** [south, west, north, east] in degrees. West is greater than east where the box spans the antimeridian. */
  box?: readonly number[] | null
  /** [latitude, longitude, metres]. */
  near?: readonly number[] | null
  hasOwnSensor?: boolean | null
  /** RFC 3339, inclusive. */
  updatedSince?: string | null
}

/** The type of each filter's parameter, and its condition on the asset `a`. */
const CONDITIONS: Record<keyof AssetFilter, [type: string, condition: string]> = {
  ids: ['text[]', 'a.id = ANY (:value)'],
  companyIds: ['text[]', 'a.company = ANY (ARRAY(SELECT number FROM companies WHERE id = ANY (:value)))'],
  countries: ['text[]', 'a.country = ANY (:value)'],
  regions: ['text[]', 'a.region = ANY (:value)'],
  cities: ['text[]', 'a.city = ANY (:value)'],
  venueTypeIds: ['integer[]', 'a.venue_type_id = ANY (:value)'],
  mediaTypes: ['text[]', 'a.media_type = ANY (:value)'],
  formats: ['text[]', 'a.format = ANY (:value)'],
  statuses: ['text[]', 'a.status = ANY (:value)'],
  nameContains: ['text', 'strpos(lower(a.name), lower(:value)) > 0'],
  box: [
    'double precision[]',
    `a.latitude BETWEEN :value[1] AND :value[3] AND CASE WHEN :value[2] <= :value[4]
      THEN a.longitude BETWEEN :value[2] AND :value[4] ELSE a.longitude >= :value[2] OR a.longitude <= :value[4] END`,
  ],
  // The haversine formula, on a sphere of the earth's mean radius.
  near: [
    'double precision[]',
    `2 * 6371008.8 * asin(sqrt(least(1, sin(radians(a.latitude - :value[1]) / 2) ^ 2
      + cos(radians(:value[1])) * cos(radians(a.latitude)) * sin(radians(a.longitude - :value[2]) / 2) ^ 2))) <= :value[3]`,
  ],
  hasOwnSensor: [
    'boolean',
    `EXISTS (SELECT 1 FROM sensors s WHERE s.asset = a.number AND ${isOwn('s.native_minutes')}) = :value`,
  ],
  updatedSince: ['timestamptz', 'a.updated_at >= :value'],
}

/** The filters of attributes that all assets of a class share. */
const CLASS_FILTERS: ReadonlySet<string> = new Set<keyof AssetFilter>([
  'companyIds',
  'countries',
  'regions',
  'cities',
  'mediaTypes',
  'formats',
  'statuses',
])

/** Restricts a query to the assets `a` that match a filter, whose values are the parameters of the same names. */
export const whereMatches = (query: Knex.QueryBuilder): void => whereAll(query, Object.keys(CONDITIONS))

/** The same for classes of assets `a` and the filters of their attributes. */
export const whereClassMatches = (query: Knex.QueryBuilder): void => whereAll(query, [...CLASS_FILTERS])

function whereAll(query: Knex.QueryBuilder, names: readonly string[]): void {
  for (const name of names) {
    const [type, condition] = CONDITIONS[name as keyof AssetFilter]
    query.whereRaw(`(:value::${type} IS NULL OR ${condition})`, { value: parameter(name) })
  }
}

/** What a filter distinguishes: nothing, classes of assets, or assets. */
export function reachOf(filter: AssetFilter): 'all' | 'classes' | 'assets' {
  const given = Object.entries(filter).flatMap(([name, value]) => (value == null ? [] : [name]))
  if (given.length === 0) return 'all'
  return given.every(name => CLASS_FILTERS.has(name)) ? 'classes' : 'assets'
}
