/** Envelopes of pages: rows with the cursor of the next page, and in formats other than JSON all rows of the list. */
import { MAX_PAGE_SIZE } from '../../resolvers/limits/rows'
import { ApiError } from '../../schema/errors'
import type { Data, Envelope, EnvelopeRequest, JsonSchema } from '../record'
import { errorSchema, objectWith, present } from './data-schema'
import { walk } from './envelopes'

interface PageData<Node> {
  data: Node[]
  has_more: boolean
  last: string
}

/** The entries of a body that the nodes of a page make up. */
interface Entries<Node> {
  list(nodes: Node[]): object[]
  /** Returns the schema of the list of entries by that of the nodes. */
  schema(nodes: JsonSchema): JsonSchema
  /** The rows in formats other than JSON, and the schema of one, if these are not the entries. */
  rows?: { list(nodes: Node[]): object[]; schema(nodes: JsonSchema): JsonSchema }
  /** Whether the query has series nested under the nodes. */
  nested?: boolean
}

function pageOf<Node>(field: string, { list, schema, rows, nested = false }: Entries<Node>): Envelope {
  const read = (data: Data) => walk(data, [field]) as PageData<Node>
  const next = ({ has_more, last }: PageData<Node>) => (has_more ? last : null)
  return {
    nested,
    shape(data, request) {
      const page = read(data)
      return { data: list(page.data), pagination: createPagination(request, page.has_more, next(page)) }
    },
    schema(data) {
      const { data: nodes, has_more } = present(data, field).properties!
      return objectWith({ data: schema(nodes!), pagination: paginationSchema(has_more!, NEXT_PAGE) })
    },
    list: {
      row(data) {
        const nodes = present(data, field).properties!.data!
        return rows ? rows.schema(nodes) : (schema(nodes).items as JsonSchema)
      },
      rows: data => (rows?.list ?? list)(read(data).data),
      next: data => next(read(data)),
    },
  }
}

/** The body is a page whose rows are the nodes. */
export const page = (field: string): Envelope => pageOf<object>(field, { list: nodes => nodes, schema: nodes => nodes })

interface GapsNode {
  impressions: { gaps: { rows: object[] } }
}

/** The body is a page with the rows of all nodes, which are the gaps of their assets. */
export const gapsPage = (field: string): Envelope =>
  pageOf<GapsNode>(field, {
    list: nodes => nodes.flatMap(({ impressions: { gaps } }) => gaps.rows),
    schema: nodes => present(present(nodes.items as JsonSchema, 'impressions'), 'gaps').properties!.rows!,
    nested: true,
  })

/** A node with its series, or with the error that replaces it. */
interface SeriesNode {
  impressions: { series: { data: object[] } | ApiError }
  [column: string]: unknown
}

const formatError = ({ code, message, details }: ApiError) => ({ code, message, details })

/** The body is a page with one entry per node: its columns and its series, or an error in place of the series. */
export const seriesPage = (field: string): Envelope =>
  pageOf<SeriesNode>(field, {
    list: nodes =>
      nodes.map(({ impressions: { series }, ...columns }) => ({
        ...columns,
        ...(series instanceof ApiError ? { error: formatError(series) } : series),
      })),
    schema(nodes) {
      const { columns, series } = seriesSchemas(nodes)
      const entry = {
        title: 'AssetSeries',
        description: 'The series of an asset.',
        ...objectWith({ ...columns, ...series.properties! }),
      }
      const failed = {
        title: 'AssetWithoutSeries',
        description: 'An asset that does not have the requested grain, or whose counts cannot be read.',
        ...objectWith({ ...columns, error: errorSchema(['GRAIN_NOT_AVAILABLE', 'INTERNAL']) }),
      }
      const items = { oneOf: [entry, failed] }
      return { type: 'array', items, description: 'One entry per asset, by ascending id.' }
    },
    rows: {
      list: nodes =>
        nodes.flatMap(({ impressions: { series }, ...columns }) =>
          // Copies of the rows would take ten times as long, and columns have their order from the schema.
          series instanceof ApiError ? [] : series.data.map(row => Object.assign(row, columns)),
        ),
      schema(nodes) {
        const { columns, series } = seriesSchemas(nodes)
        return objectWith({ ...columns, ...(series.properties!.data!.items as JsonSchema).properties })
      },
    },
    nested: true,
  })

function seriesSchemas(nodes: JsonSchema): { columns: Record<string, JsonSchema>; series: JsonSchema } {
  const { impressions, ...columns } = (nodes.items as JsonSchema).properties!
  return { columns, series: present(impressions!, 'series') }
}

const createPagination = ({ cursors, list, variables }: EnvelopeRequest, has_more: boolean, next: string | null) => ({
  cursor: next === null ? null : cursors.issue(list, next),
  has_more,
  limit: variables.limit,
})

const NEXT_PAGE: JsonSchema = {
  type: ['string', 'null'],
  description: 'Pass it as `cursor` to get the next page. Null on the last page.',
}

const paginationSchema = (has_more: JsonSchema, cursor: JsonSchema): JsonSchema => ({
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
