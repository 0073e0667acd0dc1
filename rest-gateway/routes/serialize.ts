/** Serialises response bodies to JSON, in pieces. Finished JSON within them is taken as it is. */
import { RawJson } from '../../resolvers/json/raw-json'

/** Text and UTF-8, in order. A body without finished JSON is one piece. */
export const serialize = (body: unknown): Iterable<string | Uint8Array> =>
  containsRawJson(body) ? piecesOf(body) : [JSON.stringify(body)]

function* piecesOf(body: unknown): Generator<string | Uint8Array> {
  let text = ''
  yield* write(body)
  if (text !== '') yield text

  function* write(value: unknown): Generator<string | Uint8Array> {
    if (value instanceof RawJson) {
      if (text !== '') yield text
      text = ''
      yield* value.pieces()
    } else if (!containsRawJson(value)) text += JSON.stringify(value)
    else {
      let separator = '{'
      for (const [key, property] of Object.entries(value as object)) {
        text += `${separator}${JSON.stringify(key)}:`
        yield* write(property)
        separator = ','
      }
      text += '}'
    }
  }
}

/** A list whose elements contain finished JSON. They are written when they are taken. */
export class RawList extends RawJson {
  constructor(private readonly elements: readonly object[]) {
    super()
  }

  *pieces(): Generator<string | Uint8Array> {
    let separator = '['
    for (const element of this.elements) {
      yield separator
      yield* serialize(element)
      separator = ','
    }
    yield separator === '[' ? '[]' : ']'
  }
}

/** Lists never contain finished JSON: it stands for a whole list, or for the body. */
function containsRawJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  if (value instanceof RawJson) return true
  for (const key in value) if (containsRawJson((value as Record<string, unknown>)[key])) return true
  return false
}
