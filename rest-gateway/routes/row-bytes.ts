/** Rows that come as bytes: how a fixed query selects them, and how they get into its answer. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { RowForm } from '../../resolvers/context'
import { PageForm } from '../../resolvers/limits/pages'
import type { RoomyRows } from '../../resolvers/series/raw-json'
import { nodeWriter } from './node-writers'

/** What names a bucket, by the type of a series. In pages rows are called nodes. */
const NAMES: Record<string, string> = { DailyImpressions: 'date', ImpressionsSeries: 'start', LegacyTimes: 'time' }

export interface RowBytes {
  /** The key of the rows themselves. */
  rows: string
  form: RowForm
}

/** How a query selects the rows of a series or a page; undefined where it selects none, or none that can be written so. */
export function rowBytesOf(schema: GraphQLSchema, document: DocumentNode): RowBytes | undefined {
  let found: RowBytes | undefined
  const types = new TypeInfo(schema)
  const look = (node: FieldNode) => {
    const form =
      node.name.value === 'nodes' ? pageForm(node) : node.name.value === 'rows' ? seriesForm(node) : undefined
    if (form) found = { rows: keyOf(node), form }
  }
  const seriesForm = (node: FieldNode): RowForm | undefined => {
    const type = types.getParentType()
    const [name, impressions, coverage, ...more] = columnsOf(node.selectionSet)
    if (!type || !name || name.field !== NAMES[type.name] || impressions?.field !== 'impressions') return undefined
    if (more.length > 0 || (coverage && coverage.field !== 'coverage')) return undefined
    return { series: { name: name.key, impressions: impressions.key, coverage: coverage?.key } }
  }
  const pageForm = (node: FieldNode): RowForm | undefined => {
    const type = getNamedType(types.getType())
    const write = isObjectType(type) ? nodeWriter(document, node.selectionSet, type) : undefined
    return write && { page: new PageForm(write) }
  }
  visit(document, visitWithTypeInfo(types, { Field: look }))
  return found
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value

const columnsOf = (selection: SelectionSetNode | undefined): { field: string | undefined; key: string }[] =>
  (selection?.selections ?? []).map(node =>
    node.kind === 'Field' ? { field: node.name.value, key: keyOf(node) } : { field: undefined, key: '' },
  )

/** Puts the bytes of rows where the answer has none. No text in JSON looks like a key with an empty list. */
export const withRows = (body: string, { rows }: RowBytes, bytes: RoomyRows): Buffer => {
  const empty = `${JSON.stringify(rows)}:[]`
  const at = body.indexOf(empty) + empty.length - 1
  return bytes.between(body.slice(0, at), body.slice(at))
}
