/**
 * Envelopes shape the data of a persisted query into the body of a response. Each is a pair of functions, one on the data
 * and one on its JSON schema, so that a body and its documentation always agree. A null on the way to the body means that
 * the requested asset is unknown or out of scope.
 */
import { MAX_PAGE_SIZE } from '../../resolvers/limits/pages'
import { ApiError } from '../../schema/errors'
import type { Data, Envelope, EnvelopeRequest, JsonSchema } from '../record'
import { objectWith, present } from './schemas'

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

interface PageData {
  data: object[]
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
    rows: data => readPage(data, field).data,
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
    const { data: rows, has_more, next } = walk(data, [field]) as { data: object[]; has_more: boolean; next: string }
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

function walk(data: Data, path: string[]): object {
  let value: object = data
  for (const step of path) {
    const inner = (value as Data)[step]
    if (inner === null) throw new ApiError('NOT_FOUND')
    value = inner as object
  }
  return value
}
