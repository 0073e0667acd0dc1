/**
 * Pages and single nodes whose rows are JSON. A row is written when it is first met and copied from then on: the cache is addressed by the
 * raw bytes of the row, so that an entry is never stale and can be shared by all callers.
 */
import type { FieldNode, GraphQLObjectType, GraphQLResolveInfo } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { RawRow } from '../../db/postgres/batch'
import { checkLimit, cutPage, type Page } from '../limits/pages'
import { nodeJson, type WriteNode } from './node-json'
import { RawJson } from './raw-json'

/** Bytes of raw rows per cache; what is cached for them takes a few times as much. */
const MAX_CACHED_BYTES = 4_000_000

/** The mapping of a row to a node at an instant (milliseconds since 1970). */
export interface NodeMapping<Row> {
  typeName: string
  toNode(row: Row, now: number): object
  /** Set if nodes depend on the instant: equal variants of a row give equal nodes. */
  variant?(row: Row, now: number): string
}

/** A row that has been decoded, with its JSON by variant. Each JSON is preceded by a comma. */
interface CachedRow<Row> {
  row: Row
  json: Map<string, Buffer>
}

interface PageWriter<Row> {
  write: WriteNode
  rows: LRUCache<string, CachedRow<Row>>
}

/** By the field whose selection the nodes have. */
const writers = new WeakMap<FieldNode, unknown>()

/** @throws ApiError INVALID_PARAMETER for a limit that no page has */
export async function rawPage<Row extends { id: string | null }>(
  info: GraphQLResolveInfo,
  mapping: NodeMapping<Row>,
  limit: number,
  now: number,
  read: (rows: number) => Promise<RawRow[]>,
): Promise<Page<RawJson>> {
  checkLimit(limit)
  const [page] = info.fieldNodes as [FieldNode]
  const writer = findWriter(info, mapping, findNodes(page))
  const rows = (await read(limit + 1)).map(row => cached(writer, row)).filter(({ row }) => row.id !== null)
  return cutPage(
    rows.map(({ row, json }) => ({ id: row.id!, row, json })),
    limit,
    page => RawJson.arrayOf(page.map(each => renderNode(each, writer, mapping, now))),
  )
}

/** Returns the node of the only row, if there is one. */
export async function rawNode<Row>(
  info: GraphQLResolveInfo,
  mapping: NodeMapping<Row>,
  now: number,
  reading: Promise<RawRow[]>,
): Promise<RawJson | null> {
  const writer = findWriter(info, mapping, info.fieldNodes[0])
  const [row] = await reading
  return row ? RawJson.of(renderNode(cached(writer, row), writer, mapping, now)) : null
}

function cached<Row>({ rows }: PageWriter<Row>, raw: RawRow): CachedRow<Row> {
  const known = rows.get(raw.text)
  if (known) return known
  const decoded = { row: raw.decode() as Row, json: new Map<string, Buffer>() }
  rows.set(raw.text, decoded)
  return decoded
}

function renderNode<Row>(
  { row, json }: CachedRow<Row>,
  { write }: PageWriter<Row>,
  mapping: NodeMapping<Row>,
  now: number,
) {
  const variant = mapping.variant?.(row, now) ?? ''
  const known = json.get(variant)
  if (known) return known
  const written = Buffer.from(`,${write(mapping.toNode(row, now))}`)
  json.set(variant, written)
  return written
}

/** @param nodes the field whose selection the nodes have */
function findWriter<Row>(
  info: GraphQLResolveInfo,
  { typeName }: NodeMapping<Row>,
  nodes: FieldNode | undefined,
): PageWriter<Row> {
  const field = nodes!
  const known = writers.get(field) as PageWriter<Row> | undefined
  if (known) return known
  const type = info.schema.getType(typeName) as GraphQLObjectType
  const writer: PageWriter<Row> = {
    write: nodeJson(info.fragments, field.selectionSet, type),
    rows: new LRUCache({ maxSize: MAX_CACHED_BYTES, sizeCalculation: (_, text) => text.length }),
  }
  writers.set(field, writer)
  return writer
}

const findNodes = ({ selectionSet }: FieldNode): FieldNode | undefined =>
  selectionSet?.selections.find((node): node is FieldNode => node.kind === 'Field' && node.name.value === 'nodes')
