/** The envelope of the gaps of many assets: the rows of all nodes of a page as one list. */
import type { Data, Envelope, JsonSchema } from '../record'
import { createPagination, findNext, NEXT_PAGE, paginationSchema, readPage } from './envelopes'
import { objectWith, present } from './schemas'

/** A node with the gaps of an asset. */
interface GapsNode {
  impressions: { gaps: { rows: object[] } }
}

/** The body is a page with the rows of all nodes, which are the gaps of their assets. */
export const gapsPage = (field: string): Envelope => {
  const readRows = (data: Data): object[] =>
    (readPage(data, field).data as GapsNode[]).flatMap(({ impressions: { gaps } }) => gaps.rows)
  const rowsSchema = (data: JsonSchema): JsonSchema => {
    const nodes = present(data, field).properties?.data as JsonSchema
    return present(present(nodes.items as JsonSchema, 'impressions'), 'gaps').properties!.rows!
  }
  return {
    nested: true,
    shape(data, request) {
      const { has_more, last } = readPage(data, field)
      return { data: readRows(data), pagination: createPagination(request, has_more, has_more ? last : null) }
    },
    schema: data =>
      objectWith({
        data: rowsSchema(data),
        pagination: paginationSchema(present(data, field).properties!.has_more!, NEXT_PAGE),
      }),
    list: {
      row: data => rowsSchema(data).items as JsonSchema,
      rows: readRows,
      next: data => findNext(readPage(data, field)),
    },
  }
}
