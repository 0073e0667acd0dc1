/** Rows that come as bytes: how a fixed query selects them, and how they get into its answer. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { RowKeys } from '../resolvers/row-bytes'

/** What names a bucket, by the type of a series. */
const NAMES: Record<string, string> = { DailyImpressions: 'date', ImpressionsSeries: 'start', LegacyTimes: 'time' }

export interface RowBytes {
  /** The key of the rows themselves. */
  rows: string
  keys: RowKeys
}

/** How a query selects the rows of a series; undefined where it selects none, or not in the order in which rows are written. */
export function rowBytesOf(schema: GraphQLSchema, document: DocumentNode): RowBytes | undefined {
  let found: RowBytes | undefined
  const types = new TypeInfo(schema)
  const look = (node: FieldNode) => {
    const type = types.getParentType()
    if (!type || !NAMES[type.name] || node.name.value !== 'rows') return
    const [name, impressions, coverage, ...more] = columnsOf(node.selectionSet)
    if (!name || name.field !== NAMES[type.name] || impressions?.field !== 'impressions') return
    if (more.length > 0 || (coverage && coverage.field !== 'coverage')) return
    found = { rows: keyOf(node), keys: { name: name.key, impressions: impressions.key, coverage: coverage?.key } }
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
export const withRows = (body: string, { rows }: RowBytes, bytes: Buffer): Buffer => {
  const empty = `${JSON.stringify(rows)}:[]`
  const at = body.indexOf(empty) + empty.length - 1
  return Buffer.concat([Buffer.from(body.slice(0, at)), bytes, Buffer.from(body.slice(at))])
}
