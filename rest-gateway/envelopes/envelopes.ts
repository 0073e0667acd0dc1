/**
 * Envelopes shape the data of a persisted query into the body of a response. Each is a pair of functions, one on the data
 * and one on its JSON schema, so that a body and its documentation always agree. A null on the way to the body means that
 * the requested asset is unknown or out of scope.
 */
import type { PresentedKey } from '../../db/postgres/scoped-reader'
import type { RawJson } from '../../resolvers/json/raw-json'
import { MAX_PAGE_SIZE } from '../../resolvers/limits/pages'
import { ApiError } from '../../schema/errors'
import type { ParameterRequest } from '../parameters/params'
import { type JsonSchema, objectWith, present } from './schemas'

/** The data of a query. */
export type Data = Record<string, unknown>

export interface Envelope {
  shape(data: Data, request: EnvelopeRequest, key: PresentedKey): unknown
  schema(data: JsonSchema): JsonSchema
  /** The path of the body in the data, if it is one object of it. */
  path?: readonly string[]
  /** The list of the body in formats other than JSON; without it, that of the property `data`. */
  list?: FlatList
  /** Whether the query has series nested under the nodes of a list. */
  nested?: boolean
}

export interface FlatList {
  /** Returns the JSON schema of a row. */
  row(data: JsonSchema): JsonSchema
  rows(data: Data): RowBatch[]
  /**
   * Returns the id behind which more rows follow; null for none. Undefined for a list that is never continued in the
   * same response.
   */
  next?(data: Data): string | null
}

/** Rows, preceded by columns with the same value in all of them. */
export interface RowBatch {
  constants?: Record<string, unknown>
  rows: RawJson | readonly object[]
}

/** The parts of a request that an envelope may use besides the data. */
export interface EnvelopeRequest extends ParameterRequest {
  variables: Readonly<Record<string, unknown>>
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
  schema: data => objectWith({ [name]: path.reduce(present, data), ...present(data, field).properties }),
})

interface PageData {
  data: unknown
  has_more: boolean
  last: string
  /** Ids of the filter that are unknown or out of scope. */
  unknown?: string[]
}

/** @throws ApiError NOT_FOUND when the page's filter has an unknown id */
export function readPage(data: Data, field: string): PageData {
  const page = walk(data, [field]) as PageData
  if (page.unknown && page.unknown.length > 0) throw new ApiError('NOT_FOUND')
  return page
}

/** The body is a page: its rows and the cursor of the next page. */
export const page = (field: string): Envelope => ({
  shape(data, request) {
    const { data: rows, has_more, last } = readPage(data, field)
    return { data: rows, pagination: createPagination(request, has_more, has_more ? last : null) }
  },
  schema(data) {
    const { data: rows, has_more } = present(data, field).properties!
    return objectWith({ data: rows!, pagination: paginationSchema(has_more!, NEXT_PAGE) })
  },
  list: {
    row: data => present(data, field).properties?.data?.items as JsonSchema,
    rows: data => [{ rows: readPage(data, field).data as RawJson }],
    next: data => findNext(readPage(data, field)),
  },
})

export const findNext = ({ has_more, last }: PageData): string | null => (has_more ? last : null)

export const createPagination = (
  { cursors, list, variables }: EnvelopeRequest,
  has_more: boolean,
  next: string | null,
) => ({
  cursor: next === null ? null : cursors.issue(list, next),
  has_more,
  limit: variables.limit,
})

export const NEXT_PAGE: JsonSchema = {
  type: ['string', 'null'],
  description: 'Pass it as `cursor` to get the next page. Null on the last page.',
}

export const paginationSchema = (has_more: JsonSchema, cursor: JsonSchema): JsonSchema => ({
  ...objectWith({
    cursor,
    has_more,
    limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, description: 'The page size.' },
  }),
  title: 'Pagination',
  description: 'The position of this page in the list.',
})

/** The body is a page of a feed, which always has a cursor: that of the next page, or of what is to come. */
export const feed = (field: string): Envelope => ({
  shape(data, request) {
    const { data: rows, has_more, next } = walk(data, [field]) as { data: unknown; has_more: boolean; next: string }
    return { data: rows, pagination: createPagination(request, has_more, next) }
  },
  schema(data) {
    const { data: rows, has_more } = present(data, field).properties!
    const cursor = {
      type: 'string',
      description:
        'Pass it as `cursor` to get the next page. On the last page, store it to get what changes from now on.',
    }
    return objectWith({ data: rows!, pagination: paginationSchema(has_more!, cursor) })
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

/** The same with a column that rows have only if a parameter is given. */
export function withOptional(column: string, { schema, list, ...envelope }: Envelope): Envelope {
  const optional = (full: JsonSchema): JsonSchema =>
    JSON.parse(JSON.stringify(full), (key, value) =>
      key === 'required' && Array.isArray(value) ? value.filter(name => name !== column) : value,
    )
  return {
    ...envelope,
    schema: data => optional(schema(data)),
    ...(list && { list: { ...list, row: data => optional(list.row(data)) } }),
  }
}

function walk(data: Data, path: string[]): unknown {
  let value: unknown = data
  for (const step of path) {
    value = (value as Data)[step]
    if (value === null) throw new ApiError('NOT_FOUND')
  }
  return value
}
