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
const object = <Properties extends Record<string, Schema>>(properties: Properties) => ({ type: 'object', properties })

const asset = object({
  ...{ id: text, legacy_id: orNull(whole), company_id: text, name: text, description: orNull(text), media_type: text },
  ...{ format: text, venue_type_id: orNull(whole), status: text, indoors: flag, facing_degrees: orNull(whole) },
  ...{ width_m: orNull(number), height_m: orNull(number), latitude: number, longitude: number, address: orNull(text) },
  ...{ city: orNull(text), region: orNull(text), postal_code: orNull(text), country: text, time_zone: text },
  ...{ finest_grain: orNull(text), sensor_ids: list(text), measured_from: orNull(text), measured_to: orNull(text) },
  ...{ created_at: text, updated_at: text, venue_taxonomy: orNull(text) },
  external_ids: { type: 'object', additionalProperties: text },
})

const impressions = (row: Schema) => object({ data: list(row), total: whole, average: number })

const group = (properties: Record<string, Schema>) => list(object({ ...properties, impressions: whole, share: number }))

export const SCHEMAS = {
  meta: object({
    version: text,
    companies: list(object({ id: text, name: text, final_through: orNull(text) })),
    methodology: text,
    key: object({ label: text, environment: text, scopes: list(text), rate: text, expires_at: orNull(text) }),
  }),
  asset,
  assets: object({
    data: list(asset),
    pagination: object({ cursor: orNull(text), has_more: flag, limit: whole }),
  }),
  daily: impressions(object({ date: text, impressions: orNull(whole), coverage: number })),
  timeseries: impressions(object({ start: text, impressions: orNull(whole), coverage: number })),
  'by-region': impressions(object({ country: text, region: text, impressions: whole, share: number })),
  demographics: object({
    ...{ asset_id: text, from_date: text, to_date: text, total: whole, suppressed: flag },
    ...{ gender: group({ gender: text }), age: group({ age_band: text }) },
    age_gender: group({ age_band: text, gender: text }),
  }),
} satisfies Record<string, Schema>
