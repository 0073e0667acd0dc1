/** The fields of REST records: one GraphQL fragment per noun. Aliases give the fields their snake_case names. */

import { ATTRIBUTES, snakeCase } from '../../db/assets/attributes'

/** Selects fields under their names in REST. */
export function selectFields(fields: readonly string[]): string {
  return fields.map(field => (snakeCase(field) === field ? field : `${snakeCase(field)}: ${field}`)).join(' ')
}

export const ASSET = `
fragment Asset on Asset { ${selectFields(ATTRIBUTES.map(({ field }) => field))} }`

export const SENSOR = `
fragment Sensor on Sensor {
  id serial model vendor vendor_type: vendorType finest_grain: finestGrain asset_id: assetId billable_state: billableState
  health { status checked_at: checkedAt last_seen_at: lastSeenAt reason cadence_minutes: cadenceMinutes }
  installed_at: installedAt removed_at: removedAt updated_at: updatedAt
}`

/** The fields of a gap. */
export const GAP = selectFields(['assetId', 'sensorId', 'from', 'to', 'expected', 'missing', 'reason'])

/** The fields of an hour of the typical week. */
export const HOUR_OF_WEEK = selectFields([
  ...['weekday', 'hour', 'averageImpressions', 'hoursObserved', 'share', 'audience'],
])

export const DEMOGRAPHICS = `
fragment Demographics on Demographics {
  from_date: fromDate to_date: toDate total suppressed
  gender { gender impressions share }
  age { age_band: ageBand impressions share }
  age_gender: ageGender { age_band: ageBand gender impressions share }
}`
