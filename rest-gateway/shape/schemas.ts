/** JSON schemas, as envelopes and the description of the interface put them together. */
import type { ErrorCode } from '../../schema/errors'

import type { JsonSchema } from '../record'

/** Returns the schema of an object with these properties. It allows others, because clients validate: fields may be added. */
export const objectWith = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** Returns the schema of a property where it is not null. */
export function present(schema: JsonSchema, name: string): JsonSchema {
  const property = schema.properties?.[name]
  if (!property) throw new Error(`an envelope uses ${name}, which its query does not select`)
  const types = property.anyOf as JsonSchema[] | undefined
  return types?.find(type => type.type !== 'null') ?? property
}

/** Returns the schema of an error with one of these codes. */
export const errorSchema = (codes: readonly ErrorCode[]): JsonSchema => ({
  description: 'The error.',
  ...objectWith({
    code: { type: 'string', enum: codes, description: 'Machine-readable error code; stable.' },
    message: { type: 'string', description: 'Human-readable description of the error; the wording can change.' },
    details: { $ref: '#/components/schemas/ErrorDetails' },
  }),
})
