/**
 * Finished JSON as a value: REST returns long lists in this form, which the serialiser copies as it is. Creating an object
 * for each row and text from the objects would cost most of the request.
 */
import { GraphQLError, GraphQLScalarType } from 'graphql'

const OPENING_BRACKET = '['.charCodeAt(0)
const CLOSING_BRACKET = ']'.charCodeAt(0)

/** Values of rows at a path of keys, by path. */
export type Columns = unknown[][]

type Paths = readonly (readonly string[])[]

export abstract class RawJson {
  /** JSON in UTF-8, in pieces that are written when they are taken. Writing one takes no longer than a turn. */
  abstract pieces(): Iterable<string | Uint8Array>

  /** Returns the rows of a list as columns, for formats other than JSON; of a long list in several parts. */
  *columns(paths: Paths): Iterable<Columns> {
    const text = Buffer.concat([...this.pieces()].map(piece => Buffer.from(piece as string))).toString()
    yield columnsOfRows(JSON.parse(text), paths)
  }

  /** @param item the JSON of an element, preceded by a comma */
  static of(item: Uint8Array): RawJson {
    return new WrittenJson(item.subarray(1))
  }

  /** @param items the JSON of the elements, each preceded by a comma; copied */
  static arrayOf(items: readonly Uint8Array[]): RawJson {
    return new WrittenJson(arrayOf(items))
  }
}

class WrittenJson extends RawJson {
  constructor(private readonly bytes: Uint8Array) {
    super()
  }

  pieces() {
    return [this.bytes]
  }
}

/** @param items the JSON of the elements, each preceded by a comma; copied */
export function arrayOf(items: readonly Uint8Array[]): Uint8Array {
  if (items.length === 0) return EMPTY_ARRAY
  let length = 1
  for (const item of items) length += item.length
  const bytes = Buffer.allocUnsafe(length)
  let offset = 0
  for (const item of items) {
    bytes.set(item, offset)
    offset += item.length
  }
  // In place of the first comma.
  bytes[0] = OPENING_BRACKET
  bytes[offset] = CLOSING_BRACKET
  return bytes
}

export const columnsOfRows = (rows: readonly unknown[], paths: Paths): Columns =>
  paths.map(([first = '', ...others]) =>
    rows.map(row => others.reduce(ownValue, (row as Record<string, unknown> | null)?.[first])),
  )

/** Every object has a `constructor` that is not its own. */
const ownValue = (value: unknown, key: string): unknown =>
  value != null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined

const EMPTY_ARRAY = Buffer.from('[]')

export const RawJsonScalar = new GraphQLScalarType({
  name: 'RawJson',
  description: 'Finished JSON, in the schema that REST executes.',
  serialize(value) {
    if (value instanceof RawJson) return value
    throw new GraphQLError('a resolver returned something else than RawJson')
  },
})
