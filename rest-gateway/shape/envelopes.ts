/** Envelopes of objects. A null on the way to the body means that the requested asset is unknown or out of scope. */
import { ApiError } from '../../schema/errors'
import type { Data, Envelope, JsonSchema } from '../record'
import { objectWith, present } from './data-schema'

/** The body is the value at a path of the data. */
export const at = (...path: string[]): Envelope => ({
  shape: data => walk(data, path),
  schema: data => path.reduce(present, data),
})

/** The body is the object in a field of the data, preceded by a property with the value at a path. */
export const preceded = (name: string, path: string[], field: string): Envelope => ({
  shape: data => ({ [name]: walk(data, path), ...walk(data, [field]) }),
  schema: data => objectWith({ [name]: path.reduce(present, data), ...present(data, field).properties }),
})

/** The same with columns that not all rows have. */
export function withOptional(columns: readonly string[], { schema, list, ...envelope }: Envelope): Envelope {
  const optional = (full: JsonSchema): JsonSchema =>
    JSON.parse(JSON.stringify(full), (key, value) =>
      key === 'required' && Array.isArray(value) ? value.filter(name => !columns.includes(name)) : value,
    )
  return {
    ...envelope,
    schema: data => optional(schema(data)),
    ...(list && { list: { ...list, row: data => optional(list.row(data)) } }),
  }
}

/** Returns the value at a path of the data. @throws ApiError NOT_FOUND for a null on the way */
export function walk(data: Data, path: string[]): object {
  let value: object = data
  for (const step of path) {
    const inner = (value as Data)[step]
    if (inner === null) throw new ApiError('NOT_FOUND')
    value = inner as object
  }
  return value
}
