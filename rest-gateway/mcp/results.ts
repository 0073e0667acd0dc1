/** The schemas of results, and the units of the numbers in them. */
import type { JsonSchema } from '../routes/envelopes'

/** Units by the names of fields. */
const UNITS: Record<string, string> = {
  impressions: '`impressions` counts people who passed: null without data, 0 if nobody passed.',
  total: '`total` is a sum of impressions, 0 without data.',
  coverage: '`coverage` is the observed fraction of the expected intervals, 0 to 1.',
  share: '`share` is a fraction, 0 to 1.',
  width_m: '`width_m` and `height_m` are metres.',
  facing_degrees: '`facing_degrees` is clockwise from north.',
}

interface Document {
  paths: Record<string, { get: { responses: Record<200, { content: Record<string, { schema: JsonSchema }> }> } }>
  components: { schemas: Record<string, JsonSchema> }
}

/**
 * Returns a function from the path of a route to the schema of its body, which refers to no other one. Clients check later
 * results against it, and values may be added: those of an enum are examples.
 */
export function bodySchemas(openApi: object): (path: string) => JsonSchema {
  const { paths, components } = openApi as Document
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, enum: values, const: only, ...others } = value as JsonSchema
    if ($ref) return resolve(components.schemas[($ref as string).split('/').at(-1)!])
    const examples = values ?? (only === undefined ? undefined : [only])
    const entries = Object.entries({ ...others, ...(examples !== undefined && { examples }) })
    return Object.fromEntries(entries.map(([name, each]) => [name, resolve(each)]))
  }
  return path => resolve(paths[path]?.get.responses[200].content['application/json']?.schema) as JsonSchema
}

/** Returns sentences on the units of the fields of a body. */
export function describeUnits(body: JsonSchema): string {
  const fields = new Set(JSON.stringify(body).match(/"\w+"(?=:\{)/g))
  return Object.entries(UNITS)
    .flatMap(([field, unit]) => (fields.has(`"${field}"`) ? unit : []))
    .join(' ')
}
