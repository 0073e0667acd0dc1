/** Serialises response bodies to JSON, in pieces. Finished JSON within them is taken as it is. */
import { RawJson } from '../../resolvers/json/raw-json'

/** Text and UTF-8, in order. A body without finished JSON is one piece. */
export function serialize(body: unknown): Iterable<string | Uint8Array> {
  const parts: (string | RawJson)[] = []
  let text = ''
  add(body)
  if (text !== '') parts.push(text)
  return parts.every(part => typeof part === 'string') ? parts : writePieces(parts)

  function add(value: unknown): void {
    if (value instanceof RawJson) {
      if (text !== '') parts.push(text)
      text = ''
      parts.push(value)
    } else if (!containsRawJson(value)) text += JSON.stringify(value)
    else {
      let separator = '{'
      for (const [key, property] of Object.entries(value as object)) {
        text += `${separator}${JSON.stringify(key)}:`
        add(property)
        separator = ','
      }
      text += '}'
    }
  }
}

/** Finished JSON is written when it is taken. */
function* writePieces(parts: readonly (string | RawJson)[]): Generator<string | Uint8Array> {
  for (const part of parts) {
    if (typeof part === 'string') yield part
    else yield* part.pieces()
  }
}

/** A list whose elements contain finished JSON. They are written when they are taken. */
export class RawList extends RawJson {
  constructor(readonly elements: readonly object[]) {
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

/** Lists never contain finished JSON: it is a whole list, or the body. */
function containsRawJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  if (value instanceof RawJson) return true
  for (const key in value) if (containsRawJson((value as Record<string, unknown>)[key])) return true
  return false
}
