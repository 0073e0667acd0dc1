/** The filter of the schema as conditions of the database. */
import type { AssetFilter as Conditions } from '../db/queries/asset-filters'
import type { AssetFilter, InputMaybe } from '../schema/generated'

/** A filter as the database takes it. */
export function conditionsOf(filter: InputMaybe<AssetFilter>): Conditions {
  if (!filter) return {}
  const { box, near } = filter
  return {
    ids: filter.id ?? null,
    companyIds: filter.companyId ?? null,
    countries: filter.country ?? null,
    regions: filter.region ?? null,
    cities: filter.city ?? null,
    venueTypeIds: filter.venueTypeId ?? null,
    mediaTypes: filter.mediaType ?? null,
    formats: filter.format ?? null,
    statuses: filter.status ?? null,
    nameContains: filter.nameContains ?? null,
    box: box ? [box.south, box.west, box.north, box.east] : null,
    near: near ? [near.latitude, near.longitude, near.meters] : null,
    hasOwnSensor: filter.hasOwnSensor ?? null,
    updatedSince: filter.updatedSince ?? null,
  }
}
