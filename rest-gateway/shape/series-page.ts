/** The envelope of many assets with a series each. */
import { ApiError } from '../../schema/errors'
import type { Envelope, JsonSchema } from '../record'
import { createPagination, findNext, NEXT_PAGE, paginationSchema, readPage } from './envelopes'
import { errorSchema, objectWith, present } from './schemas'

const formatError = ({ code, message, details }: ApiError) => ({ code, message, details })

/** A node with its series, or with the error that replaces it. */
interface SeriesNode {
  impressions: { series: { data: object[] } | ApiError }
  [column: string]: unknown
}

/** The body is a page with one entry per node: its columns and its series, or an error in place of the series. */
export const seriesPage = (field: string): Envelope => ({
  nested: true,
  shape(data, request) {
    const { data: nodes, has_more, last } = readPage(data, field)
    const entries = (nodes as SeriesNode[]).map(({ impressions: { series }, ...columns }) => ({
      ...columns,
      ...(series instanceof ApiError ? { error: formatError(series) } : series),
    }))
    return { data: entries, pagination: createPagination(request, has_more, has_more ? last : null) }
  },
  schema(data) {
    const { data: nodes, has_more } = present(data, field).properties!
    const { columns, series } = seriesSchemas(nodes!)
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
    const entries = {
      type: 'array',
      items: { oneOf: [entry, failed] },
      description: 'One entry per asset, by ascending id.',
    }
    return objectWith({ data: entries, pagination: paginationSchema(has_more!, NEXT_PAGE) })
  },
  list: {
    row(data) {
      const { columns, series } = seriesSchemas(present(data, field).properties?.data as JsonSchema)
      const row = series.properties?.data?.items as JsonSchema
      return objectWith({ ...columns, ...row.properties })
    },
    rows: data =>
      (readPage(data, field).data as SeriesNode[]).flatMap(({ impressions: { series }, ...columns }) =>
        // Copies of the rows would take ten times as long, and columns have their order from the schema.
        series instanceof ApiError ? [] : series.data.map(row => Object.assign(row, columns)),
      ),
    next: data => findNext(readPage(data, field)),
  },
})

/** Returns the schemas of the columns of a node, and of its series. */
function seriesSchemas(nodes: JsonSchema): { columns: Record<string, JsonSchema>; series: JsonSchema } {
  const { impressions, ...columns } = (nodes.items as JsonSchema).properties!
  return { columns, series: present(impressions!, 'series') }
}
