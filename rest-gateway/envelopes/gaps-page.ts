/** The envelope of the gaps of many assets: the rows of all nodes of a page as one list. */
import { GapRows } from '../../resolvers/json/gaps-json'
import {
  createPagination,
  type Data,
  type Envelope,
  findNext,
  NEXT_PAGE,
  paginationSchema,
  readPage,
} from './envelopes'
import { type JsonSchema, objectWith, present } from './schemas'

/** A node with the gaps of an asset. */
interface GapsNode {
  impressions: { gaps: { rows: GapRows | object[] } }
}

/** The body is a page with the rows of all nodes, which are the gaps of their assets. */
export const gapsPage = (field: string): Envelope => {
  const readRows = (data: Data): GapRows | object[] => {
    const lists = (readPage(data, field).data as GapsNode[]).map(({ impressions: { gaps } }) => gaps.rows)
    const written = lists.filter(rows => rows instanceof GapRows)
    return written.length === lists.length ? GapRows.join(written) : lists.flatMap(rows => [...(rows as object[])])
  }
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
      rows: data => [{ rows: readRows(data) }],
      next: data => findNext(readPage(data, field)),
    },
  }
}
