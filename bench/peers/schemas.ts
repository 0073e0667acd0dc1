/** The JSON schemas of the response bodies by operation, for Fastify's serialisers. */

interface Schema {
  type: string
  nullable?: boolean
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema
}

const text: Schema = { type: 'string' }
const whole: Schema = { type: 'integer' }
const number: Schema = { type: 'number' }
const flag: Schema = { type: 'boolean' }
const orNull = (schema: Schema): Schema => ({ ...schema, nullable: true })
const list = (items: Schema): Schema => ({ type: 'array', items })
const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })

const asset = object({
  ...{ id: text, legacy_id: orNull(whole), company_id: text, name: text, description: orNull(text), media_type: text },
  ...{ format: text, venue_type_id: orNull(whole), status: text, indoors: flag, facing_degrees: orNull(whole) },
  ...{ width_m: orNull(number), height_m: orNull(number), latitude: number, longitude: number, address: orNull(text) },
  ...{ city: orNull(text), region: orNull(text), postal_code: orNull(text), country: text, time_zone: text },
  ...{ finest_grain: orNull(text), sensor_ids: list(text), measured_from: orNull(text), measured_to: orNull(text) },
  ...{ created_at: text, updated_at: text, venue_taxonomy: orNull(text) },
  external_ids: { type: 'object', additionalProperties: text },
})

const sensor = object({
  ...{ id: text, serial: text, model: text, vendor: text, vendor_type: text, finest_grain: text, asset_id: text },
  billable_state: text,
  health: object({
    ...{ status: text, checked_at: orNull(text), last_seen_at: orNull(text), reason: orNull(text) },
    cadence_minutes: whole,
  }),
  ...{ installed_at: text, removed_at: orNull(text), updated_at: text },
})

const page = (row: Schema) =>
  object({ data: list(row), pagination: object({ cursor: orNull(text), has_more: flag, limit: whole }) })

const impressions = (row: Schema) => object({ data: list(row), total: whole, average: number })

const series = impressions(object({ start: text, impressions: orNull(whole), coverage: number }))

const group = (properties: Record<string, Schema>) => list(object({ ...properties, impressions: whole, share: number }))

const demographics = (first: Record<string, Schema>) =>
  object({
    ...first,
    ...{ from_date: text, to_date: text, total: whole, suppressed: flag },
    ...{ gender: group({ gender: text }), age: group({ age_band: text }) },
    age_gender: group({ age_band: text, gender: text }),
  })

export const SCHEMAS: Record<string, Schema> = {
  meta: object({
    version: text,
    companies: list(object({ id: text, name: text, final_through: orNull(text) })),
    methodology: text,
    key: object({ label: text, environment: text, scopes: list(text), rate: text, expires_at: orNull(text) }),
  }),
  asset,
  assets: page(asset),
  sensors: page(sensor),
  summary: impressions(
    object({
      ...{ from_date: text, to_date: text, days: whole, days_with_data: whole, impressions: whole },
      ...{ average_daily_impressions: number, busiest_date: orNull(text), busiest_date_impressions: orNull(whole) },
      coverage: number,
    }),
  ),
  daily: impressions(object({ date: text, impressions: orNull(whole), coverage: number })),
  hourly: series,
  timeseries: series,
  'by-region': impressions(object({ country: text, region: text, impressions: whole, share: number })),
  demographics: demographics({ asset_id: text }),
  aggregate: demographics({ asset_count: whole }),
  'per-minute': object({
    analytics: object({
      total: whole,
      average: number,
      data: list(object({ time: text, impressions: orNull(whole) })),
    }),
    asset_name: text,
    center: object({ lat: number, lng: number }),
    device_ids: list(text),
    sensor_status: text,
  }),
}
