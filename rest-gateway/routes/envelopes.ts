/**
 * Envelopes shape the data of a persisted query into the body of a response. Each is a pair of functions, one on the data
 * and one on its JSON schema, so that a body and its documentation always agree. A null on the way to the body means that
 * the requested asset is unknown or out of scope.
 */
import type { PresentedKey } from '../../db/postgres/scoped-reader'
import { MAX_PAGE_SIZE } from '../../resolvers/limits/pages'
import { ApiError } from '../../schema/errors'
import type { Cursors } from './cursors'

type Data = Record<string, unknown>

export interface Envelope {
  shape(data: Data, request: EnvelopeRequest, key: PresentedKey): unknown
  schema(data: JsonSchema): JsonSchema
  /** Where in the data the body is, if it is one object of it. */
  path?: readonly string[]
}

/** What an envelope may use besides the data. */
export interface EnvelopeRequest {
  cursors: Cursors
  /** What a cursor of this request is bound to. */
  list: string
  variables: Readonly<Record<string, unknown>>
}

export interface JsonSchema {
  properties?: Record<string, JsonSchema>
  [keyword: string]: unknown
}

/** The body is the value at a path of the data. */
export const at = (...path: string[]): Envelope => ({
  shape: data => walk(data, path),
  schema: data => path.reduce(present, data),
  path,
})

/** The body is the object in a field of the data, preceded by a property with the value at a path. */
export const preceded = (name: string, path: string[], field: string): Envelope => ({
  shape: data => ({ [name]: walk(data, path), ...(walk(data, [field]) as Data) }),
  schema: data => closed({ [name]: path.reduce(present, data), ...present(data, field).properties }),
})

/** The body is a page: its rows and the cursor of the next page. */
export const page = (field: string): Envelope => ({
  shape(data, { cursors, list, variables }) {
    const { data: rows, has_more, last } = walk(data, [field]) as { data: unknown; has_more: boolean; last: string }
    return {
      data: rows,
      pagination: {
        cursor: has_more ? cursors.issue(list, last) : null,
        has_more,
        limit: variables.limit,
      },
    }
  },
  schema(data) {
    const { data: rows, has_more } = present(data, field).properties as Record<string, JsonSchema>
    return closed({
      data: rows as JsonSchema,
      pagination: {
        ...closed({
          cursor: {
            type: ['string', 'null'],
            description: 'Pass it as `cursor` to get the next page. Null on the last page.',
          },
          has_more: has_more as JsonSchema,
          limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, description: 'The page size.' },
        }),
        title: 'Pagination',
        description: 'The position of this page in the list.',
      },
    })
  },
})

/** The body is the value of a field, whose rows have only the columns by which they are grouped, besides these. */
export const grouped = (field: string, columns: readonly string[]): Envelope => ({
  shape: data => walk(data, [field]),
  schema(data) {
    const body = present(data, field)
    const rows = body.properties?.data as JsonSchema & { items: JsonSchema }
    return {
      ...body,
      properties: { ...body.properties, data: { ...rows, items: { ...rows.items, required: columns } } },
    }
  },
})

/** The schema of an object with exactly these properties. */
export const closed = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

function walk(data: Data, path: string[]): unknown {
  let value: unknown = data
  for (const step of path) {
    value = (value as Data)[step]
    if (value === null) throw new ApiError('NOT_FOUND')
  }
  return value
}

/** The schema of a property where it is not null. */
function present(schema: JsonSchema, name: string): JsonSchema {
  const property = schema.properties?.[name]
  if (!property) throw new Error(`an envelope uses ${name}, which its query does not select`)
  const types = property.anyOf as JsonSchema[] | undefined
  return types?.find(type => type.type !== 'null') ?? property
}
