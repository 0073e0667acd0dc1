/** The fields of REST records: one GraphQL fragment per noun. Aliases give the fields their snake_case names. */

export const ASSET = `
fragment Asset on Asset {
  id legacy_id: legacyId company_id: companyId name description media_type: mediaType format venue_type_id: venueTypeId
  status indoors facing_degrees: facingDegrees width_m: widthM height_m: heightM latitude longitude address city region
  postal_code: postalCode country time_zone: timeZone finest_grain: finestGrain sensor_ids: sensorIds
  measured_from: measuredFrom measured_to: measuredTo created_at: createdAt updated_at: updatedAt
}`

export const SENSOR = `
fragment Sensor on Sensor {
  id serial model vendor vendor_type: vendorType finest_grain: finestGrain asset_id: assetId billable_state: billableState
  health { status checked_at: checkedAt last_seen_at: lastSeenAt reason cadence_minutes: cadenceMinutes }
  installed_at: installedAt removed_at: removedAt updated_at: updatedAt
}`

export const DEMOGRAPHICS = `
fragment Demographics on Demographics {
  from_date: fromDate to_date: toDate total suppressed
  gender { gender impressions share }
  age { age_band: ageBand impressions share }
  age_gender: ageGender { age_band: ageBand gender impressions share }
}`
