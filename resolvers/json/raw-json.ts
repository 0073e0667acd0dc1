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
  /** JSON in UTF-8. */
  abstract readonly bytes: Uint8Array

  /** The rows of a list as columns, for formats other than JSON. */
  columns(paths: Paths): Columns {
    return columnsOfRows(JSON.parse(Buffer.from(this.bytes).toString()), paths)
  }

  /** @param items the JSON of the elements, each preceded by a comma; copied */
  static arrayOf(items: readonly Uint8Array[]): RawJson {
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
    return new WrittenJson(bytes)
  }
}

class WrittenJson extends RawJson {
  constructor(readonly bytes: Uint8Array) {
    super()
  }
}

export const columnsOfRows = (rows: readonly unknown[], paths: Paths): Columns =>
  paths.map(path => rows.map(row => path.reduce((value, key) => (value as Record<string, unknown> | null)?.[key], row)))

const EMPTY_ARRAY = new WrittenJson(Buffer.from('[]'))

export const RawJsonScalar = new GraphQLScalarType({
  name: 'RawJson',
  description: 'Finished JSON, in the schema that REST executes.',
  serialize(value) {
    if (value instanceof RawJson) return value
    throw new GraphQLError('a resolver returned something else than RawJson')
  },
})
